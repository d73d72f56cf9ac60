// IndexPlan on a device, on memory of the host and of the device.
#include <doctest/doctest.h>

#include "answers.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"
#include "gathernd/index_plan.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

IndexPlan make_plan_of(const Case& c, Arrays& arrays) {
  return IndexPlan(arrays.input.shape, arrays.indices.tensor(),
                   static_cast<int64_t>(c.batch.size()), c.mode, &d3d12_api().backend(0));
}

void check_gather_by(const IndexPlan& plan, Case c, Arrays& arrays) {
  if (c.mode == Mode::kDrop) c.mode = Mode::kFill;
  const Answer expected = expected_gather(c, arrays);
  Array output(c.dtype, arrays.rows.shape);
  plan.gather(arrays.input.tensor(), output.tensor(), fill_value(c));
  CHECK(output.bytes == expected.bytes);
  DeviceBackend& device = d3d12_api().backend(0);
  const DeviceMemoryPtr input = device.upload(arrays.input.tensor());
  device.download(*plan.gather(arrays.input.tensor(), *input, fill_value(c)), output.tensor(),
                  false);
  CHECK(output.bytes == expected.bytes);
}

void check_scatter_by(const IndexPlan& plan, Case c, Arrays& arrays) {
  if (c.mode == Mode::kFill) c.mode = Mode::kDrop;
  Answer expected = expected_scatter(c, arrays);
  if (arrays.indices.shape.front() == 0) expected.bytes = arrays.input.bytes;
  Array output(c.dtype, arrays.input.shape);
  const Tensor table = arrays.input.tensor(), rows = arrays.rows.tensor();
  if (!expected.error.empty()) {
    CHECK_THROWS_WITH_AS(plan.scatter(table, rows, output.tensor(), c.reduction, c.duplicates),
                         expected.error.c_str(), Error);
    return;
  }
  plan.scatter(table, rows, output.tensor(), c.reduction, c.duplicates);
  CHECK(output.bytes == expected.bytes);
  DeviceBackend& device = d3d12_api().backend(0);
  const DeviceMemoryPtr updates = device.upload(rows);
  const auto scatter_there = [&](bool in_place) {
    const DeviceMemoryPtr input = device.upload(table);
    const DeviceMemoryPtr result =
        plan.scatter(table, input, rows, *updates, c.reduction, c.duplicates, in_place);
    CHECK((result == input) == in_place);
    device.download(*result, output.tensor(), false);
    CHECK(output.bytes == expected.bytes);
  };
  scatter_there(false);
  scatter_there(true);
  const ByTuple sparse;
  scatter_there(true);
}

// Without bad tuples. The second time, the order is known.
void check_plan(const Case& c) {
  Arrays arrays(c);
  const IndexPlan plan = make_plan_of(c, arrays);
  for (int i = 0; i < 2; ++i) check_scatter_by(plan, c, arrays);
  check_gather_by(plan, c, arrays);
}

constexpr Duplicates kDuplicates[] = {Duplicates::kLast, Duplicates::kFirst, Duplicates::kError};

TEST_CASE("index plan: modes, batches, index types, rules for duplicates") {
  for (const Mode mode : {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kFill, Mode::kDrop}) {
    for (const Kind kind : {Kind::kInt8, Kind::kUInt16, Kind::kInt32, Kind::kInt64}) {
      for (const Duplicates duplicates : kDuplicates) {
        check_plan({.batch = {2},
                    .outer = {3, 7},
                    .indexed = {4, 5},
                    .slice = {3},
                    .index_type = index_dtype(kind),
                    .mode = mode,
                    .duplicates = duplicates,
                    .bad = mode == Mode::kRaise ? 0.0 : 0.2});
      }
    }
  }
}

TEST_CASE("index plan: reductions of rows of few and of many tuples") {
  for (const DType dtype : {DType{Kind::kFloat32, 4}, DType{Kind::kFloat16, 2},
                            DType{Kind::kUInt8, 1}, DType{Kind::kFloat64, 8}}) {
    for (const Reduction reduction : {Reduction::kAdd, Reduction::kMul, Reduction::kMax}) {
      for (const int64_t rows : {2, 90, 3000}) {
        for (const int64_t length : {1, 16}) {
          check_plan({.outer = {400},
                      .indexed = {rows},
                      .slice = {length},
                      .dtype = dtype,
                      .mode = Mode::kClip,
                      .reduction = reduction,
                      .bad = rows == 90 ? 0.3 : 0.0,
                      .values = Values::kNear});
        }
      }
    }
  }
}

TEST_CASE("index plan: one order for types of all sizes") {
  Case c{.outer = {200}, .indexed = {30}, .slice = {4}, .reduction = Reduction::kAdd};
  Arrays first(c);
  const IndexPlan plan = make_plan_of(c, first);
  for (const DType dtype : {DType{Kind::kUInt8, 1}, DType{Kind::kInt16, 2}, DType{Kind::kInt64, 8},
                            DType{Kind::kComplex128, 16}}) {
    c.dtype = dtype;
    c.values = Values::kNear;
    Arrays arrays(c);
    check_scatter_by(plan, c, arrays);
  }
}

TEST_CASE("index plan: windows and chunks") {
  for (const uint64_t view : {64u, 400u}) {
    const SmallPieces small(view);
    for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
      for (const int64_t length : {1, 5, 40}) {
        // The second has the one chunk and the one window that an order needs.
        for (const int64_t tuples : {23, 8}) {
          check_plan({.batch = {tuples == 23 ? 2 : 1},
                      .outer = {tuples},
                      .indexed = {2, 5},
                      .slice = {length},
                      .mode = Mode::kFill,
                      .reduction = reduction,
                      .bad = 0.2,
                      .values = Values::kNear});
        }
      }
    }
  }
}

TEST_CASE("index plan: sizes of zero, tuples of none and of many components") {
  check_plan({.outer = {0}, .indexed = {4}, .slice = {3}});
  check_plan({.outer = {5}, .indexed = {0}, .slice = {3}, .mode = Mode::kFill});
  for (const Duplicates duplicates : kDuplicates) {
    check_plan({.outer = {5}, .indexed = {4}, .slice = {0}, .duplicates = duplicates});
    check_plan({.outer = {3}, .slice = {4}, .duplicates = duplicates});
    check_plan({.outer = {9}, .indexed = {2, 2, 2, 2, 2}, .duplicates = duplicates});
  }
}

TEST_CASE("index plan: bad tuples, also where no row has bytes") {
  for (const int64_t length : {3, 0}) {
    Case c{.outer = {500}, .indexed = {100}, .slice = {length}, .bad = 0.01};
    Arrays arrays(c);
    const std::string error = expected_gather(c, arrays).error;
    CHECK(!error.empty());
    const std::string of_plan = "IndexPlan" + error.substr(error.find(':'));
    CHECK_THROWS_WITH_AS(make_plan_of(c, arrays), of_plan.c_str(), Error);
  }
}

}  // namespace
}  // namespace gathernd::testing

// Winners on the device are those of the CPU, however the call is cut.
#include <doctest/doctest.h>

#include <initializer_list>
#include <iterator>
#include <vector>

#include "cases.hpp"
#include "gathernd/winners.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

using Winners = std::vector<int64_t>;

ScatterOptions options_of(const Case& c) {
  return {.batch_dims = static_cast<int64_t>(c.batch.size()),
          .mode = c.mode,
          .reduction = c.reduction,
          .duplicates = c.duplicates};
}

Winners on_cpu(const Case& c, Arrays& arrays) {
  Array result(arrays.input.dtype, arrays.input.shape);
  scatter_nd(arrays.input.tensor(), arrays.indices.tensor(), arrays.rows.tensor(), result.tensor(),
             options_of(c));
  Winners found(static_cast<size_t>(result.elements()));
  find_winners(result.tensor(), arrays.indices.tensor(), arrays.rows.tensor(), found.data(),
               options_of(c));
  return found;
}

Winners on_device(const Case& c, Arrays& arrays) {
  DeviceBackend& device = d3d12_api().backend(0);
  const Plan plan = plan_winners(arrays.input.tensor(), arrays.indices.tensor(),
                                 arrays.rows.tensor(), options_of(c));
  const auto there = [&](Array& array) {
    return DeviceTensor{array.tensor(), device.upload(array.tensor())};
  };
  const DeviceMemoryPtr memory =
      find_winners(device, plan, there(arrays.input), there(arrays.indices), there(arrays.rows));
  Array found({Kind::kInt64, sizeof(int64_t)}, arrays.input.shape);
  device.download(*memory, found.tensor(), false);
  const auto* first = reinterpret_cast<const int64_t*>(found.bytes.data());
  return {first, first + found.elements()};
}

bool is_same(const Case& c) {
  Arrays arrays(c);
  const bool same = on_device(c, arrays) == on_cpu(c, arrays);
  if (!same) MESSAGE(describe(c));
  return same;
}

const DType kTypes[] = {{Kind::kBool, 1},    {Kind::kInt8, 1},     {Kind::kUInt16, 2},
                        {Kind::kFloat16, 2}, {Kind::kBFloat16, 2}, {Kind::kInt32, 4},
                        {Kind::kFloat32, 4}, {Kind::kFloat64, 8},  {Kind::kInt64, 8}};

void check_all(std::initializer_list<int64_t> lengths, std::initializer_list<Mode> modes) {
  size_t type = 0;
  for (const int64_t length : lengths) {
    for (const Mode mode : modes) {
      Case c{.batch = {2}, .outer = {23}, .indexed = {2, 5}, .slice = {length}, .mode = mode};
      c.bad = mode == Mode::kRaise ? 0 : 0.2;
      for (const Duplicates duplicates : {Duplicates::kLast, Duplicates::kFirst}) {
        c.duplicates = duplicates;
        CHECK(is_same(c));
      }
      c.duplicates = Duplicates::kLast;
      for (int i = 0; i < 3; ++i) {
        c.dtype = kTypes[type++ % std::size(kTypes)];
        for (const Reduction reduction : {Reduction::kMin, Reduction::kMax}) {
          c.reduction = reduction;
          CHECK(is_same(c));
        }
      }
    }
  }
}

TEST_CASE("winners of the device are the CPU's") {
  check_all({1, 3, 40}, {Mode::kRaise, Mode::kDrop, Mode::kWrap});
}

TEST_CASE("winners, found in windows of the table and chunks of the tuples") {
  const SmallPieces small(64);
  check_all({1, 5, 17}, {Mode::kDrop});
}

TEST_CASE("winners where there is nothing to find") {
  CHECK(is_same({.outer = {0}, .indexed = {4}, .slice = {3}}));
  CHECK(is_same({.outer = {0}, .indexed = {4}, .slice = {3}, .reduction = Reduction::kMin}));
  CHECK(is_same({.outer = {5}, .indexed = {4}, .slice = {0}, .reduction = Reduction::kMax}));
  CHECK(is_same({.outer = {0}, .indexed = {0}, .slice = {2}}));
  CHECK(is_same({.outer = {6}, .indexed = {}, .slice = {2}, .reduction = Reduction::kMax}));
}

}  // namespace
}  // namespace gathernd::testing

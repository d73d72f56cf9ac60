// The numbers of a Plan: offsets, their unit, bias and bound; walks; the width of offsets.
#include <numeric>

#include "problem.hpp"

namespace gathernd::test {
namespace {

constexpr int64_t kBillions = int64_t{1} << 32;

bool equal(const Dims& dims, const Shape& expected) { return same_shape(span(dims), expected); }

// One tuple into a table of one byte an element, of these strides.
Plan plan_of(const Shape& table, const Shape& strides) {
  Problem p = gather(table, {static_cast<int64_t>(table.size())}, {});
  p.table.dtype = p.rows.dtype = {Kind::kUInt8, 1, true};
  p.table.strides = strides;
  return p.plan();
}

}  // namespace

TEST_CASE("every tuple lies in [0, span) units from table + bias, and the bounds are tight") {
  Random random(21);
  for (int trial = 0; trial < 2000; ++trial) {
    Shape shape, strides;
    const int64_t unit = random(1, 10);
    for (int64_t rank = random(0, 3); rank > 0; --rank) {
      shape.push_back(random(1, 4));
      strides.push_back(random(-6, 6) * unit);
    }
    const Plan plan = plan_of(shape, strides);
    int64_t lowest = 0, highest = 0, divisor = 0;
    for (int64_t p = 0; p < count(shape); ++p) {
      const Dims at = unravel(p, shape);
      const int64_t bytes = offset_of(at, strides);
      lowest = std::min(lowest, bytes);
      highest = std::max(highest, bytes);
      divisor = std::gcd(divisor, bytes);
      REQUIRE(offset_of(at, span(plan.units)) * plan.scale == bytes);
    }
    REQUIRE(plan.bias == lowest);
    REQUIRE(plan.scale == std::max<int64_t>(divisor, 1));
    REQUIRE(plan.span == static_cast<uint64_t>((highest - lowest) / plan.scale) + 1);
  }
}

TEST_CASE("the stride of a dimension of size 1 means nothing") {
  const Plan plan = plan_of({1, 3}, {INT64_MIN, 8});
  CHECK(equal(plan.units, {0, 1}));
  CHECK(plan.scale == 8);
  CHECK(plan.bias == 0);
  CHECK(plan.span == 3);
}

TEST_CASE("offsets into a table of one slice count slices") {
  const auto check = [](const Shape& table, const Shape& indices, const Shape& rows,
                        int64_t scale) {
    const Plan plan = scatter(table, indices, rows).plan();
    CHECK(plan.scale == scale);
    CHECK(plan.span == 1);
    CHECK(plan.bias == 0);
  };
  check({1}, {7, 1}, {7}, 4);
  check({1, 1}, {7, 2}, {7}, 4);
  check({1, 3, 5}, {7, 1}, {7, 3, 5}, 60);
  check({3, 5}, {7, 0}, {7, 3, 5}, 60);
  check({1, 0}, {7, 1}, {7, 0}, 1);
  check({0, 3}, {7, 1}, {7, 3}, 1);
}

TEST_CASE("slices of a table without elements are numbered") {
  const Plan plan = gather({3, 4, 0}, {2, 2}, {2, 0}).plan();
  CHECK(equal(plan.units, {4, 1}));
  CHECK(plan.span == 12);
  CHECK(plan.slice.bytes == 0);
  CHECK(gather({0, 4}, {2, 2}, {2}).plan().span == 4);
}

TEST_CASE("an empty table of more slices than can be numbered is refused") {
  constexpr int64_t kMany = int64_t{1} << 40;
  const auto refused = [](const Problem& p) {
    const std::string message = error_of(ErrorKind::kValue, [&] { p.plan(); });
    CHECK(message.find("too big") != std::string::npos);
  };
  refused(scatter({kMany, kMany, 0}, {1, 2}, {1, 0}));
  refused(gather({0, kMany, kMany}, {1, 3}, {1}));
}

TEST_CASE("a table of 0-strides may have more elements than can be counted") {
  constexpr int64_t kMany = int64_t{1} << 40;
  CHECK(plan_of({kMany, kMany}, {0, 0}).span == 1);
}

TEST_CASE("positions along which tuples repeat each other are left out where nothing shows them") {
  constexpr int64_t kMany = int64_t{1} << 30;
  const auto positions = [](Problem p, Duplicates duplicates = Duplicates::kLast) {
    p.options.duplicates = duplicates;
    const Plan plan = p.plan();
    CHECK(plan.tuples == count(span(plan.positions)));
    CHECK(equal(plan.given_positions, Shape(p.indices.shape.begin(), p.indices.shape.end() - 1)));
    return plan.positions;
  };
  const auto view = [](Problem p, const Shape& strides, const Shape& rows = {}) {
    p.indices.strides = strides;
    if (!rows.empty()) p.rows.strides = rows;
    return p;
  };
  constexpr auto kError = Duplicates::kError;
  const Shape outer{kMany, 3, kMany, 1};

  // Slices without bytes: of the duplicates the first two stay, and what tells whether they ascend.
  Problem p = view(scatter({5, 0}, outer, {kMany, 3, kMany, 0}), {0, 8, 0, 0});
  CHECK(equal(positions(p), {1, 3, 1}));
  CHECK(equal(positions(p, kError), {2, 3, 2}));
  p.op = Operator::kGather;
  CHECK(equal(positions(p), {1, 3, 1}));
  p.op = Operator::kIndexPlan;
  CHECK(equal(positions(p), {2, 3, 2}));
  for (const Reduction reduction : {Reduction::kAdd, Reduction::kMin}) {
    p.op = Operator::kScatter;
    p.options.reduction = reduction;
    CHECK(equal(positions(p), {1, 3, 1}));
  }
  // Tuples of no index; batches are never each other's duplicates.
  CHECK(equal(positions(scatter({5, 0}, {4, 5, 6, 0}, {4, 5, 6, 5, 0}), kError), {2, 1, 2}));
  CHECK(equal(positions(scatter({4, 0}, {4, 5, 0}, {4, 5, 0}, 1), kError), {1, 2}));
  CHECK(equal(positions(view(gather({4, 5, 0}, {4, 3, 1}, {4, 3, 0}, 1), {0, 8, 8})), {1, 3}));

  // Slices with bytes: where the rows repeat as the tuples do, and to apply one again is nothing.
  p = view(scatter({5}, {kMany, 3, 1}, {kMany, 3}), {0, 8, 8}, {0, 4});
  for (const Reduction reduction : {Reduction::kNone, Reduction::kMin, Reduction::kMax}) {
    p.options.reduction = reduction;
    CHECK(equal(positions(p), {1, 3}));
  }
  p.options.reduction = Reduction::kNone;
  CHECK(equal(positions(p, kError), {2, 3}));
  for (const Reduction reduction : {Reduction::kAdd, Reduction::kSub, Reduction::kMul}) {
    p.options.reduction = reduction;
    CHECK(equal(positions(p), {kMany, 3}));
  }
  CHECK(equal(positions(view(scatter({5}, {7, 3, 1}, {7, 3}), {0, 8, 8}, {4, 28})), {7, 3}));
  CHECK(equal(positions(view(scatter({7, 5}, {7, 3, 1}, {7, 3}, 1), {0, 8, 8}, {0, 4})), {7, 3}));
  CHECK(equal(positions(view(gather({5}, {7, 3, 1}, {7, 3}), {0, 8, 8})), {7, 3}));
}

TEST_CASE("a position is left out only if it repeats in each of the index tensors") {
  constexpr int64_t kMany = int64_t{1} << 30;
  const Shape table_shape{5, 6, 0}, table_strides{0, 0, 4}, outer{kMany, 3, kMany};
  const Shape rows_shape{kMany, 3, kMany, 0}, rows_strides{0, 0, 0, 4};
  const Shape first{0, 0, 0}, second{0, 8, 0};
  const Tensor components[] = {{nullptr, kLong, outer, first}, {nullptr, kLong, outer, second}};
  const Plan plan = make_plan(Operator::kIndexPlan, {nullptr, kFloat, table_shape, table_strides},
                              Indices(components), {nullptr, kFloat, rows_shape, rows_strides}, {});
  CHECK(equal(plan.positions, {2, 3, 2}));
  for (const Plan& component : plan.components) {
    CHECK(component.tuples == 12);
    CHECK(equal(component.positions, {2, 3, 2}));
  }
}

TEST_CASE("errors tell positions among those that were given") {
  Plan plan;
  plan.positions = Dims(Shape{2, 3, 1, 2});
  plan.given_positions = Dims(Shape{100, 3, 10, 7});
  plan.dims.push_back(4);
  plan.index_type = kLong;
  // Position (1, 2, 0, 1).
  constexpr int64_t kGiven = ((1 * 3 + 2) * 10 + 0) * 7 + 1;
  try {
    throw_bad_tuple(plan, {11, 0, 9});
  } catch (const BadTupleError& error) {
    CHECK(error.bad().position == kGiven);
    CHECK(std::string(error.what()).find("indices[1, 2, 0, 1, 0]") != std::string::npos);
  }
  try {
    throw_duplicate(plan, 0, 11);
  } catch (const DuplicateError& error) {
    CHECK(error.first() == 0);
    CHECK(error.second() == kGiven);
  }
}

TEST_CASE("offsets take 64 bits from 2**32 - 1 slices or tuples on") {
  CHECK_FALSE(plan_of({2, 2}, {kBillions - 4, 1}).wide);
  CHECK(plan_of({2, 2}, {kBillions - 3, 1}).wide);
  CHECK(plan_of({kBillions - 2}, {1}).span == kBillions - 2);
  CHECK_FALSE(plan_of({kBillions - 2}, {1}).wide);
  CHECK(plan_of({kBillions - 1}, {1}).wide);
  CHECK_FALSE(plan_of({kBillions - 2}, {8}).wide);
  const auto tuples = [](int64_t n) {
    Problem p = gather({1}, {n, 1}, {n});
    p.indices.strides = Shape{0, 8};
    return p.plan().wide;
  };
  CHECK_FALSE(tuples(kBillions - 2));
  CHECK(tuples(kBillions - 1));
}

TEST_CASE("batches, tuples, rows and slices each have their numbers") {
  // float32 input (2, 3, 4, 5) with one batch dimension, tuples of 1, slices of (4, 5).
  Problem p = scatter({2, 3, 4, 5}, {2, 7, 1}, {2, 7, 4, 5}, 1);
  p.options.mode = Mode::kClip;
  p.options.reduction = Reduction::kMax;
  const Plan plan = p.plan();
  CHECK(plan.op == Operator::kScatter);
  CHECK(plan.mode == Mode::kClip);
  CHECK(plan.reduction == Reduction::kMax);
  CHECK(plan.duplicates == Duplicates::kLast);
  CHECK(plan.dtype == kFloat);
  CHECK(plan.index_type == kLong);
  CHECK(plan.tuples == 14);
  CHECK(equal(plan.positions, {2, 7}));
  CHECK(plan.batch_dims == 1);
  CHECK(plan.depth == 1);
  CHECK(equal(plan.dims, {3}));
  CHECK(plan.scale == 80);  // bytes a slice
  CHECK(equal(plan.units, {3, 1}));
  CHECK(plan.span == 6);
  CHECK(equal(plan.batch_walk.size, {2, 7}));
  CHECK(equal(plan.batch_walk.stride, {3, 0}));
  CHECK(equal(plan.index_walk.size, {14}));
  CHECK(equal(plan.index_walk.stride, {8}));
  CHECK(plan.component_stride == 8);
  CHECK(equal(plan.row_walk.size, {14}));
  CHECK(equal(plan.row_walk.stride, {80}));
  CHECK(plan.slice.bytes == 80);
  CHECK(plan.slice.chunk == 80);
  CHECK(plan.slice.size.empty());
}

TEST_CASE("no tuples, no plan") {
  CHECK(gather({4}, {0, 1}, {0}).plan().tuples == 0);
  CHECK(scatter({0, 3}, {0, 2}, {0}).plan().tuples == 0);
  CHECK(gather({0, 4}, {0, 5, 1}, {0, 5}, 1).plan().tuples == 0);
}

TEST_CASE("rows_shape is batch + outer + slice") {
  const auto shape = [](const Shape& input, const Shape& indices, int64_t batch_dims) {
    return rows_shape(Operator::kGather, input, {nullptr, kLong, indices, indices}, batch_dims);
  };
  CHECK(equal(shape({4, 5, 6}, {7, 2}, 0), {7, 6}));
  CHECK(equal(shape({4, 5, 6}, {4, 7, 1}, 1), {4, 7, 6}));
  CHECK(equal(shape({4, 5, 6}, {4, 5, 0}, 2), {4, 5, 6}));
  CHECK(equal(shape({4}, {1}, 0), {}));
  CHECK(equal(shape({}, {3, 0}, 0), {3}));
  CHECK(equal(shape({0, 2}, {3, 1}, 0), {3, 2}));
}

TEST_CASE("the errors of index values name position, axis, value and size") {
  Problem p = gather({2, 3, 4}, {2, 5, 1}, {2, 5, 4}, 1);
  CHECK(error_of(ErrorKind::kIndex, [&] { throw_bad_tuple(p.plan(), {7, 0, -4}); }) ==
        "gather_nd: index -4 at indices[1, 2, 0] is out of range for axis 1 of size 3");
  p.indices.dtype.kind = Kind::kUInt64;
  CHECK(error_of(ErrorKind::kIndex, [&] { throw_bad_tuple(p.plan(), {0, 0, -1}); }) ==
        "gather_nd: index 18446744073709551615 at indices[0, 0, 0] is out of range for axis 1 of "
        "size 3");
  const Problem one = scatter({2, 3}, {2}, {});
  CHECK(error_of(ErrorKind::kIndex, [&] { throw_bad_tuple(one.plan(), {0, 1, 3}); }) ==
        "scatter_nd: index 3 at indices[1] is out of range for axis 1 of size 3");
  CHECK(error_of(ErrorKind::kValue, [&] { throw_duplicate(p.plan(), 2, 9); }) ==
        "gather_nd: indices[0, 2] and indices[1, 4] address the same slice (duplicates=\"error\")");
}

}  // namespace gathernd::test

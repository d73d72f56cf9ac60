// Makes plans of any shapes and strides, without memory. The numbers of accepted plans are checked
// in 128 bits.
#include <algorithm>

#include "core/checked.hpp"
#include "core/layout.hpp"
#include "core/overlap.hpp"
#include "elements.hpp"
#include "fuzz.hpp"
#include "problem.hpp"

namespace gathernd::fuzz {
namespace {

using test::Argument;
using test::Random;
using test::Shape;

int64_t random_size(Random& random) {
  if (!random.one_in(6)) return random(0, 4);
  const int64_t power = int64_t{1} << random(0, 62);
  return std::max<int64_t>(power + random.one_of<int64_t>({-1, 0, 1, power - 1}), 0);
}

int64_t random_stride(Random& random) {
  if (!random.one_in(5)) return random(-20, 20);
  if (random.one_in(3)) return static_cast<int64_t>(random.bits());
  const int64_t power = int64_t{1} << random(0, 62);
  return random.one_of<int64_t>({power, -power, power - 1, -power - 1, INT64_MIN, INT64_MAX});
}

Shape random_shape(Random& random) {
  Shape shape;
  const int64_t most = random.one_in(20) ? kMaxRank + 1 : 5;
  for (int64_t rank = random(0, most); rank > 0; --rank) shape.push_back(random_size(random));
  return shape;
}

DType random_type(Random& random) {
  const Kind kind =
      random.one_in(2) ? Kind::kOther : test::kKinds[random(0, std::ssize(test::kKinds) - 1)];
  const int64_t size = kind == Kind::kOther ? random.one_of<int64_t>({0, 1, 2, 3, 8, 24, INT32_MAX})
                                            : test::size_of(kind);
  return {kind, size, !random.one_in(5)};
}

// Packed half of the time. Random if packed strides do not fit.
void random_strides(Random& random, Argument* x) {
  int64_t size = 0;
  const bool fits = count_elements(x->shape, &size) && checked_mul(size, x->dtype.size, &size);
  if (fits && random.one_in(2)) return;
  x->strides.emplace();
  for (size_t i = 0; i < x->shape.size(); ++i) x->strides->push_back(random_stride(random));
}

test::Problem random_problem(Random& random) {
  test::Problem p;
  p.op = random.one_of({Operator::kGather, Operator::kScatter});
  p.options.batch_dims = random.one_in(8) ? static_cast<int64_t>(random.bits()) : random(0, 2);
  p.options.mode = random.one_of({Mode::kRaise, Mode::kClip, Mode::kWrap,
                                  p.op == Operator::kGather ? Mode::kFill : Mode::kDrop});
  p.table = {random_shape(random), random_type(random), {}};
  p.indices = {random_shape(random), random_type(random), {}};
  if (!random.one_in(8)) p.indices.dtype = test::kLong;
  // Mostly a batch that fits, a tuple that is not too long, and rows of the right shape.
  if (!random.one_in(8)) {
    const auto batch = static_cast<size_t>(std::max<int64_t>(p.options.batch_dims, 0));
    for (size_t i = 0; i < std::min({batch, p.table.shape.size(), p.indices.shape.size()}); ++i) {
      p.indices.shape[i] = p.table.shape[i];
    }
    p.indices.shape.push_back(random(0, 3));
  }
  p.rows = {random_shape(random), p.table.dtype, {}};
  if (!random.one_in(8)) {
    const Shape zeros(p.indices.shape.size());
    error_of([&] {
      const Dims rows =
          rows_shape(p.op, p.table.shape, {nullptr, p.indices.dtype, p.indices.shape, zeros},
                     p.options.batch_dims);
      p.rows.shape.assign(rows.begin(), rows.end());
    });
  }
  for (Argument* x : {&p.table, &p.indices, &p.rows}) random_strides(random, x);
  if (p.op == Operator::kScatter && random.one_in(2)) {
    p.options.reduction = test::kReductions[random(0, std::ssize(test::kReductions) - 1)];
  }
  return p;
}

// The strides of the problem's table; packed if none are given.
Dims table_strides(const test::Problem& p) {
  if (p.table.strides) return Dims(*p.table.strides);
  return c_strides(p.table.shape, p.table.dtype.size);
}

// Checks that the plan gives a random tuple the right offset, and that the offset is below the
// bound.
void check_offset(Random& random, const test::Problem& p, const Plan& plan) {
  const Dims strides = table_strides(p);
  __int128 bytes = 0, units = 0;
  for (int i = 0; i < plan.units.size(); ++i) {
    const int64_t size = p.table.shape[static_cast<size_t>(i)];
    const int64_t at = random.one_of<int64_t>({0, size - 1, random(0, size - 1)});
    bytes += static_cast<__int128>(at) * strides[i];
    units += static_cast<__int128>(at) * plan.units[i];
  }
  check(units * plan.scale == bytes, "a tuple's offset does not match the strides");
  const __int128 offset = (bytes - plan.bias) / plan.scale;
  check(offset >= 0 && offset < static_cast<__int128>(plan.span), "an offset past the span");
}

void check_plan(Random& random, const test::Problem& p) {
  Plan plan;
  if (!error_of([&] { plan = p.plan(); }).empty()) return;
  const bool none = std::ranges::find(plan.positions, 0) != plan.positions.end();
  __int128 tuples = none ? 0 : 1;
  for (const int64_t size : plan.positions) tuples *= size;
  check(tuples == plan.tuples, "a wrong number of tuples");
  const bool empty = std::ranges::find(p.table.shape, 0) != p.table.shape.end();
  if (plan.tuples == 0 || empty || plan.dtype.size == 0) return;
  for (int trial = 0; trial < 4; ++trial) check_offset(random, p, plan);
}

// Checks the extent of a view, and by plain loops whether its elements overlap, if there are not
// too many.
void check_view(const Argument& x) {
  if (x.shape.size() > kMaxRank || !x.strides) return;
  const Tensor view{nullptr, x.dtype, x.shape, *x.strides};
  Extent extent;
  if (!find_extent(view, &extent)) return;
  check(extent.low <= 0 && extent.high >= 0, "an extent without the first element");
  const bool overlaps = overlaps_itself(view);
  int64_t count = 0;
  if (overlaps || !count_elements(x.shape, &count) || count > 500 || x.dtype.size > 24) return;
  std::vector<int64_t> begins;
  for (int64_t e = 0; e < count; ++e) {
    begins.push_back(test::offset_of(test::unravel(e, x.shape), *x.strides));
    check(begins.back() >= extent.low && begins.back() + x.dtype.size <= extent.high,
          "an element outside of the extent");
  }
  std::ranges::sort(begins);
  for (size_t i = 1; i < begins.size(); ++i) {
    check(begins[i] - begins[i - 1] >= x.dtype.size, "an overlap that was not found");
  }
}

}  // namespace
}  // namespace gathernd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gathernd::test::Random random(std::span(data, size));
  const auto problem = gathernd::fuzz::random_problem(random);
  for (const auto* x : {&problem.table, &problem.indices, &problem.rows}) {
    gathernd::fuzz::check_view(*x);
  }
  gathernd::fuzz::check_plan(random, problem);
  return 0;
}

// Arguments that are no tensors, no options, or no memory of the right size, and calls before main:
// what a C++ program can pass, and Python cannot.
#include <functional>
#include <numeric>

#include "gathernd/index_plan.hpp"
#include "gathernd/winners.hpp"
#include "problem.hpp"

namespace gathernd::test {
namespace {

constexpr DType kFloat{Kind::kFloat32, 4};

template <class T>
std::byte* bytes(std::vector<T>& v) {
  return reinterpret_cast<std::byte*>(v.data());
}

// A table, tuples of one index, and their rows, of `n` elements each.
struct Call {
  explicit Call(size_t n) : table(n), tuples(n), rows(n), shape{static_cast<int64_t>(n)} {
    std::iota(table.begin(), table.end(), 0.0f);
    std::iota(tuples.begin(), tuples.end(), 0);
    tuples_shape = {shape[0], 1};
  }

  Tensor input() { return {bytes(table), kFloat, shape, strides}; }
  Tensor indices() { return {bytes(tuples), kLong, tuples_shape, tuples_strides}; }
  Tensor output() { return {bytes(rows), kFloat, shape, strides}; }

  std::vector<float> table;
  std::vector<int64_t> tuples;
  std::vector<float> rows;
  Shape shape, strides{4}, tuples_shape, tuples_strides{8, 8};
};

// With a plan, with few tuples, and by a prepared plan.
void both_refuse(const std::function<void(Call&, Tensor&, Tensor&, Tensor&)>& spoil) {
  for (const size_t n : {size_t{10}, size_t{100'000}}) {
    CAPTURE(n);
    Call call(n);
    Tensor input = call.input(), indices = call.indices(), output = call.output();
    spoil(call, input, indices, output);
    CHECK_THROWS_AS(gather_nd(input, indices, output), Error);
    CHECK_THROWS_AS(gather_nd(input, indices, output, {.fresh_output = true}), Error);
    for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd, Reduction::kMax}) {
      const ScatterOptions options{.reduction = reduction};
      CHECK_THROWS_AS(scatter_nd(input, indices, output, input, options), Error);
    }
    std::vector<int64_t> winners(n, 7);
    CHECK_THROWS_AS(find_winners(input, indices, output, winners.data(), {}), Error);
    CHECK(winners == std::vector<int64_t>(n, 7));
  }
}

// Objects of the library may be made after this one.
const float before_main = [] {
  Call call(100'000);
  gather_nd(call.input(), call.indices(), call.output());
  return call.rows.back();
}();

}  // namespace

TEST_CASE("calls before main") { CHECK(before_main == 99'999); }

TEST_CASE("strides that are not as many as dimensions") {
  for (const size_t count : {size_t{0}, size_t{3}, size_t{100}}) {
    CAPTURE(count);
    const Shape strides(count, 4);
    both_refuse([&](Call&, Tensor& input, Tensor&, Tensor&) { input.strides = strides; });
    both_refuse([&](Call&, Tensor&, Tensor& indices, Tensor&) { indices.strides = strides; });
    both_refuse([&](Call&, Tensor&, Tensor&, Tensor& output) { output.strides = strides; });
    Call call(10);
    Tensor input = call.input();
    input.strides = strides;
    CHECK_THROWS_AS(result_strides(input, 1, call.output()), Error);
    const IndexPlan plan(call.shape, call.indices());
    CHECK_THROWS_AS(plan.result_strides(input, call.output()), Error);
    CHECK_THROWS_AS(plan.gather(input, call.output(), nullptr), Error);
    CHECK_THROWS_AS(plan.scatter(input, call.output(), input), Error);
  }
}

TEST_CASE("element sizes that are not those of the kind") {
  for (const int64_t size : {1, 2, 16, -8}) {
    CAPTURE(size);
    both_refuse([&](Call&, Tensor&, Tensor& indices, Tensor&) { indices.dtype.size = size; });
    both_refuse([&](Call&, Tensor& input, Tensor&, Tensor& output) {
      input.dtype.size = output.dtype.size = size;
    });
  }
  both_refuse([&](Call&, Tensor& input, Tensor&, Tensor& output) {
    input.dtype = output.dtype = {Kind::kOther, -8};
  });
}

TEST_CASE("numbers that are no enumerators") {
  for (const int number : {9, 99, 255}) {
    CAPTURE(number);
    both_refuse([&](Call&, Tensor&, Tensor& indices, Tensor&) {
      indices.dtype.kind = static_cast<Kind>(number == 9 ? 99 : number);
    });
    for (const size_t n : {size_t{10}, size_t{100'000}}) {
      Call call(n);
      const auto mode = static_cast<Mode>(number);
      const Tensor input = call.input(), indices = call.indices(), rows = call.output();
      CHECK_THROWS_AS(gather_nd(input, indices, rows, {.mode = mode}), Error);
      CHECK_THROWS_AS(scatter_nd(input, indices, rows, input, {.mode = mode}), Error);
      const auto reduction = static_cast<Reduction>(number);
      CHECK_THROWS_AS(scatter_nd(input, indices, rows, input, {.reduction = reduction}), Error);
      const auto duplicates = static_cast<Duplicates>(number);
      CHECK_THROWS_AS(scatter_nd(input, indices, rows, input, {.duplicates = duplicates}), Error);
      CHECK_THROWS_AS(IndexPlan(call.shape, indices, 0, mode), Error);
    }
  }
}

TEST_CASE("tuples of more dimensions than there may be") {
  Call call(10);
  std::vector<int64_t> winners(10);
  for (const size_t rank : {size_t{66}, size_t{300}, size_t{3000}}) {
    CAPTURE(rank);
    const Shape ones(rank, 1), strides(rank, 8);
    const Tensor deep{bytes(call.tuples), kLong, ones, strides};
    CHECK_THROWS_AS(find_winners(call.input(), deep, call.output(), winners.data(), {}), Error);
    CHECK_THROWS_AS(plan_winners(call.input(), deep, call.output(), {}), Error);
    CHECK_THROWS_AS(IndexPlan(call.shape, deep), Error);
  }
  CHECK_THROWS_AS(Dims(Shape(65, 1)), Error);
}

TEST_CASE("winners stay as they are after an error") {
  Call call(10);
  call.tuples.back() = 10;
  std::vector<int64_t> winners(10, 7);
  CHECK_THROWS_AS(find_winners(call.input(), call.indices(), call.output(), winners.data(), {}),
                  Error);
  CHECK(winners == std::vector<int64_t>(10, 7));
}

TEST_CASE("indices of a plan are restored into as many numbers") {
  Call call(1000);
  const IndexPlan plan(call.shape, call.indices());
  std::vector<int64_t> indices(1000);
  plan.restore_indices(indices);
  CHECK(indices == call.tuples);
  const Shape no_indices{3, 0}, strides{8, 8};
  const IndexPlan whole(call.shape, Tensor{nullptr, kLong, no_indices, strides});
  for (const size_t count : {size_t{0}, size_t{1}, size_t{999}, size_t{1001}, size_t{2000}}) {
    std::vector<int64_t> other(count);
    CHECK_THROWS_AS(plan.restore_indices(other), Error);
    if (count > 0) CHECK_THROWS_AS(whole.restore_indices(other), Error);
  }
}

}  // namespace gathernd::test

// find_winners on random calls: against a scatter of the updates' positions, and on every target
// and number of threads alike.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/layout.hpp"
#include "gathernd/winners.hpp"
#include "oracle.hpp"

namespace gathernd::test {
namespace {

constexpr int kAllCalls = 300, kCalls = trials(kAllCalls);
constexpr DType kPosition{Kind::kInt64, sizeof(int64_t)};

using Winners = std::vector<int64_t>;

// The same on every target and number of threads.
Winners winners_of(const Call& call, const Tensor& result) {
  ScatterOptions options;
  options.batch_dims = call.options.batch_dims;
  options.mode = call.options.mode;
  options.reduction = call.options.reduction;
  options.duplicates = call.options.duplicates;
  options.wrap_negative_indices = call.options.wrap_negative_indices;
  Winners first;
  for (std::string_view target : cpu_targets()) {
    for (const int threads : {1, 2, 7}) {
      const Configured configured(target, threads, 1);
      Winners found(static_cast<size_t>(count(result.shape)));
      find_winners(result, call.indices.tensor(), call.updates.tensor(), found.data(), options);
      if (first.empty()) first = found;
      REQUIRE(found == first);
    }
  }
  return first;
}

// Calls f(position) for each element of an array, which becomes what it returns.
template <class F>
void set_elements(const Array& array, F f) {
  for (int64_t e = 0; e < array.elements(); ++e) {
    const int64_t value = f(e);
    std::memcpy(array.at(e), &value, sizeof value);
  }
}

// The elements of a slice.
int64_t slice_of(const Call& call) {
  const auto outer = static_cast<size_t>(call.indices.shape.size()) - 1;
  return count(span(call.updates.shape).subspan(outer));
}

}  // namespace

TEST_CASE("winners of sets are what a scatter of positions leaves") {
  Random random(71);
  for (int trial = 0; trial < kCalls; ++trial) {
    INFO("trial ", trial);
    Call call = random_call(random, Operator::kScatter);
    call.options.reduction = Reduction::kNone;
    Call positions = call;
    positions.input = layout(random, call.input.shape, kPosition, false);
    positions.updates = layout(random, call.updates.shape, kPosition, false);
    positions.output = positions.input;
    place(random, {&positions.input});
    place(random, {&positions.updates});
    const int64_t slice = slice_of(call);
    set_elements(positions.input, [](int64_t) { return -1; });
    set_elements(positions.updates, [=](int64_t e) { return e / slice; });
    positions.output = positions.input;
    const Answer expected = answer(positions);
    if (!expected.error.empty()) {
      CHECK_THROWS_AS(winners_of(call, call.input.tensor()), Error);
      continue;
    }
    const Winners found = winners_of(call, call.input.tensor());
    REQUIRE(found.size() * sizeof(int64_t) == expected.elements.size());
    if (found.empty()) continue;
    if (call.input.dtype.size == 0) continue;  // what has no bytes stays, whatever comes
    REQUIRE(std::memcmp(found.data(), expected.elements.data(), expected.elements.size()) == 0);
  }
}

TEST_CASE("winners of min and max have the result's value") {
  Random random(72);
  int compared = 0;
  for (int trial = 0; trial < kAllCalls; ++trial) {
    INFO("trial ", trial);
    const Call call = random_call(random, Operator::kScatter);
    const Reduction reduction = call.options.reduction;
    if (reduction != Reduction::kMin && reduction != Reduction::kMax) continue;
    Answer result = answer(call);
    if (!result.error.empty()) continue;
    const int64_t size = call.input.dtype.size, slice = slice_of(call);
    const Dims strides = c_strides(span(call.input.shape), size);
    const Winners found = winners_of(
        call, {result.elements.data(), call.input.dtype, span(call.input.shape), span(strides)});
    if (call.input.dtype.kind > Kind::kUInt64 || call.input.dtype.kind == Kind::kBool) continue;
    for (int64_t e = 0; e < count(span(call.input.shape)); ++e) {
      const int64_t winner = found[static_cast<size_t>(e)];
      if (winner < 0) continue;
      const std::byte* const update = call.updates.at(winner * slice + e % slice);
      REQUIRE(std::memcmp(update, result.elements.data() + e * size, static_cast<size_t>(size)) ==
              0);
      ++compared;
    }
  }
  CHECK(compared > 100);
}

}  // namespace gathernd::test

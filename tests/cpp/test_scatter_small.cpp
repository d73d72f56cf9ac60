// Many tuples into a small table, where every thread has a table of its own: integers, gaps in the
// table, rows, and tuples that are out of range.
#include <algorithm>

#include "elements.hpp"
#include "oracle.hpp"
#include "reference.hpp"

namespace gathernd::test {
namespace {

constexpr int64_t kTuples = 300;
constexpr int kThreads[] = {1, 2, 3, 7};

Array make_array(Random& random, DType dtype, const Dims& shape, const Dims& strides) {
  Array array{dtype, shape, strides, nullptr, nullptr};
  place(random, {&array});
  return array;
}

Dims dims(std::vector<int64_t> values) { return Dims(values); }

// Tuples of two into 2 x 4 of a table of 3 x 4 rows, of which `gap` bytes lie between the outer
// ones.
Call make_call(Random& random, DType dtype, int64_t length, int64_t gap) {
  const int64_t size = dtype.size, row = length * size;
  Call call;
  call.op = Operator::kScatter;
  call.input = make_array(random, dtype, dims({3, 4, length}), dims({4 * row + gap, row, size}));
  call.output = call.input;
  call.indices = make_array(random, {Kind::kInt64, 8}, dims({kTuples, 2}), dims({16, 8}));
  call.updates = make_array(random, dtype, dims({kTuples, length}), dims({row, size}));
  for (int64_t p = 0; p < call.indices.elements(); ++p) {
    store_index(call.indices.at(p), call.indices.dtype, random(0, p % 2 == 0 ? 1 : 3));
  }
  return call;
}

// On every target and number of threads; all memory of the table is looked at.
void check(const Call& call) {
  const Answer expected = answer(call);
  GuardedBuffer& memory = *call.output.memory;
  const std::vector<std::byte> before = memory.bytes();
  const auto size = static_cast<size_t>(call.output.dtype.size);
  std::vector<std::byte> after = before;
  for (int64_t p = 0; expected.error.empty() && p < call.output.elements(); ++p) {
    const auto at = call.output.at(p) - memory.data();
    std::memcpy(after.data() + at, &expected.elements[static_cast<size_t>(p) * size], size);
  }
  const PlanOptions& o = call.options;
  for (std::string_view target : cpu_targets()) {
    for (const int threads : kThreads) {
      const Configured configured(target, threads, 1);
      std::ranges::copy(before, memory.data());
      std::string error;
      try {
        scatter_nd(call.input.tensor(), call.indices.tensor(), call.updates.tensor(),
                   call.output.tensor(), {o.batch_dims, o.mode, o.reduction, o.duplicates});
      } catch (const Error& caught) {
        error = caught.what();
      }
      REQUIRE(error == expected.error);
      REQUIRE(memory.bytes() == after);
      REQUIRE(memory.guards_intact());
    }
  }
  std::ranges::copy(before, memory.data());
}

}  // namespace

TEST_CASE("integers of every kind, reduced in every way into twelve elements") {
  Random random(71);
  for (const Kind kind : kKinds) {
    if (kind < Kind::kInt8 || kind > Kind::kUInt64) continue;
    for (const Reduction reduction : kReductions) {
      for (const int64_t gap : {0, 24}) {
        Call call = make_call(random, {kind, size_of(kind)}, 1, gap);
        call.options.reduction = reduction;
        INFO("reduction ", name(reduction), " size ", size_of(kind), " gap ", gap);
        check(call);
      }
    }
  }
}

TEST_CASE("the last or the first of many rows") {
  Random random(72);
  for (const int64_t length : {1, 3, 16, 40}) {
    for (const Duplicates duplicates : {Duplicates::kLast, Duplicates::kFirst}) {
      Call call = make_call(random, {Kind::kFloat32, 4}, length, 8);
      call.options.duplicates = duplicates;
      check(call);
      // Fewer slices than there are.
      for (int64_t t = 0; t < kTuples; ++t) {
        store_index(call.indices.at(2 * t), call.indices.dtype, 1);
      }
      check(call);
    }
  }
}

TEST_CASE(
    "nothing is written where one of many tuples is out of range; dropped ones are left out") {
  Random random(73);
  for (const Reduction reduction : {Reduction::kNone, Reduction::kMax}) {
    Call call = make_call(random, {Kind::kInt32, 4}, 1, 0);
    call.options.reduction = reduction;
    for (const int64_t bad : {int64_t{299}, int64_t{150}, int64_t{7}}) {
      store_index(call.indices.at(2 * bad), call.indices.dtype, 3);
      call.options.mode = Mode::kRaise;
      check(call);
      call.options.mode = Mode::kDrop;
      check(call);
    }
  }
}

}  // namespace gathernd::test

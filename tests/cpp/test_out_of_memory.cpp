// Memory that runs out at any place in a call: after the exception the output is as it was.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/reductions.hpp"
#include "gathernd/gathernd.hpp"
#include "gathernd/index_plan.hpp"
#include "support.hpp"

namespace {

// Allocations, of any thread, until they fail.
constexpr int64_t kNever = INT64_MAX;
std::atomic<int64_t> until_failure = kNever;

// Larger allocations fail; and how many did.
std::atomic<size_t> most_bytes = SIZE_MAX;
std::atomic<int64_t> refused = 0;

void* take(size_t size) {
  if (until_failure != kNever && until_failure-- <= 0) throw std::bad_alloc();
  if (size > most_bytes) {
    ++refused;
    throw std::bad_alloc();
  }
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t size) { return take(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

// What malloc gave stands before the aligned memory.
void* operator new(size_t size, std::align_val_t alignment) {
  const auto step = std::max(static_cast<size_t>(alignment), sizeof(void*));
  void* const memory = take(size + step + sizeof(void*));
  const auto after = reinterpret_cast<uintptr_t>(memory) + sizeof(void*);
  auto* const aligned = reinterpret_cast<void**>((after + step - 1) / step * step);
  aligned[-1] = memory;
  return aligned;
}
void operator delete(void* memory, std::align_val_t) noexcept {
  if (memory != nullptr) std::free(static_cast<void**>(memory)[-1]);
}
void operator delete(void* memory, size_t, std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}

namespace gathernd::test {
namespace {

constexpr int64_t kRows = 1000, kTuples = 5000;
constexpr int64_t kTupleShape[] = {kTuples, 1}, kTupleStrides[] = {8, 8};

struct Call {
  DType dtype;
  int64_t length;  // elements of a row
  Reduction reduction;
  Duplicates duplicates;
  int threads;
  bool by_plan;
  bool in_place;
};

// Whether the call threw where its allocations from number `failing` on failed.
bool fails(const Call& call, int64_t failing) {
  const int64_t size = call.dtype.size, row = size * call.length;
  const auto some = [=](int64_t rows, int value) {
    return std::vector<std::byte>(static_cast<size_t>(rows * row), static_cast<std::byte>(value));
  };
  std::vector<std::byte> input = some(kRows, 1), output = some(kRows, 7),
                         updates = some(kTuples, 2);
  std::vector<int64_t> indices;
  for (int64_t t = 0; t < kTuples; ++t) indices.push_back(t * 7919 % kRows);
  const int64_t shape[] = {kRows, call.length}, rows_shape[] = {kTuples, call.length};
  const int64_t strides[] = {row, size};
  const Tensor to{output.data(), call.dtype, shape, strides};
  const Tensor from = call.in_place ? to : Tensor{input.data(), call.dtype, shape, strides};
  const Tensor rows{updates.data(), call.dtype, rows_shape, strides};
  const Tensor tuples{
      reinterpret_cast<std::byte*>(indices.data()), {Kind::kInt64, 8}, kTupleShape, kTupleStrides};
  const IndexPlan plan(shape, tuples);
  until_failure = failing;
  try {
    if (call.by_plan) {
      plan.scatter(from, rows, to, call.reduction, call.duplicates);
    } else {
      ScatterOptions options;
      options.reduction = call.reduction;
      options.duplicates = call.duplicates;
      scatter_nd(from, tuples, rows, to, options);
    }
  } catch (const std::bad_alloc&) {
    until_failure = kNever;
    CHECK(output == some(kRows, 7));
    return true;
  }
  until_failure = kNever;
  return false;
}

// Scatters doubles of 50 x 100 tuples, whose updates lie as `strides` say, into 5 rows, where no
// allocation may take as much as all updates do. Returns how many were refused. Checks the result.
int64_t count_refused(int64_t length, const std::array<int64_t, 3>& strides, Reduction reduction,
                      bool by_plan) {
  constexpr DType kDouble{Kind::kFloat64, 8};
  constexpr int64_t kSlices = 5, kOuter = 50, kInner = 100;
  const int64_t row = 8 * length;
  std::vector<double> given(static_cast<size_t>(kOuter * kInner * length)), packed;
  std::iota(given.begin(), given.end(), 1.0);
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < kOuter; ++i) {
    for (int64_t j = 0; j < kInner; ++j) {
      indices.push_back((i + j * j) % kSlices);
      for (int64_t k = 0; k < length; ++k) {
        const int64_t at = (i * strides[0] + j * strides[1] + k * strides[2]) / 8;
        packed.push_back(given[static_cast<size_t>(at)]);
      }
    }
  }
  const int64_t shape[] = {kSlices, length}, table_strides[] = {row, 8};
  const int64_t rows_shape[] = {kOuter, kInner, length}, packed_strides[] = {kInner * row, row, 8};
  const int64_t tuple_shape[] = {kOuter, kInner, 1}, tuple_strides[] = {kInner * 8, 8, 8};
  const Tensor tuples{
      reinterpret_cast<std::byte*>(indices.data()), {Kind::kInt64, 8}, tuple_shape, tuple_strides};
  const auto scattered = [&](std::vector<double>& updates, std::span<const int64_t> lie) {
    std::vector<double> table(static_cast<size_t>(kSlices * length));
    const Tensor to{reinterpret_cast<std::byte*>(table.data()), kDouble, shape, table_strides};
    const Tensor rows{reinterpret_cast<std::byte*>(updates.data()), kDouble, rows_shape, lie};
    if (by_plan) {
      IndexPlan(shape, tuples).scatter(to, rows, to, reduction);
    } else {
      scatter_nd(to, tuples, rows, to, {.reduction = reduction});
    }
    return table;
  };
  const std::vector<double> expected = scattered(packed, packed_strides);
  release_memory();
  most_bytes = packed.size() * sizeof(double) - 1;
  refused = 0;
  const std::vector<double> result = scattered(given, strides);
  most_bytes = SIZE_MAX;
  CHECK(result == expected);
  return refused;
}

}  // namespace

TEST_CASE("updates are copied if all are read, there is memory, and the copy is no larger") {
  const Configured configured(targets().front().name, 1, 1);
  for (const bool by_plan : {false, true}) {
    INFO("by plan: ", by_plan);
    CHECK(count_refused(8, {64, 3200, 8}, Reduction::kAdd, by_plan) > 0);
    CHECK(count_refused(8, {64, 3200, 8}, Reduction::kNone, by_plan) == 0);  // few are read
    CHECK(count_refused(8, {64, 64, 8}, Reduction::kAdd, by_plan) == 0);     // they overlap
  }
}

TEST_CASE("scatter changes nothing where memory runs out") {
  constexpr DType kFloat{Kind::kFloat32, 4}, kInt{Kind::kInt32, 4}, kHalf{Kind::kFloat16, 2};
  const std::vector<ByteRun> fields{{0, 2}, {4, 2}};
  const DType record{Kind::kStructured, 8, true, nullptr, &fields};
  std::vector<Call> calls;
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd, Reduction::kMax}) {
    for (const Duplicates duplicates : {Duplicates::kLast, Duplicates::kFirst}) {
      if (duplicates == Duplicates::kFirst && reduction != Reduction::kNone) continue;
      for (const auto& [dtype, length] :
           {std::pair{kFloat, 1}, {kFloat, 3}, {kInt, 1}, {kHalf, 1}, {record, 1}}) {
        if (!is_reducible(dtype.kind, reduction)) continue;
        for (const int threads : {1, 3, 8}) {
          for (const int how : {0, 1, 2, 3}) {
            calls.push_back(
                {dtype, length, reduction, duplicates, threads, how / 2 == 1, how % 2 == 1});
          }
        }
      }
    }
  }
  for (const Call& call : calls) {
    const Configured configured(targets().front().name, call.threads, 1);
    INFO(std::string(name(call.dtype.kind)), " ", std::string(name(call.reduction)), " ",
         call.threads, " threads, by plan: ", call.by_plan, ", in place: ", call.in_place);
    int64_t failing = 0;
    while (fails(call, failing)) ++failing;
    CHECK(failing > (call.by_plan && call.threads == 1 ? -1 : 0));
    CHECK(failing < 100);
  }
}

}  // namespace gathernd::test

// Memory that runs out at any place in a call: after the exception the output is as it was.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/reductions.hpp"
#include "gathernd/index_plan.hpp"
#include "support.hpp"

namespace {

// Allocations, of any thread, until they fail.
constexpr int64_t kNever = INT64_MAX;
std::atomic<int64_t> until_failure = kNever;

void* take(size_t size) {
  if (until_failure != kNever && until_failure-- <= 0) throw std::bad_alloc();
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

}  // namespace

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

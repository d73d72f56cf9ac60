// Kernel times of the two operators on a D3D12 device: many calls in one submission, less one call
// in one submission, so that what is left is the device's own time. Prints one JSON object a line.
//
//   gpu_kernels [DEVICE INDEX]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "d3d12/adapters.hpp"
#include "d3d12/kernels.hpp"
#include "d3d12/operators.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12 {
namespace {

using Shape = std::vector<int64_t>;

struct Packed {
  Packed(DType dtype_, Shape shape_) : dtype(dtype_), shape(std::move(shape_)) {
    strides.resize(shape.size());
    int64_t stride = dtype.size;
    for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) strides[d] = stride;
    bytes = static_cast<uint64_t>(stride);
  }
  Tensor tensor() const { return {nullptr, dtype, shape, strides}; }

  DType dtype;
  Shape shape, strides;
  uint64_t bytes;
};

struct Work {
  std::string name;
  Shape table;
  int64_t tuples;
  DType dtype{Kind::kFloat32, 4};
  DType index_type{Kind::kInt32, 4};
  int depth = 1;
  int64_t hot = 0;  // all tuples address this many rows; 0: any row
  Operator op = Operator::kGather;
  PlanOptions options = {};
};

template <class I>
std::vector<I> random_indices(const Work& work) {
  std::mt19937 random(7);
  std::vector<I> indices;
  for (int64_t t = 0; t < work.tuples; ++t) {
    for (int k = 0; k < work.depth; ++k) {
      const int64_t size = work.hot > 0 ? work.hot : work.table[static_cast<size_t>(k)];
      indices.push_back(static_cast<I>(static_cast<int64_t>(random()) % size));
    }
  }
  return indices;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

constexpr int kCalls = 25;  // of small ones: fewer groups than a command list may have
constexpr int kLargeCalls = 5;
constexpr double kLarge = 3e-4;  // seconds

// Milliseconds a call.
double measure(Gpu& gpu, Memory& memory, const Work& work) {
  const Packed table(work.dtype, work.table);
  const Packed indices(work.index_type, {work.tuples, work.depth});
  Shape rows_shape = {work.tuples};
  rows_shape.insert(rows_shape.end(), work.table.begin() + work.depth, work.table.end());
  const Packed rows(work.dtype, rows_shape);
  const Plan plan =
      make_plan(work.op, table.tensor(), indices.tensor(), rows.tensor(), work.options);
  const Operands operands = {gpu.allocate(Heap::kDevice, table.bytes),
                             gpu.allocate(Heap::kDevice, indices.bytes),
                             gpu.allocate(Heap::kDevice, rows.bytes)};
  if (work.index_type.size == 8) {
    memory.upload(*operands.indices, random_indices<int64_t>(work).data(), indices.bytes);
  } else {
    memory.upload(*operands.indices, random_indices<int32_t>(work).data(), indices.bytes);
  }
  memory.finish();
  bool large = false;
  const auto submit = [&](int calls) {
    std::vector<std::unique_ptr<Resolver>> running;
    auto start = Clock::now();
    for (int i = 0; i < calls; ++i) {
      running.emplace_back(new Resolver(work.op == Operator::kGather
                                            ? gather(gpu, memory, plan, operands, nullptr)
                                            : scatter(gpu, memory, plan, operands)));
    }
    if (!large) start = Clock::now();
    gpu.finish();
    const double result = seconds_since(start);
    memory.forget();
    // Every index is good.
    for (const auto& resolver : running) {
      resolver->check(std::vector<uint32_t>(resolver->status_words(), kNone).data());
    }
    return result;
  };
  // Large ones begin before all is recorded, and what recording takes does not matter.
  large = true;
  submit(1);
  large = submit(1) > kLarge;
  const int calls = large ? kLargeCalls : kCalls;
  // The clock rises only under load.
  const auto start = Clock::now();
  while (seconds_since(start) < 0.1) submit(calls);
  std::vector<double> times;
  for (int round = 0; round < 9; ++round) {
    const double many = submit(calls), one = submit(1);
    times.push_back((many - one) / (calls - 1));
  }
  return median(times) * 1e3;
}

std::vector<Work> works() {
  constexpr int64_t kMillion = int64_t{1} << 20;
  std::vector<Work> result;
  for (int64_t row : {1, 4, 16, 64, 256}) {
    const std::string floats = " of " + std::to_string(row);
    const Shape table = {kMillion, row};
    result.push_back({.name = "gather rows" + floats, .table = table, .tuples = kMillion});
    Work set = {
        .name = "set rows" + floats, .table = table, .tuples = kMillion, .op = Operator::kScatter};
    result.push_back(set);
    Work add = set;
    add.name = "add rows" + floats;
    add.options.reduction = Reduction::kAdd;
    result.push_back(add);
    set.hot = add.hot = 64;
    set.name = "set 64 hot rows" + floats;
    add.name = "add 64 hot rows" + floats;
    if (row <= 64) result.insert(result.end(), {set, add});
  }
  result.push_back({.name = "gather rows of 16, int64",
                    .table = {kMillion, 16},
                    .tuples = kMillion,
                    .index_type = {Kind::kInt64, 8}});
  result.push_back({.name = "gather 2-tuples into 4096 x 4096",
                    .table = {4096, 4096},
                    .tuples = 4 * kMillion,
                    .depth = 2});
  result.push_back({.name = "gather RGB bytes of 4096 x 4096",
                    .table = {4096, 4096, 3},
                    .tuples = 4 * kMillion,
                    .dtype = {Kind::kUInt8, 1},
                    .depth = 2});
  result.push_back({.name = "gather rows of 64 from 8 GiB",
                    .table = {int64_t{1} << 25, 64},
                    .tuples = kMillion});
  return result;
}

int run_all(int index) {
  limits().run = uint64_t{1} << 26;  // no look between the dispatches of a long run
  const std::unique_ptr<Gpu> gpu = open_adapter(index);
  for (const Work& work : works()) {
    Memory memory(*gpu);
    std::printf("{\"work\": \"%s\", ", work.name.c_str());
    try {
      std::printf("\"ms\": %.4f}\n", measure(*gpu, memory, work));
    } catch (const Error& error) {
      std::printf("\"error\": \"%s\"}\n", error.what());
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace gathernd::d3d12

int main(int count, char** arguments) {
  return gathernd::d3d12::run_all(count > 1 ? std::atoi(arguments[1]) : 0);
}

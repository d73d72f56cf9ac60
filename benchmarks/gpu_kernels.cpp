// Kernel times of the two operators on a D3D12 device: many calls in one submission, less one call
// in one submission, so that what is left is the device's own time. Prints one JSON object a line.
//
//   gpu_kernels [DEVICE INDEX [TEXT IN THE NAME OF THE WORK]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "d3d12/gpu/adapters.hpp"
#include "d3d12/memory/kernels.hpp"
#include "d3d12/operators/kept_tuples.hpp"
#include "d3d12/operators/operators.hpp"
#include "gathernd/error.hpp"
#include "gpu_kernel_works.hpp"

namespace gathernd::d3d12 {
namespace {

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

template <class I>
std::vector<I> random_indices(const Work& work) {
  std::mt19937 random(7);
  std::vector<I> indices;
  for (int64_t t = 0; t < work.tuples; ++t) {
    for (int k = 0; k < work.depth; ++k) {
      const int64_t size = work.hot > 0 ? work.hot : work.table[static_cast<size_t>(k)];
      const int64_t index = work.in_order ? t : static_cast<int64_t>(random());
      indices.push_back(static_cast<I>(index % size));
    }
  }
  return indices;
}

// Numbers of usual size in every type.
void fill(Memory& memory, Buffer& buffer, uint64_t bytes) {
  std::mt19937 random(7);
  std::vector<uint32_t> words(bytes / 4 + 1);
  for (uint32_t& word : words) word = 0x3f803f80 | (static_cast<uint32_t>(random()) & 0x007f007f);
  memory.upload(buffer, words.data(), bytes);
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Few enough to stay in one command list, which takes 2^21 groups.
constexpr int kCalls = 60;
constexpr int kLargeCalls = 5;
constexpr uint64_t kLarge = uint64_t{1} << 27;  // bytes

// Milliseconds a call.
double measure(Gpu& gpu, Memory& memory, const Work& work) {
  const Packed table(work.dtype, work.table);
  const Packed indices(work.index_type, {work.tuples, work.depth});
  Shape rows_shape = {work.tuples};
  rows_shape.insert(rows_shape.end(), work.table.begin() + work.depth, work.table.end());
  const Packed rows(work.dtype, rows_shape);
  Plan plan = make_plan(work.op, table.tensor(), indices.tensor(), rows.tensor(), work.options);
  Operands operands = {gpu.allocate(Heap::kDevice, table.bytes),
                       gpu.allocate(Heap::kDevice, indices.bytes),
                       gpu.allocate(Heap::kDevice, rows.bytes)};
  if (work.index_type.size == 8) {
    memory.upload(*operands.indices, random_indices<int64_t>(work).data(), indices.bytes);
  } else {
    memory.upload(*operands.indices, random_indices<int32_t>(work).data(), indices.bytes);
  }
  if (work.options.reduction != Reduction::kNone) {
    fill(memory, *operands.table, table.bytes);
    fill(memory, *operands.rows, rows.bytes);
  }
  memory.finish();
  if (work.new_array) {
    operands.source = operands.table;
    operands.table = gpu.allocate(Heap::kDevice, table.bytes);
  }
  std::unique_ptr<KeptTuples> prepared;
  if (work.prepared) {
    prepared = std::make_unique<KeptTuples>(gpu, memory, plan, operands);
    plan = prepared->refer(plan);
    operands.indices = prepared->operands().indices;
    operands.prepared = prepared.get();
  }
  const auto call = [&] {
    return work.op == Operator::kGather ? gather(gpu, memory, plan, operands, nullptr)
                                        : scatter(gpu, memory, plan, operands);
  };
  // The first call may change the table. What the second one reports, all later ones do.
  call().read_status();
  const std::vector<uint32_t> reported = call().read_status();
  // A call takes over the words of the one before, as calls do that wait for their end: clean ones
  // as they are.
  const auto submit = [&](int calls) {
    std::optional<Resolver> last;
    for (int i = 0; i < calls; ++i) {
      if (last) last->check(reported.data());
      last.reset();
      last.emplace(call());
    }
    const auto start = Clock::now();
    gpu.finish();
    const double result = seconds_since(start);
    memory.restart();
    last->read_status();
    return result;
  };
  const int calls = rows.bytes > kLarge ? kLargeCalls : kCalls;
  // The clock rises only under load.
  const auto start = Clock::now();
  while (seconds_since(start) < 0.3) submit(calls);
  std::vector<double> times;
  for (int round = 0; round < 9; ++round) {
    const double many = submit(calls), one = submit(1);
    times.push_back((many - one) / (calls - 1));
  }
  return median(times) * 1e3;
}

int run_all(int index, const std::string& only) {
  const std::unique_ptr<Gpu> gpu = open_adapter(index);
  for (const Work& work : works()) {
    if (work.name.find(only) == std::string::npos) continue;
    Memory memory(*gpu);
    std::printf("{\"work\": \"%s\", ", work.name.c_str());
    Tuning known = tuning();
    known.long_rows = static_cast<uint32_t>(work.hot);
    known.submission = 1e12;  // all calls of a measurement are one
    set_tuning(known);
    try {
      if (work.in_order) std::printf("\"bytes\": %d, ", 1 << 30);
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
  return gathernd::d3d12::run_all(count > 1 ? std::atoi(arguments[1]) : 0,
                                  count > 2 ? arguments[2] : "");
}

// Kernel times of the two operators on a D3D12 device: many calls in one submission, less one call
// in one submission, so that what is left is the device's own time. Prints one JSON object a line.
//
//   gpu_kernels [DEVICE INDEX [TEXT IN THE NAME OF THE WORK]]
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
#include "d3d12/prepared.hpp"
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
  int64_t hot = 0;        // all tuples address this many rows; 0: any row
  bool in_order = false;  // the tuples address all rows one after the other
  Operator op = Operator::kGather;
  PlanOptions options = {};
  bool prepared = false;   // by an IndexPlan, which knows the order
  bool new_array = false;  // a scatter into one, of what the table has
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
  const std::vector<uint32_t> words(bytes / 4 + 1, 0x3f9d3f9d);
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
  std::unique_ptr<PreparedTuples> prepared;
  if (work.prepared) {
    prepared = std::make_unique<PreparedTuples>(gpu, memory, plan, operands.indices);
    plan = prepared->refer(plan);
    operands.indices = prepared->operands().indices;
    operands.prepared = prepared.get();
  }
  const auto submit = [&](int calls) {
    std::vector<std::unique_ptr<Resolver>> running;
    for (int i = 0; i < calls; ++i) {
      running.emplace_back(new Resolver(work.op == Operator::kGather
                                            ? gather(gpu, memory, plan, operands, nullptr)
                                            : scatter(gpu, memory, plan, operands)));
    }
    const auto start = Clock::now();
    gpu.finish();
    const double result = seconds_since(start);
    memory.restart();
    for (const auto& resolver : running) resolver->read_status();
    return result;
  };
  const int calls = table.bytes > kLarge ? kLargeCalls : kCalls;
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

constexpr int64_t kMillion = int64_t{1} << 20;

Work gather_of(const std::string& name, int64_t row, DType dtype = {Kind::kFloat32, 4}) {
  return {.name = "gather " + name, .table = {kMillion, row}, .tuples = kMillion, .dtype = dtype};
}

Work scatter_of(const std::string& name, int64_t row, Reduction reduction, int64_t hot = 0,
                DType dtype = {Kind::kFloat32, 4}) {
  return {.name = name,
          .table = {kMillion, row},
          .tuples = kMillion,
          .dtype = dtype,
          .hot = hot,
          .op = Operator::kScatter,
          .options = {.reduction = reduction}};
}

std::vector<Work> works() {
  std::vector<Work> result;
  // Long rows in order: a copy, as fast as a shader copies.
  result.push_back(
      {.name = "copy", .table = {1 << 14, 1 << 14}, .tuples = 1 << 14, .in_order = true});
  for (const int64_t row : {1, 4, 16, 64, 256}) {
    const std::string floats = "rows of " + std::to_string(row);
    result.push_back(gather_of(floats, row));
    for (const auto& [name, reduction] :
         {std::pair{"set ", Reduction::kNone}, std::pair{"add ", Reduction::kAdd}}) {
      result.push_back(scatter_of(name + floats, row, reduction));
      result.push_back(scatter_of(name + floats + ", new array", row, reduction));
      result.back().new_array = true;
    }
    result.push_back(scatter_of("add " + floats + ", plan", row, Reduction::kAdd));
    result.back().prepared = true;
    if (row > 64) continue;
    result.push_back(scatter_of("set 64 hot " + floats, row, Reduction::kNone, 64));
    result.push_back(scatter_of("add 64 hot " + floats, row, Reduction::kAdd, 64));
    if (row != 1 && row != 16) continue;
    result.push_back(scatter_of("add 64 hot " + floats + ", plan", row, Reduction::kAdd, 64));
    result.back().prepared = true;
  }
  const DType half{Kind::kFloat16, 2}, float64{Kind::kFloat64, 8};
  result.push_back(scatter_of("add into one row of 1", 1, Reduction::kAdd, 1));
  result.push_back(scatter_of("add rows of 8", 8, Reduction::kAdd));
  result.push_back(scatter_of("add rows of 16, float16", 16, Reduction::kAdd, 0, half));
  result.push_back(scatter_of("add rows of 16, int32", 16, Reduction::kAdd, 0, {Kind::kInt32, 4}));
  result.push_back(scatter_of("max rows of 16", 16, Reduction::kMax));
  result.push_back(scatter_of("add rows of 8, float64", 8, Reduction::kAdd, 0, float64));
  result.push_back(gather_of("rows of 8, float16", 8, half));
  result.push_back(gather_of("rows of 16, uint8", 16, {Kind::kUInt8, 1}));
  result.push_back(gather_of("rows of 2, float64", 2, float64));
  result.push_back(gather_of("rows of 16, int64", 16));
  result.back().index_type = {Kind::kInt64, 8};
  result.push_back(gather_of("rows of 16, clip", 16));
  result.back().options.mode = Mode::kClip;
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

int run_all(int index, const std::string& only) {
  const std::unique_ptr<Gpu> gpu = open_adapter(index);
  for (const Work& work : works()) {
    if (work.name.find(only) == std::string::npos) continue;
    Memory memory(*gpu);
    std::printf("{\"work\": \"%s\", ", work.name.c_str());
    limits().long_rows = static_cast<uint32_t>(work.hot);
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

#include "cases.hpp"

#include <cstring>
#include <functional>
#include <iostream>
#include <numeric>
#include <stdexcept>

#include "gathernd/error.hpp"
#include "layout.hpp"
#include "oracle.hpp"

namespace gathernd::testing {
namespace {

Shape join(std::initializer_list<Shape> parts) {
  Shape result;
  for (const Shape& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

int64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

void fill_indices(const Case& c, Array* indices) {
  std::mt19937_64 random(c.seed + 1);
  const auto depth = static_cast<int64_t>(c.indexed.size());
  const auto size = static_cast<size_t>(c.index_type.size);
  for (int64_t i = 0; i < indices->elements(); ++i) {
    const int64_t dim = c.indexed[static_cast<size_t>(i % depth)];
    int64_t value = dim == 0 ? 0 : static_cast<int64_t>(random() % static_cast<uint64_t>(dim));
    if (is_signed_index(c.index_type.kind) && random() % 2 == 0) value -= dim;
    if (static_cast<double>(random() % 100000) < c.bad * 100000) {
      const int64_t wild[] = {dim,
                              dim + 1,
                              -dim - 1,
                              INT64_MIN,
                              INT64_MAX,
                              int64_t{1} << 31,
                              int64_t{1} << 32,
                              (int64_t{1} << 32) + 1,
                              int64_t{1} << 62,
                              -1,
                              static_cast<int64_t>(random())};
      value = wild[random() % std::size(wild)];
    }
    std::memcpy(indices->bytes.data() + static_cast<size_t>(i) * size, &value, size);
  }
}

struct FloatFormat {
  size_t size;
  int exponent_bits;
};

FloatFormat float_format(Kind kind) {
  switch (kind) {
    case Kind::kFloat16:
      return {2, 5};
    case Kind::kBFloat16:
      return {2, 8};
    case Kind::kFloat32:
    case Kind::kComplex64:
      return {4, 8};
    case Kind::kFloat64:
    case Kind::kComplex128:
      return {8, 11};
    default:
      return {0, 0};
  }
}

// Gives random bits the exponents that are asked for.
void shape_values(const Case& c, Array* array) {
  const FloatFormat format = float_format(c.dtype.kind);
  if (format.size == 0 || c.values == Values::kAny) return;
  const int mantissa_bits = static_cast<int>(format.size) * 8 - 1 - format.exponent_bits;
  const uint64_t mask = (uint64_t{1} << format.exponent_bits) - 1;
  const uint64_t bias = mask / 2;
  for (size_t at = 0; at < array->bytes.size(); at += format.size) {
    uint64_t bits = 0;
    std::memcpy(&bits, array->bytes.data() + at, format.size);
    const uint64_t random = bits >> mantissa_bits & mask;
    const uint64_t exponent = c.values == Values::kNear ? bias - 2 + random % 4 : random % 3;
    bits = (bits & ~(mask << mantissa_bits)) | exponent << mantissa_bits;
    std::memcpy(array->bytes.data() + at, &bits, format.size);
  }
}

// The one thing that devices may choose: which NaN.
void unify_nans(const Case& c, Bytes* bytes) {
  const FloatFormat format = float_format(c.dtype.kind);
  if (format.size == 0 || c.reduction == Reduction::kNone) return;
  const int mantissa_bits = static_cast<int>(format.size) * 8 - 1 - format.exponent_bits;
  const uint64_t infinity = ((uint64_t{1} << format.exponent_bits) - 1) << mantissa_bits;
  const uint64_t sign = uint64_t{1} << (format.size * 8 - 1);
  for (size_t at = 0; at < bytes->size(); at += format.size) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes->data() + at, format.size);
    if ((bits & ~sign) > infinity) bits = infinity + 1;
    std::memcpy(bytes->data() + at, &bits, format.size);
  }
}

std::string describe(const Case& c) {
  const auto text = [](const Shape& shape) {
    std::string s = "(";
    for (const int64_t n : shape) s += std::to_string(n) + " ";
    return s + ")";
  };
  return "batch " + text(c.batch) + " outer " + text(c.outer) + " indexed " + text(c.indexed) +
         " slice " + text(c.slice) + " dtype " + name(c.dtype.kind) + " of " +
         std::to_string(c.dtype.size) + " indices " + name(c.index_type.kind) + " mode " +
         name(c.mode) + " reduction " + name(c.reduction) + " duplicates " +
         std::to_string(static_cast<int>(c.duplicates)) + " values " +
         std::to_string(static_cast<int>(c.values)) + " seed " + std::to_string(c.seed);
}

template <class F>
Answer answer_of(Array* output, F f) {
  const Bytes before = output->bytes;
  try {
    f();
  } catch (const Error& error) {
    Answer answer{output->bytes, error.what()};
    if (answer.bytes != before) answer.error += " and the output was written";
    return answer;
  }
  return {output->bytes, ""};
}

bool compare(const Case& c, const Answer& expected, const Answer& got) {
  if (expected == got) return true;
  size_t at = 0;
  while (at < got.bytes.size() && expected.bytes[at] == got.bytes[at]) ++at;
  std::cerr << describe(c) << "\n  expected error \"" << expected.error << "\", got \"" << got.error
            << "\"; first difference at byte " << at << " of " << got.bytes.size() << "\n";
  return false;
}

Plan scatter_plan(const Case& c, Arrays& arrays, const Tensor& output) {
  return make_plan(Operator::kScatter, output, arrays.indices.tensor(), arrays.rows.tensor(),
                   {static_cast<int64_t>(c.batch.size()), c.mode, c.reduction, c.duplicates});
}

Answer run_gather(Backend& backend, const Case& c, Arrays& arrays) {
  Array output(c.dtype, arrays.rows.shape);
  return answer_of(&output, [&] {
    const Tensor from = arrays.input.tensor(), tuples = arrays.indices.tensor();
    const Tensor to = output.tensor();
    const PlanOptions options = {static_cast<int64_t>(c.batch.size()), c.mode};
    const Plan plan = make_plan(Operator::kGather, from, tuples, to, options);
    if (plan.tuples != 0) backend.gather(plan, from, tuples, to, fill_value(c), false);
  });
}

Answer run_scatter(Backend& backend, const Case& c, Arrays& arrays) {
  Array output(c.dtype, arrays.input.shape);
  return answer_of(&output, [&] {
    const Tensor to = output.tensor();
    const Plan plan = scatter_plan(c, arrays, to);
    if (plan.tuples == 0) return;
    backend.scatter(plan, arrays.input.tensor(), arrays.indices.tensor(), arrays.rows.tensor(), to,
                    false);
  });
}

// With arrays that are on the device: into new memory, and then into the input's own.
Answer run_scatter_there(DeviceBackend& backend, const Case& c, Arrays& arrays) {
  Array output(c.dtype, arrays.input.shape), again = output;
  return answer_of(&output, [&] {
    const Tensor to = output.tensor();
    const Plan plan = scatter_plan(c, arrays, to);
    const DeviceMemoryPtr input = backend.upload(arrays.input.tensor());
    const DeviceMemoryPtr indices = backend.upload(arrays.indices.tensor());
    const DeviceMemoryPtr rows = backend.upload(arrays.rows.tensor());
    const DeviceMemoryPtr result = backend.scatter(plan, input, *indices, *rows, false);
    backend.scatter(plan, input, *indices, *rows, true);
    backend.download(*input, again.tensor(), false);
    backend.download(*result, to, false);
    if (again.bytes != output.bytes) throw std::logic_error("in place: another result");
  });
}

}  // namespace

DType index_dtype(Kind kind) {
  const int step =
      is_signed_index(kind) ? static_cast<int>(Kind::kInt8) : static_cast<int>(Kind::kUInt8);
  return {kind, int64_t{1} << (static_cast<int>(kind) - step)};
}

const std::byte* fill_value(const Case& c) {
  static Bytes value;
  value.resize(static_cast<size_t>(c.dtype.size));
  for (size_t i = 0; i < value.size(); ++i) value[i] = static_cast<std::byte>(0xa1 + i);
  return value.data();
}

Array::Array(DType dtype_, Shape shape_) : dtype(dtype_), shape(std::move(shape_)) {
  const Dims packed = c_strides(shape, dtype.size);
  strides.assign(packed.begin(), packed.end());
  bytes.resize(static_cast<size_t>(product(shape) * dtype.size));
}

Tensor Array::tensor() { return {bytes.data(), dtype, shape, strides}; }
int64_t Array::elements() const { return product(shape); }

Arrays::Arrays(const Case& c)
    : input(c.dtype, join({c.batch, c.indexed, c.slice})),
      indices(c.index_type, join({c.batch, c.outer, {static_cast<int64_t>(c.indexed.size())}})),
      rows(c.dtype, join({c.batch, c.outer, c.slice})) {
  std::mt19937_64 random(c.seed);
  for (Array* array : {&input, &rows}) {
    for (std::byte& b : array->bytes) b = static_cast<std::byte>(random());
    shape_values(c, array);
  }
  fill_indices(c, &indices);
}

// Errors have the CPU backend's words; results are the plain loop's.
Answer expected_gather(const Case& c, Arrays& arrays) {
  Answer answer = run_gather(cpu_backend(), c, arrays);
  if (answer.error.empty()) answer.bytes = gather_loop(c, arrays, fill_value(c));
  return answer;
}

Answer expected_scatter(const Case& c, Arrays& arrays) {
  Answer answer = run_scatter(cpu_backend(), c, arrays);
  const Plan plan = scatter_plan(c, arrays, arrays.input.tensor());
  if (answer.error.empty() && plan.tuples != 0) answer.bytes = scatter_loop(c, arrays);
  return answer;
}

Answer device_gather(const Case& c, Arrays& arrays) {
  return run_gather(d3d12_backend(), c, arrays);
}

Answer device_scatter(const Case& c, Arrays& arrays) {
  return run_scatter(d3d12_backend(), c, arrays);
}

Answer device_memory_scatter(const Case& c, Arrays& arrays) {
  return run_scatter_there(d3d12_backend(), c, arrays);
}

bool check_gather(const Case& c) {
  Arrays arrays(c);
  return compare(c, expected_gather(c, arrays), device_gather(c, arrays));
}

bool check_scatter(const Case& c) {
  Arrays arrays(c);
  Answer expected = expected_scatter(c, arrays);
  unify_nans(c, &expected.bytes);
  for (const auto run : {device_scatter, device_memory_scatter}) {
    Answer got = run(c, arrays);
    unify_nans(c, &got.bytes);
    if (!compare(c, expected, got)) return false;
  }
  return true;
}

}  // namespace gathernd::testing

// What chunked arrays need from the core: the rules of a call, and its tuples grouped by chunk.
#include "ops/chunks.hpp"

#include "core/layout.hpp"
#include "options.hpp"

namespace gathernd::bindings {
namespace {

using Shape = std::vector<int64_t>;

// An array that has only a shape and a type.
class Imagined {
 public:
  Imagined(const Shape& shape, const py::dtype& dtype, Operator op, const char* what)
      : shape_(shape), dtype_(to_dtype(dtype, name(op), what)) {}

  Tensor tensor() {
    Tensor tensor{nullptr, dtype_, shape_, {}};
    int64_t count;
    const bool strided = shape_.size() <= kMaxRank && count_elements(shape_, &count);
    if (strided) strides_ = c_strides(shape_, dtype_.size);
    for (size_t i = 0; !strided && i < std::min<size_t>(shape_.size(), kMaxRank); ++i) {
      strides_.push_back(0);  // the rules refuse the shape if it is too big
    }
    tensor.strides = strides_;
    return tensor;
  }

 private:
  const Shape& shape_;
  DType dtype_;
  Dims strides_;
};

// Makes all checks of a call that need no values.
void check_call(bool scatters, const Shape& input_shape, const py::dtype& input_dtype,
                const Shape& indices_shape, const py::dtype& indices_dtype,
                const std::optional<Shape>& updates_shape,
                const std::optional<py::dtype>& updates_dtype, const py::object& reduction,
                const py::object& batch_dims, const py::object& mode, const py::object& duplicates,
                const py::object& wrap_negative_indices) {
  const Operator op = scatters ? Operator::kScatter : Operator::kGather;
  PlanOptions options;
  options.batch_dims = parse_batch_dims(op, batch_dims);
  options.mode = parse_mode(op, mode);
  options.wrap_negative_indices = parse_wrap_negative_indices(op, wrap_negative_indices);
  options.reduction = parse_reduction(op, reduction);
  options.duplicates = parse_duplicates(op, duplicates);
  Imagined input(input_shape, input_dtype, op, "input");
  Imagined indices(indices_shape, indices_dtype, op, "indices");
  const Dims shape = rows_shape(op, input_shape, indices.tensor(), options.batch_dims);
  if (updates_dtype) check_updates_dtype(*updates_dtype, input_dtype);
  const Shape rows_sizes = updates_shape.value_or(Shape(shape.begin(), shape.end()));
  Imagined rows(rows_sizes, updates_dtype.value_or(input_dtype), op, "updates");
  make_plan(op, input.tensor(), indices.tensor(), rows.tensor(), options);
}

// Returns positions in the block, tuples inside the chunks, and where each chunk begins in both.
py::tuple group_tuples(bool scatters, const py::array& block, const std::vector<Shape>& bounds,
                       const Shape& whole, const Shape& corner, int batch_dims,
                       const py::object& mode, const py::object& wrap_negative_indices) {
  const Operator op = scatters ? Operator::kScatter : Operator::kGather;
  ChunkRules rules;
  rules.op = op;
  rules.mode = parse_mode(op, mode);
  rules.wrap_negative_indices = parse_wrap_negative_indices(op, wrap_negative_indices);
  rules.batch_dims = batch_dims;
  rules.bounds = bounds;
  if (std::max(whole.size(), corner.size()) > kMaxRank) {
    throw py::value_error(std::string(name(op)) + ": too many dimensions");
  }
  rules.whole = Dims(whole);
  rules.corner = Dims(corner);
  const ArrayView view(block, op, "indices");
  const ChunkedTuples chunked(view.tensor(), std::move(rules));
  const auto type = chunked.wide() ? py::dtype::of<int64_t>() : py::dtype::of<int32_t>();
  py::array positions = make_array(type, Shape{chunked.tuples()});
  py::array tuples = make_array(type, Shape{chunked.tuples(), chunked.components()});
  py::array begins = make_array(py::dtype::of<int64_t>(), Shape{chunked.chunks() + 1});
  check_unchanged(view);
  void* to[] = {positions.mutable_data(), tuples.mutable_data(), begins.mutable_data()};
  {
    const GilRelease nogil;
    auto* counts = static_cast<int64_t*>(to[2]);
    if (chunked.wide()) {
      chunked.group(static_cast<int64_t*>(to[0]), static_cast<int64_t*>(to[1]), counts);
    } else {
      chunked.group(static_cast<int32_t*>(to[0]), static_cast<int32_t*>(to[1]), counts);
    }
  }
  return py::make_tuple(positions, tuples, begins);
}

}  // namespace

void bind_chunks(py::module_& m) {
  m.def("check_call", &check_call);
  m.def("group_tuples", &group_tuples);
}

}  // namespace gathernd::bindings

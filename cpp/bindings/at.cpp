// gathernd.at for Python: the two functions, with separate index arrays and with the result's
// dimensions in the order of NumPy's indexing.
#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "numpy.hpp"
#include "options.hpp"

namespace gathernd::bindings {
namespace {

// A view of a tensor with its dimensions in another order.
class Permuted {
 public:
  // The dimensions of `order` come first, then all others.
  Permuted(const Tensor& tensor, std::span<const int> order) : tensor_(tensor) {
    std::vector<bool> taken(tensor.shape.size());
    for (const int axis : order) {
      const auto at = static_cast<size_t>(axis);
      if (at >= taken.size() || taken[at]) throw py::value_error("at: bad axes");
      taken[at] = true;
      take(tensor, at);
    }
    for (size_t at = 0; at < taken.size(); ++at) {
      if (!taken[at]) take(tensor, at);
    }
    tensor_.shape = {shape_.begin(), shape_.end()};
    tensor_.strides = {strides_.begin(), strides_.end()};
  }
  Permuted(const Permuted&) = delete;
  Permuted& operator=(const Permuted&) = delete;

  const Tensor& tensor() const { return tensor_; }

 private:
  void take(const Tensor& tensor, size_t at) {
    shape_.push_back(tensor.shape[at]);
    strides_.push_back(tensor.strides[at]);
  }

  Dims shape_, strides_;
  Tensor tensor_;
};

// A view of a tensor that strides of 0 repeat to a larger shape, as NumPy broadcasts.
class Broadcast {
 public:
  // Throws ValueError if the shapes do not fit. `what` names the tensor.
  Broadcast(const Tensor& tensor, std::span<const int64_t> shape, const char* what)
      : shape_(shape), tensor_(tensor) {
    const size_t missing = shape.size() - tensor.shape.size();
    if (tensor.shape.size() > shape.size()) refuse(tensor, shape, what);
    for (size_t i = 0; i < shape.size(); ++i) {
      const int64_t size = i < missing ? 1 : tensor.shape[i - missing];
      if (size != 1 && size != shape[i]) refuse(tensor, shape, what);
      strides_.push_back(size == 1 ? 0 : tensor.strides[i - missing]);
    }
    tensor_.shape = {shape_.begin(), shape_.end()};
    tensor_.strides = {strides_.begin(), strides_.end()};
  }
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  const Tensor& tensor() const { return tensor_; }

 private:
  [[noreturn]] static void refuse(const Tensor& tensor, std::span<const int64_t> shape,
                                  const char* what) {
    throw py::value_error("at: shape mismatch: " + std::string(what) + " of shape " +
                          text(tensor.shape) + " could not be broadcast to shape " + text(shape));
  }

  Dims shape_, strides_;
  Tensor tensor_;
};

// The fields of gathernd._index_expression.Selection.
struct Selection {
  explicit Selection(const py::object& object)
      : self(object),
        axes(object.attr("axes").cast<std::vector<int>>()),
        position(object.attr("position").cast<size_t>()) {
    const py::tuple shape = object.attr("outer");
    if (shape.size() > static_cast<size_t>(kMaxRank)) throw py::value_error("at: bad outer");
    for (const py::handle size : shape) outer.push_back(size.cast<int64_t>());
    const py::tuple given = object.attr("arrays");
    if (given.size() != axes.size()) throw py::value_error("at: bad arrays");
    for (const py::handle array : given) {
      arrays.push_back(py::reinterpret_borrow<py::array>(array));
      views.emplace_back(arrays.back(), "at", "indices");
    }
  }

  std::span<const int64_t> outer_shape() const { return {outer.begin(), outer.end()}; }

  // The result's shape, and the axes that bring the dimensions of `outer` to the front.
  Dims result_shape(const Tensor& table) const {
    Dims shape;
    size_t rest = 0;
    if (table.shape.size() - axes.size() + outer_shape().size() > static_cast<size_t>(kMaxRank)) {
      throw py::value_error("at: the result would have more than 64 dimensions");
    }
    for (size_t i = axes.size(); i < table.shape.size(); ++i, ++rest) {
      if (rest == position) shape.append(outer_shape());
      shape.push_back(table.shape[i]);
    }
    if (rest <= position) shape.append(outer_shape());
    return shape;
  }
  std::vector<int> outer_first() const {
    std::vector<int> order(outer_shape().size());
    std::ranges::generate(order, [at = static_cast<int>(position)]() mutable { return at++; });
    return order;
  }

  py::object self;
  std::vector<int> axes;
  size_t position;
  Dims outer;
  std::vector<py::array> arrays;
  std::deque<ArrayView> views;
};

// The index arrays, broadcast to one shape. If there are none, the tuples are empty.
class IndexArrays {
 public:
  explicit IndexArrays(const Selection& selection) {
    for (const ArrayView& view : selection.views) {
      broadcast_.emplace_back(view.tensor(), selection.outer_shape(), "an index array");
      tensors_.push_back(broadcast_.back().tensor());
    }
    if (!tensors_.empty()) {
      indices_.emplace(tensors_);
      return;
    }
    shape_ = selection.outer;
    if (shape_.size() == kMaxRank) throw py::value_error("at: bad outer");
    shape_.push_back(0);
    while (strides_.size() < shape_.size()) strides_.push_back(0);
    const DType type{Kind::kInt64, sizeof(int64_t)};
    indices_.emplace(
        Tensor{nullptr, type, {shape_.begin(), shape_.end()}, {strides_.begin(), strides_.end()}});
  }

  const Indices& indices() const { return *indices_; }

 private:
  std::deque<Broadcast> broadcast_;
  std::vector<Tensor> tensors_;
  Dims shape_, strides_;
  std::optional<Indices> indices_;
};

// Runs the call without the GIL. Its errors name the index expression.
template <class Run>
void run_selection(const Selection& selection, Run run) {
  const auto message = [&](const char* method, auto... numbers) {
    return selection.self.attr(method)(numbers...).template cast<std::string>();
  };
  try {
    const GilRelease nogil;
    run();
  } catch (const BadTupleError& error) {
    const BadTuple& bad = error.bad();
    throw py::index_error(message("describe_bad", bad.position, bad.component, bad.value));
  } catch (const DuplicateError& error) {
    throw py::value_error(message("describe_duplicates", error.first(), error.second()));
  } catch (const Error& error) {
    const std::string what = error.what();
    const size_t end = what.find(": ");  // the end of the function's name
    throw Error(error.kind(), "at" + (end == std::string::npos ? ": " + what : what.substr(end)));
  }
}

py::array at_get(const py::array& input, const py::object& given, const py::object& mode,
                 const std::optional<py::array>& fill_value, const py::object& wraps,
                 const py::object& out, int device) {
  constexpr auto kOp = Operator::kGather;
  const Selection selection(given);
  GatherOptions options;
  options.mode = parse_mode(kOp, mode, kGatherModes);
  options.wrap_negative_indices = parse_wrap_negative_indices(kOp, wraps);
  options.fresh_output = out.is_none();
  options.backend = find_backend(device);
  const ArrayView from(input, "at", "x");
  const FillValue fill(fill_value, from.dtype());
  options.fill_value = fill.data();
  const Permuted table(from.tensor(), selection.axes);
  const Dims shape = selection.result_shape(table.tensor());
  py::array result =
      out.is_none() ? make_array(from.dtype(), {shape.begin(), shape.end()}) : to_out(out, "at");
  const ArrayView to(result, "at", "out", from.dtype());
  to.check_writeable();
  if (!same_shape(to.tensor().shape, {shape.begin(), shape.end()})) {
    throw py::value_error("at: out must have shape " + text({shape.begin(), shape.end()}) +
                          ", not " + text(to.tensor().shape));
  }
  const Permuted rows(to.tensor(), selection.outer_first());
  const IndexArrays arrays(selection);
  check_unchanged(from, to);
  for (const ArrayView& view : selection.views) view.check_unchanged();
  run_selection(selection,
                [&] { gather_nd(table.tensor(), arrays.indices(), rows.tensor(), options); });
  return result;
}

// `input`: the contents of `output` before the updates; None if `output` already has them.
void at_update(const std::optional<py::array>& input, const py::array& output, bool fresh,
               const py::object& given, const py::array& updates, const py::object& reduction,
               const py::object& mode, const py::object& duplicates, const py::object& wraps,
               int device) {
  constexpr auto kOp = Operator::kScatter;
  const Selection selection(given);
  ScatterOptions options;
  options.mode = parse_mode(kOp, mode, kScatterModes);
  options.reduction = parse_reduction(kOp, reduction);
  options.duplicates = parse_duplicates(kOp, duplicates);
  options.wrap_negative_indices = parse_wrap_negative_indices(kOp, wraps);
  options.fresh_output = fresh;
  options.backend = find_backend(device);
  const ArrayView to(output, "at", "x");
  to.check_writeable();
  const ArrayView from(input ? *input : output, "at", "x", to.dtype());
  const ArrayView rows(updates, "at", "updates", to.dtype());
  const Permuted table(to.tensor(), selection.axes), source(from.tensor(), selection.axes);
  const Dims shape = selection.result_shape(table.tensor());
  // NumPy's assignment accepts extra leading dimensions of size 1.
  Tensor values = rows.tensor();
  while (options.reduction == Reduction::kNone &&
         values.shape.size() > static_cast<size_t>(shape.size()) && values.shape.front() == 1) {
    values.shape = values.shape.subspan(1);
    values.strides = values.strides.subspan(1);
  }
  const Broadcast repeated(values, {shape.begin(), shape.end()}, "updates");
  const Permuted moved(repeated.tensor(), selection.outer_first());
  const IndexArrays arrays(selection);
  check_unchanged(to, from, rows);
  for (const ArrayView& view : selection.views) view.check_unchanged();
  run_selection(selection, [&] {
    scatter_nd(source.tensor(), arrays.indices(), moved.tensor(), table.tensor(), options);
  });
}

}  // namespace

void bind_at(py::module_& m) {
  m.def("at_get", &at_get, py::arg("input"), py::arg("selection"), py::arg("mode"),
        py::arg("fill_value"), py::arg("wrap_negative_indices"), py::arg("out"), py::arg("device"));
  m.def("at_update", &at_update, py::arg("input"), py::arg("output"), py::arg("fresh"),
        py::arg("selection"), py::arg("updates"), py::arg("reduction"), py::arg("mode"),
        py::arg("duplicates"), py::arg("wrap_negative_indices"), py::arg("device"));
}

}  // namespace gathernd::bindings

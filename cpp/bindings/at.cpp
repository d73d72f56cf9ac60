// gathernd.at for Python: the two functions, with separate index arrays and with the result's
// dimensions in the order of NumPy's indexing.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "at_brief.hpp"
#include "core/checked.hpp"
#include "core/layout.hpp"
#include "core/load_tuples.hpp"
#include "core/normalize_index.hpp"
#include "core/plan_rules.hpp"
#include "numpy.hpp"
#include "options.hpp"
#include "selection.hpp"

namespace gathernd::bindings {
namespace {

// A view of a tensor with its dimensions in another order.
class Permuted {
 public:
  // The dimensions of `order` come first, then all others.
  Permuted(const Tensor& tensor, const Dims& order) : tensor_(tensor) {
    bool taken[kMaxRank] = {};
    for (const int64_t axis : order) {
      const auto at = static_cast<size_t>(axis);
      taken[at] = true;
      take(tensor, at);
    }
    for (size_t at = 0; at < tensor.shape.size(); ++at) {
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

// The selection as one call uses it: an integer in range is part of the view, in every mode; one
// out of range is an index like an array of one.
class Indexing {
 public:
  Indexing(const Selection& selection, bool wraps) : selection_(selection) {
    index_arrays_.reserve(selection.components().size());
    for (const Selection::Component& c : selection.components()) {
      const int64_t index = c.integer < 0 && wraps ? c.integer + c.size : c.integer;
      if (!c.array && 0 <= index && index < c.size) {
        fixed_.push_back({&c, index});
      } else {
        index_arrays_.push_back(std::make_unique<Index>(c, outer()));
      }
    }
    find_indices();
  }
  Indexing(const Indexing&) = delete;
  Indexing& operator=(const Indexing&) = delete;

  const Indices& indices() const { return *indices_; }
  std::span<const int64_t> outer() const { return selection_.outer(); }

  // The result's shape, of a table that View makes, and the order that has the dimensions of
  // `outer` first.
  Dims result_shape(const Tensor& table) const {
    Dims shape;
    const auto position = static_cast<size_t>(selection_.position());
    size_t rest = 0;
    if (table.shape.size() - depth() + outer().size() > static_cast<size_t>(kMaxRank)) {
      throw py::index_error("at: the result would have more than 64 dimensions");
    }
    for (size_t i = depth(); i < table.shape.size(); ++i, ++rest) {
      if (rest == position) shape.append(outer());
      shape.push_back(table.shape[i]);
    }
    if (rest <= position) shape.append(outer());
    return shape;
  }
  Dims outer_first() const {
    Dims order;
    for (size_t i = 0; i < outer().size(); ++i) {
      order.push_back(selection_.position() + static_cast<int64_t>(i));
    }
    return order;
  }

  void check_unchanged() const {
    for (const auto& index : index_arrays_) {
      if (index->view) index->view->check_unchanged();
    }
  }
  double bytes() const {
    double bytes = 0;
    for (const auto& index : index_arrays_) bytes += index->view ? index->view->bytes() : 0;
    return bytes;
  }

  // IndexError for an index of no dimension that is out of range where `outer` is empty, as NumPy.
  void check_unused(bool wraps) const {
    if (std::ranges::find(outer(), 0) == outer().end()) return;
    for (size_t k = 0; k < depth(); ++k) {
      const Tensor& index = index_arrays_[k]->given;
      if (!index.shape.empty()) continue;
      const int64_t value = load_index(index);
      const bool is_signed = is_signed_index(index.dtype.kind);
      int64_t settled;
      if (!normalize_index(value, is_signed, wraps, index_arrays_[k]->component.size, Mode::kRaise,
                           &settled)) {
        throw_bad({0, static_cast<int>(k), value});
      }
    }
  }

  // Says where the index that is out of range was given.
  [[noreturn]] void throw_bad(const BadTuple& bad) const {
    const auto k = static_cast<size_t>(bad.component);
    const Tensor& index = index_arrays_[k]->given;
    int64_t place[kMaxRank];
    int64_t position = bad.position;
    for (size_t i = outer().size(); i-- > 0;) {
      const int64_t size = outer()[i];
      const size_t missing = outer().size() - index.shape.size();
      if (i >= missing) place[i - missing] = index.shape[i - missing] == 1 ? 0 : position % size;
      if (size > 0) position /= size;
    }
    const std::string value = is_signed_index(index.dtype.kind)
                                  ? std::to_string(bad.value)
                                  : std::to_string(static_cast<uint64_t>(bad.value));
    const auto number =
        static_cast<size_t>(&index_arrays_[k]->component - selection_.components().data());
    throw py::index_error(selection_.describe_bad(number, {place, index.shape.size()}, value));
  }

  const Selection& selection() const { return selection_; }

 private:
  friend class View;

  // An array of indices, or one that stands for an integer: as given, and broadcast.
  struct Index {
    Index(const Selection::Component& c, std::span<const int64_t> outer) : component(c) {
      if (c.array) {
        array = py::reinterpret_borrow<py::array>(c.array);
        view.emplace(array, "at", "indices");
        given = view->tensor();
      } else {
        given.data = reinterpret_cast<std::byte*>(const_cast<int64_t*>(&c.integer));
        given.dtype = {Kind::kInt64, sizeof(int64_t)};
      }
      broadcast.emplace(given, outer, "an index array");
    }

    const Selection::Component& component;
    py::array array;
    std::optional<ArrayView> view;
    Tensor given;
    std::optional<Broadcast> broadcast;
  };

  size_t depth() const { return index_arrays_.size(); }

  // One array is tuples of one index; without any, tuples are of none.
  void find_indices() {
    if (depth() > 1) {
      for (const auto& index : index_arrays_) tensors_.push_back(index->broadcast->tensor());
      indices_.emplace(std::span<const Tensor>(tensors_));
      return;
    }
    if (outer().size() == kMaxRank)
      throw py::index_error("at: an index has more than 63 dimensions");
    Tensor tuples{nullptr, {Kind::kInt64, sizeof(int64_t)}, {}, {}};
    if (depth() > 0) tuples = index_arrays_.front()->broadcast->tensor();
    shape_ = Dims(outer());
    strides_ = Dims(tuples.strides);
    while (strides_.size() < shape_.size()) strides_.push_back(0);
    shape_.push_back(static_cast<int64_t>(depth()));
    strides_.push_back(tuples.dtype.size);
    tuples.shape = {shape_.begin(), shape_.end()};
    tuples.strides = {strides_.begin(), strides_.end()};
    indices_.emplace(tuples);
  }

  static int64_t load_index(const Tensor& index) {
    Plan plan;
    plan.index_type = index.dtype;
    plan.depth = 1;
    int64_t value;
    load_lanes(plan, index.data, 0, 1, &value);
    return value;
  }

  struct Fixed {
    const Selection::Component* component;
    int64_t index;
  };

  const Selection& selection_;
  std::vector<Fixed> fixed_;
  std::vector<std::unique_ptr<Index>> index_arrays_;
  std::vector<Tensor> tensors_;
  Dims shape_, strides_;
  std::optional<Indices> indices_;
};

// The table of a call: the view of an array, first the axes that the arrays index.
class View {
 public:
  View(const Tensor& array, const Indexing& indexing) : tensor_(array) {
    const Selection& selection = indexing.selection();
    if (!same_shape(array.shape, selection.shape())) {
      throw std::runtime_error("at: x was given another shape after it was indexed");
    }
    const auto& axes = selection.axes();
    bool taken[2 * kMaxRank] = {};
    if (axes.size() > std::size(taken))
      throw py::index_error("at: the result would have more than 64 dimensions");
    int64_t offset = 0;
    const auto skip = [&](int64_t stride, int64_t count) {
      int64_t bytes;
      if (!checked_mul(stride, count, &bytes) || !checked_add(offset, bytes, &offset)) {
        throw py::value_error("at: the strides of x reach past any address space");
      }
    };
    const auto stride_of = [&](const Selection::Axis& axis) {
      return axis.source < 0 ? 0 : array.strides[static_cast<size_t>(axis.source)];
    };
    const auto take = [&](const Selection::Component& c) {
      for (int i = 0; i < c.merged; ++i) taken[c.axis + i] = true;
      check_run(array, c);
      return stride_of(axes[static_cast<size_t>(c.axis + c.merged - 1)]);
    };
    for (const auto& [component, index] : indexing.fixed_) skip(take(*component), index);
    for (const auto& index : indexing.index_arrays_) {
      push(index->component.size, take(index->component));
    }
    for (size_t i = 0; i < axes.size(); ++i) {
      if (taken[i]) continue;
      const Selection::Axis& axis = axes[i];
      int64_t stride = stride_of(axis);
      if (axis.length > 0 && axis.start != 0) skip(stride, axis.start);
      if (axis.length > 1 && !checked_mul(stride, axis.step, &stride)) {
        throw py::value_error("at: the strides of x reach past any address space");
      }
      push(axis.length, stride);
    }
    tensor_.data += offset;
    tensor_.shape = {shape_.begin(), shape_.end()};
    tensor_.strides = {strides_.begin(), strides_.end()};
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  const Tensor& tensor() const { return tensor_; }

 private:
  void push(int64_t size, int64_t stride) {
    if (shape_.size() == kMaxRank)
      throw py::index_error("at: the result would have more than 64 dimensions");
    shape_.push_back(size);
    strides_.push_back(stride);
  }

  // Axes that are one must lie as one.
  static void check_run(const Tensor& array, const Selection::Component& c) {
    for (int i = c.source; i < c.source + c.merged - 1; ++i) {
      const auto at = static_cast<size_t>(i);
      int64_t bytes;
      if (checked_mul(array.shape[at + 1], array.strides[at + 1], &bytes) &&
          array.strides[at] == bytes) {
        continue;
      }
      throw std::runtime_error("at: x was given other strides after it was indexed");
    }
  }

  Dims shape_, strides_;
  Tensor tensor_;
};

// Runs the call, without the GIL unless it is `brief`; its errors speak of the index expression.
template <class Run>
void run_selection(const Indexing& indexing, bool brief, Run run) {
  try {
    const GilRelease nogil(!brief);
    run();
  } catch (const BadTupleError& error) {
    indexing.throw_bad(error.bad());
  } catch (const DuplicateError& error) {
    throw py::value_error(indexing.selection().describe_duplicates(error.first(), error.second()));
  } catch (const Error& error) {
    const std::string what = error.what();
    const size_t end = what.find(": ");  // the end of the function's name
    throw Error(error.kind(), "at" + (end == std::string::npos ? ": " + what : what.substr(end)));
  }
}

// Whether a call on the CPU moves so little that it ends before another thread could do much.
bool is_brief(const Backend* backend, const Indexing& indexing, const ArrayView& rows) {
  constexpr double kBytes = 2048;
  return backend == nullptr && rows.bytes() < kBytes && indexing.bytes() < kBytes;
}

py::array at_get(const py::array& x, const Selection& selection, const py::object& mode,
                 const std::optional<py::array>& fill_value, const py::object& wraps,
                 const py::object& out, const std::string& device) {
  constexpr auto kOp = Operator::kGather;
  GatherOptions options;
  options.mode = parse_mode(kOp, mode);
  options.wrap_negative_indices = parse_wrap_negative_indices(kOp, wraps);
  options.fresh_output = out.is_none();
  options.backend = open_backend(device);
  const ArrayView from(x, "at", "x");
  const FillValue fill(fill_value, from.dtype());
  options.fill_value = fill.data();
  if (options.fresh_output && options.backend == nullptr) {
    auto brief = gather_brief(selection, from, options.mode, options.wrap_negative_indices);
    if (brief) return *std::move(brief);
  }
  const Indexing indexing(selection, options.wrap_negative_indices);
  if (options.mode == Mode::kRaise) indexing.check_unused(options.wrap_negative_indices);
  const View table(from.tensor(), indexing);
  const Dims shape = indexing.result_shape(table.tensor());
  py::array result =
      out.is_none() ? make_array(from.dtype(), {shape.begin(), shape.end()}) : to_out(out, "at");
  const ArrayView to(result, "at", "out", from.dtype());
  to.check_writeable();
  if (!same_shape(to.tensor().shape, {shape.begin(), shape.end()})) {
    throw py::value_error("at: out must have shape " + text({shape.begin(), shape.end()}) +
                          ", not " + text(to.tensor().shape));
  }
  const Permuted rows(to.tensor(), indexing.outer_first());
  check_unchanged(from, to, indexing);
  run_selection(indexing, is_brief(options.backend, indexing, to),
                [&] { gather_nd(table.tensor(), indexing.indices(), rows.tensor(), options); });
  return result;
}

// `input`: the contents of `output` before the updates; None if `output` already has them.
void at_update(const std::optional<py::array>& input, const py::array& output, bool fresh,
               const Selection& selection, const py::array& updates, const py::object& reduction,
               const py::object& mode, const py::object& duplicates, const py::object& wraps,
               const std::string& device) {
  constexpr auto kOp = Operator::kScatter;
  ScatterOptions options;
  options.mode = parse_mode(kOp, mode);
  options.reduction = parse_reduction(kOp, reduction);
  options.duplicates = parse_duplicates(kOp, duplicates);
  options.wrap_negative_indices = parse_wrap_negative_indices(kOp, wraps);
  options.fresh_output = fresh;
  options.backend = open_backend(device);
  const ArrayView to(output, "at", "x");
  to.check_writeable();
  const ArrayView from(input ? *input : output, "at", "x", to.dtype());
  const ArrayView rows(updates, "at", "updates", to.dtype());
  const bool sets =
      options.reduction == Reduction::kNone && options.duplicates == Duplicates::kLast;
  if (sets && !input && options.backend == nullptr &&
      set_brief(selection, to, rows, options.mode, options.wrap_negative_indices)) {
    return;
  }
  const Indexing indexing(selection, options.wrap_negative_indices);
  if (options.mode == Mode::kRaise) indexing.check_unused(options.wrap_negative_indices);
  const View table(to.tensor(), indexing), source(from.tensor(), indexing);
  const Dims shape = indexing.result_shape(table.tensor());
  // NumPy's assignment accepts extra leading dimensions of size 1.
  Tensor values = rows.tensor();
  while (options.reduction == Reduction::kNone &&
         values.shape.size() > static_cast<size_t>(shape.size()) && values.shape.front() == 1) {
    values.shape = values.shape.subspan(1);
    values.strides = values.strides.subspan(1);
  }
  const Broadcast repeated(values, {shape.begin(), shape.end()}, "updates");
  const Permuted moved(repeated.tensor(), indexing.outer_first());
  check_unchanged(to, from, rows, indexing);
  const bool brief =
      is_brief(options.backend, indexing, rows) && (!input || is_brief(nullptr, indexing, to));
  run_selection(indexing, brief, [&] {
    scatter_nd(source.tensor(), indexing.indices(), moved.tensor(), table.tensor(), options);
  });
}

}  // namespace

void bind_at(py::module_& m) {
  m.def("at_get", &at_get, py::arg("x"), py::arg("selection"), py::arg("mode"),
        py::arg("fill_value"), py::arg("wrap_negative_indices"), py::arg("out"), py::arg("device"));
  m.def("at_update", &at_update, py::arg("input"), py::arg("output"), py::arg("fresh"),
        py::arg("selection"), py::arg("updates"), py::arg("reduction"), py::arg("mode"),
        py::arg("duplicates"), py::arg("wrap_negative_indices"), py::arg("device"));
}

}  // namespace gathernd::bindings

#include "indexing.hpp"

#include <algorithm>

#include "core/checked.hpp"
#include "core/layout.hpp"
#include "core/load_tuples.hpp"
#include "core/normalize_index.hpp"

namespace gathernd::bindings {
namespace {

[[noreturn]] void refuse_rank() {
  throw py::index_error("at: the result would have more than 64 dimensions");
}

int64_t load_index(const Tensor& index) {
  Plan plan;
  plan.index_type = index.dtype;
  plan.depth = 1;
  int64_t value;
  load_lanes(plan, index.data, 0, 1, &value);
  return value;
}

// Merged axes must lie in memory as one axis.
void check_run(const Tensor& array, const Selection::Component& c) {
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

}  // namespace

Permuted::Permuted(const Tensor& tensor, const Dims& order) : tensor_(tensor) {
  bool taken[kMaxRank] = {};
  const auto take = [&](size_t at) {
    shape_.push_back(tensor.shape[at]);
    strides_.push_back(tensor.strides[at]);
  };
  for (const int64_t axis : order) {
    const auto at = static_cast<size_t>(axis);
    taken[at] = true;
    take(at);
  }
  for (size_t at = 0; at < tensor.shape.size(); ++at) {
    if (!taken[at]) take(at);
  }
  tensor_.shape = {shape_.begin(), shape_.end()};
  tensor_.strides = {strides_.begin(), strides_.end()};
}

Broadcast::Broadcast(const Tensor& tensor, std::span<const int64_t> shape, const char* what)
    : tensor_(tensor) {
  const auto refuse = [&] {
    throw py::value_error("at: shape mismatch: " + std::string(what) + " of shape " +
                          text(tensor.shape) + " could not be broadcast to shape " + text(shape));
  };
  const size_t missing = shape.size() - tensor.shape.size();
  if (tensor.shape.size() > shape.size()) refuse();
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t size = i < missing ? 1 : tensor.shape[i - missing];
    if (size != 1 && size != shape[i]) refuse();
    strides_.push_back(size == 1 ? 0 : tensor.strides[i - missing]);
  }
  tensor_.shape = shape;
  tensor_.strides = {strides_.begin(), strides_.end()};
}

Tensor without_extra_dims(Reduction reduction, Tensor updates, int rank) {
  while (reduction == Reduction::kNone && std::ssize(updates.shape) > rank &&
         updates.shape.front() == 1) {
    updates.shape = updates.shape.subspan(1);
    updates.strides = updates.strides.subspan(1);
  }
  return updates;
}

Frame::Frame(const Selection& selection, bool wraps, bool fixes) : selection_(&selection) {
  // Tuples have a dimension more: that of their components.
  if (outer().size() == kMaxRank) {
    throw py::index_error("at: index arrays have at most 63 dimensions, not 64");
  }
  int64_t i = 0;
  for (const Selection::Component& c : selection.components()) {
    const int64_t index = c.integer < 0 && wraps ? c.integer + c.size : c.integer;
    if (fixes && !c.is_array && 0 <= index && index < c.size) {
      fixed_.push_back(i);
      fixed_at_.push_back(index);
    } else {
      indexed_.push_back(i);
    }
    ++i;
  }
}

Dims Frame::result_shape(const Tensor& table) const {
  Dims shape;
  const auto position = static_cast<size_t>(selection_->position());
  const auto leading = static_cast<size_t>(depth());
  size_t rest = 0;
  if (table.shape.size() - leading + outer().size() > size_t{kMaxRank}) refuse_rank();
  for (size_t i = leading; i < table.shape.size(); ++i, ++rest) {
    if (rest == position) shape.append(outer());
    shape.push_back(table.shape[i]);
  }
  if (rest <= position) shape.append(outer());
  return shape;
}

Dims Frame::outer_first() const {
  Dims order;
  for (size_t i = 0; i < outer().size(); ++i) {
    order.push_back(selection_->position() + static_cast<int64_t>(i));
  }
  return order;
}

View::View(const Tensor& array, const Frame& frame) : tensor_(array) {
  const Selection& selection = frame.selection();
  if (!same_shape(array.shape, selection.shape())) {
    throw std::runtime_error("at: x was given another shape after it was indexed");
  }
  const auto& axes = selection.axes();
  bool taken[2 * kMaxRank] = {};
  if (axes.size() > std::size(taken)) refuse_rank();
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
  for (int i = 0; i < frame.fixed_.size(); ++i) {
    skip(take(frame.component_at(frame.fixed_[i])), frame.fixed_at_[i]);
  }
  for (int k = 0; k < frame.depth(); ++k) {
    push(frame.component(k).size, take(frame.component(k)));
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

void View::push(int64_t size, int64_t stride) {
  if (shape_.size() == kMaxRank) refuse_rank();
  shape_.push_back(size);
  strides_.push_back(stride);
}

Indexing::Index::Index(const Selection::Component& c, std::span<const int64_t> outer)
    : component(c) {
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

Indexing::Indexing(const Frame& frame) : frame_(frame) {
  index_arrays_.reserve(static_cast<size_t>(frame.depth()));
  for (int k = 0; k < frame.depth(); ++k) {
    index_arrays_.push_back(std::make_unique<Index>(frame.component(k), frame.outer()));
  }
  find_indices();
}

// One array gives tuples of one index; no array gives tuples of none.
void Indexing::find_indices() {
  if (index_arrays_.size() > 1) {
    for (const auto& index : index_arrays_) tensors_.push_back(index->broadcast->tensor());
    indices_.emplace(std::span<const Tensor>(tensors_));
    return;
  }
  Tensor tuples{nullptr, {Kind::kInt64, sizeof(int64_t)}, {}, {}};
  if (!index_arrays_.empty()) tuples = index_arrays_.front()->broadcast->tensor();
  shape_ = Dims(frame_.outer());
  strides_ = Dims(tuples.strides);
  while (strides_.size() < shape_.size()) strides_.push_back(0);
  shape_.push_back(frame_.depth());
  strides_.push_back(tuples.dtype.size);
  tuples.shape = {shape_.begin(), shape_.end()};
  tuples.strides = {strides_.begin(), strides_.end()};
  indices_.emplace(tuples);
}

void Indexing::check_unchanged() const {
  for (const auto& index : index_arrays_) {
    if (index->view) index->view->check_unchanged();
  }
}

double Indexing::bytes() const {
  double bytes = 0;
  for (const auto& index : index_arrays_) bytes += index->view ? index->view->bytes() : 0;
  return bytes;
}

void Indexing::check_unused(bool wraps) const {
  if (std::ranges::find(frame_.outer(), 0) == frame_.outer().end()) return;
  for (size_t k = 0; k < index_arrays_.size(); ++k) {
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

void Indexing::throw_bad(const BadTuple& bad) const {
  const Tensor& index = index_arrays_[static_cast<size_t>(bad.component)]->given;
  const auto outer = frame_.outer();
  int64_t place[kMaxRank];
  int64_t position = bad.position;
  for (size_t i = outer.size(); i-- > 0;) {
    const int64_t size = outer[i];
    const size_t missing = outer.size() - index.shape.size();
    if (i >= missing) place[i - missing] = index.shape[i - missing] == 1 ? 0 : position % size;
    if (size > 0) position /= size;
  }
  const std::string value = is_signed_index(index.dtype.kind)
                                ? std::to_string(bad.value)
                                : std::to_string(static_cast<uint64_t>(bad.value));
  throw py::index_error(frame_.selection().describe_bad(frame_.number(bad.component),
                                                        {place, index.shape.size()}, value));
}

}  // namespace gathernd::bindings

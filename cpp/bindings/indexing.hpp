// A selection as the two functions take it: views of arrays, and the indices.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "selection.hpp"

namespace gathernd::bindings {

// A view of a tensor with its dimensions in another order.
class Permuted {
 public:
  // The dimensions of `order` come first, then all others.
  Permuted(const Tensor& tensor, const Dims& order);
  Permuted(const Permuted&) = delete;
  Permuted& operator=(const Permuted&) = delete;

  const Tensor& tensor() const { return tensor_; }

 private:
  Dims shape_, strides_;
  Tensor tensor_;
};

// A view of a tensor that is repeated to a larger shape by strides of 0, as NumPy broadcasts.
class Broadcast {
 public:
  // Throws ValueError if the shapes do not fit. `what` names the tensor. The view refers to
  // `shape`.
  Broadcast(const Tensor& tensor, std::span<const int64_t> shape, const char* what);
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  const Tensor& tensor() const { return tensor_; }

 private:
  Dims strides_;
  Tensor tensor_;
};

// Updates for a result of `rank` dimensions. NumPy's assignment accepts extra leading dimensions of
// size 1, which ufunc.at does not.
Tensor without_extra_dims(Reduction reduction, Tensor updates, int rank);

// Which components of a selection are indices of a call: an integer in range is part of the view
// instead, in every mode; one out of range is an index like an array of one. The index arrays
// themselves are not needed.
class Frame {
 public:
  // `fixes`: false if integers in range are indices, too. Refers to the selection.
  Frame(const Selection& selection, bool wraps, bool fixes = true);

  const Selection& selection() const { return *selection_; }
  std::span<const int64_t> outer() const { return selection_->outer(); }
  int depth() const { return indexed_.size(); }
  const Selection::Component& component(int k) const { return component_at(indexed_[k]); }
  // Where it stands among all components of the selection.
  size_t number(int k) const { return static_cast<size_t>(indexed_[k]); }
  // The numbers of the components that are part of the view.
  const Dims& fixed() const { return fixed_; }

  // The shape of the result for a table that View makes; and the order of its dimensions that puts
  // those of `outer` first.
  Dims result_shape(const Tensor& table) const;
  Dims outer_first() const;

 private:
  friend class View;

  const Selection::Component& component_at(int64_t i) const {
    return selection_->components()[static_cast<size_t>(i)];
  }

  const Selection* selection_;
  Dims indexed_, fixed_;  // components
  Dims fixed_at_;         // the indices of `fixed_`
};

// The table of a call: the view of an array, first the axes that are indexed.
class View {
 public:
  View(const Tensor& array, const Frame& frame);
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  const Tensor& tensor() const { return tensor_; }

 private:
  void push(int64_t size, int64_t stride);

  Dims shape_, strides_;
  Tensor tensor_;
};

// The indices of a call, broadcast to each other.
class Indexing {
 public:
  explicit Indexing(const Frame& frame);
  Indexing(const Indexing&) = delete;
  Indexing& operator=(const Indexing&) = delete;

  const Frame& frame() const { return frame_; }
  const Indices& indices() const { return *indices_; }

  void check_unchanged() const;
  double bytes() const;

  // If `outer` is empty, raises IndexError for a 0-d index that is out of range, as NumPy does.
  void check_unused(bool wraps) const;

  // Raises the IndexError that says where the bad index was given.
  [[noreturn]] void throw_bad(const BadTuple& bad) const;

 private:
  // An array of indices, or one that stands for an integer: as given, and broadcast.
  struct Index {
    Index(const Selection::Component& c, std::span<const int64_t> outer);

    const Selection::Component& component;
    py::array array;
    std::optional<ArrayView> view;
    Tensor given;
    std::optional<Broadcast> broadcast;
  };

  void find_indices();

  const Frame& frame_;
  std::vector<std::unique_ptr<Index>> index_arrays_;
  std::vector<Tensor> tensors_;
  Dims shape_, strides_;
  std::optional<Indices> indices_;
};

// Runs the call, without the GIL unless it is `brief`. Its errors name the index expression.
template <class Run>
void run_selection(const Indexing& indexing, bool brief, Run run) {
  try {
    const GilRelease nogil(!brief);
    run();
  } catch (const BadTupleError& error) {
    indexing.throw_bad(error.bad());
  } catch (const DuplicateError& error) {
    const Selection& selection = indexing.frame().selection();
    throw py::value_error(selection.describe_duplicates(error.first(), error.second()));
  } catch (const Error& error) {
    std::string_view what = error.what();
    for (const Operator op : {Operator::kGather, Operator::kScatter, Operator::kIndexPlan}) {
      const std::string start = std::string(name(op)) + ": ";
      if (what.starts_with(start)) what.remove_prefix(start.size());
    }
    throw Error(error.kind(), "at: " + std::string(what));
  }
}

}  // namespace gathernd::bindings

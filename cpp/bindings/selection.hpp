// What stands between the brackets of `at[...]`, by the rules of NumPy's indexing.
#pragma once

#include <string>
#include <vector>

#include "inline_vector.hpp"
#include "numpy.hpp"

namespace gathernd::bindings {

// The elements of an array that an index expression selects: a view, and the integers and arrays
// that index some of its axes. They are broadcast to `outer`.
class Selection {
 public:
  // An axis of the view.
  struct Axis {
    int source = -1;  // of the array; -1: None
    int64_t start = 0, step = 1, length = 1;
  };
  // An integer or an array of integers. It indexes `merged` axes of the view as one axis.
  struct Component {
    bool is_array = false;  // else `integer`
    py::object array;
    int64_t integer = 0;
    int axis = 0;    // the first of them, in the view
    int source = 0;  // the same in the array
    int merged = 1;
    int64_t size = 0;
    py::object huge = {};  // the Python int, if no int64 has it and `integer` stands for it
  };

  // Raises IndexError where NumPy does. `classify` turns any other item into what it means: None,
  // Ellipsis, a slice, a bool, an int, or an array of integers or bools.
  Selection(const py::array& x, const py::object& index, const py::object& classify);
  Selection(Selection&&) = default;

  // Whether each call can read the index anew: it has no list, which may change until then, and no
  // mask, which takes long to read.
  static bool can_wait(const py::handle& index);

  // The same without merged axes, so for arrays of any strides.
  Selection split() const;
  // The same without its arrays, which only the call that reads indices needs.
  Selection without_arrays() const;
  // An index expression that selects the same; `arrays` stand for all components but those of
  // `integers`, which are kept.
  py::tuple expression(const Dims& integers, const std::vector<py::object>& arrays) const;

  std::span<const int64_t> shape() const { return {shape_.begin(), shape_.end()}; }  // the array's
  const InlineVector<Axis, 4>& axes() const { return axes_; }
  const InlineVector<Component, 2>& components() const { return components_; }
  std::span<const int64_t> outer() const { return {outer_.begin(), outer_.end()}; }
  // Where the dimensions of `outer` begin in the result, among the axes that nothing indexes.
  int position() const { return position_; }

  // Whether the view has every element of the array; whether axes are merged.
  bool covers() const;
  bool merges() const;
  // Whether integers and arrays index the leading axes, and nothing else is done.
  bool is_plain() const { return plain_; }

  // The expression as messages show it: "[i, :, j]".
  std::string text() const;
  // Messages: for an index out of range, at `place` of its own array; for two positions of `outer`
  // that select the same place.
  std::string describe_bad(size_t component, std::span<const int64_t> place,
                           const std::string& value) const;
  std::string describe_duplicates(int64_t first, int64_t second) const;

 private:
  struct Item;

  Selection(const Selection&) = default;
  using Items = InlineVector<Item, 4>;

  Items read_items(const py::object& index, const py::object& classify);
  void take(const Item& item, int rest);
  void take_mask(const py::array& mask, int rank);
  void take_array(const py::object& array, int merged);
  void broadcast(std::span<const int64_t> shape);
  bool is_one_run(int axes) const;
  bool find_plain() const;
  bool is_whole(const Axis& axis) const;
  std::string shapes_text() const;

  Dims shape_, strides_, outer_;
  InlineVector<Axis, 4> axes_;
  InlineVector<Component, 2> components_;
  std::string kinds_;  // of the items, as in Item
  int position_ = 0;
  int used_ = 0;  // axes of the array
  bool plain_ = false;
};

}  // namespace gathernd::bindings

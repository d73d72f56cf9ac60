// The two functions as CPython calls them, without a Python frame.
#include <algorithm>
#include <array>
#include <string>

#include "entry.hpp"
#include "ops.hpp"
#include "options.hpp"

namespace gathernd::bindings {
namespace {

// The arguments of a call in the order of `names`; null if not given. The first `positional` ones
// may be given without a name.
template <size_t N>
class Arguments {
 public:
  using Names = std::array<PyObject*, N>;  // interned

  // Returns false if Python must handle the call: it is wrong, or its names are not interned.
  bool read(const Names& names, Py_ssize_t positional, PyObject* const* given, Py_ssize_t count,
            PyObject* keywords) {
    if (count > positional) return false;
    for (Py_ssize_t i = 0; i < count; ++i) at_[static_cast<size_t>(i)] = given[i];
    const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
    for (Py_ssize_t i = 0; i < named; ++i) {
      const auto place = std::ranges::find(names, PyTuple_GET_ITEM(keywords, i));
      if (place == names.end()) return false;
      PyObject*& argument = at_[static_cast<size_t>(place - names.begin())];
      if (argument != nullptr) return false;
      argument = given[count + i];
    }
    return true;
  }

  bool has_plain_array(size_t place) const { return is_plain_array(at_[place]); }
  bool is_none(size_t place) const { return at_[place] == nullptr || at_[place] == Py_None; }
  // Whether no other device than the CPU is asked for.
  bool is_cpu(size_t place) const {
    return is_none(place) || (PyUnicode_CheckExact(at_[place]) &&
                              PyUnicode_CompareWithASCIIString(at_[place], "cpu") == 0);
  }

  py::array array(size_t place) const { return py::reinterpret_borrow<py::array>(at_[place]); }
  py::object object_or_none(size_t place) const {
    return py::reinterpret_borrow<py::object>(at_[place] == nullptr ? Py_None : at_[place]);
  }

  // Sets an option to parse(argument) if the argument is given.
  template <class T, class Parse>
  void set(size_t place, T* option, Parse parse) const {
    if (at_[place] != nullptr) *option = parse(py::reinterpret_borrow<py::object>(at_[place]));
  }

 private:
  std::array<PyObject*, N> at_{};
};

template <size_t N>
std::array<PyObject*, N> intern(const std::array<const char*, N>& names) {
  std::array<PyObject*, N> result;
  for (size_t i = 0; i < N; ++i) {
    result[i] = PyUnicode_InternFromString(names[i]);
    if (result[i] == nullptr) throw py::error_already_set();
  }
  return result;
}

enum GatherPlace : size_t { kInput, kIndices, kBatchDims, kMode, kFillValue, kOut, kDevice, kWrap };
constexpr std::array kGatherNames = {
    "input",      "indices", "batch_dims", "mode",
    "fill_value", "out",     "device",     "wrap_negative_indices"};
std::array<PyObject*, kGatherNames.size()> gather_names;
PyObject* python_gather;

enum ScatterPlace : size_t {
  kTable,
  kTuples,
  kUpdates,
  kReduction,
  kBatch,
  kScatterMode,
  kDuplicates,
  kScatterOut,
  kScatterDevice,
  kScatterWrap
};
constexpr std::array kScatterNames = {
    "input", "indices",    "updates", "reduction", "batch_dims",
    "mode",  "duplicates", "out",     "device",    "wrap_negative_indices"};
std::array<PyObject*, kScatterNames.size()> scatter_names;
PyObject* python_scatter;

PyObject* call_gather(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  Arguments<kGatherNames.size()> a;
  const bool is_plain = a.read(gather_names, 3, given, count, keywords) &&
                        a.has_plain_array(kInput) && a.has_plain_array(kIndices) &&
                        (a.is_none(kOut) || a.has_plain_array(kOut)) && a.is_cpu(kDevice);
  return guarded([&]() -> PyObject* {
    GatherOptions options;
    if (is_plain) {
      a.set(kBatchDims, &options.batch_dims,
            [](const auto& o) { return parse_batch_dims(Operator::kGather, o); });
      a.set(kMode, &options.mode, [](const auto& o) { return parse_mode(Operator::kGather, o); });
      a.set(kWrap, &options.wrap_negative_indices,
            [](const auto& o) { return parse_wrap_negative_indices(Operator::kGather, o); });
    }
    if (!is_plain || options.mode == Mode::kFill) {
      return PyObject_Vectorcall(python_gather, given, static_cast<size_t>(count), keywords);
    }
    return gather(a.array(kInput), a.array(kIndices), {}, a.object_or_none(kOut), options)
        .release()
        .ptr();
  });
}

PyObject* call_scatter(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  Arguments<kScatterNames.size()> a;
  const bool is_plain =
      a.read(scatter_names, 5, given, count, keywords) && a.has_plain_array(kTable) &&
      a.has_plain_array(kTuples) && a.has_plain_array(kUpdates) &&
      (a.is_none(kScatterOut) || a.has_plain_array(kScatterOut)) && a.is_cpu(kScatterDevice);
  return guarded([&]() -> PyObject* {
    if (!is_plain)
      return PyObject_Vectorcall(python_scatter, given, static_cast<size_t>(count), keywords);
    ScatterOptions options;
    a.set(kBatch, &options.batch_dims,
          [](const auto& o) { return parse_batch_dims(Operator::kScatter, o); });
    a.set(kScatterMode, &options.mode,
          [](const auto& o) { return parse_mode(Operator::kScatter, o); });
    a.set(kScatterWrap, &options.wrap_negative_indices,
          [](const auto& o) { return parse_wrap_negative_indices(Operator::kScatter, o); });
    a.set(kReduction, &options.reduction,
          [](const auto& o) { return parse_reduction(Operator::kScatter, o); });
    a.set(kDuplicates, &options.duplicates,
          [](const auto& o) { return parse_duplicates(Operator::kScatter, o); });
    return scatter(a.array(kTable), a.array(kTuples), a.array(kUpdates),
                   a.object_or_none(kScatterOut), options)
        .release()
        .ptr();
  });
}

// It has no self, so that it is pickled by name.
py::object make_entry(const py::function& python, FastCall call) {
  return py::reinterpret_steal<py::object>(
      PyCFunction_NewEx(describe(python, call), nullptr, py::str("gathernd").release().ptr()));
}

}  // namespace

PyMethodDef* describe(const py::function& python, PyCFunction call, int flags) {
  struct Entry {
    std::string name, documentation;
    PyMethodDef method;
  };
  const auto text = [](const py::object& object) { return py::str(object).cast<std::string>(); };
  // CPython reads the signature back from the documentation, if there are no annotations in it.
  const py::object inspect = py::module_::import("inspect");
  py::object signature = inspect.attr("signature")(python);
  const py::object empty = inspect.attr("Signature").attr("empty");
  py::list parameters;
  for (const py::handle parameter : signature.attr("parameters").attr("values")()) {
    parameters.append(parameter.attr("replace")(py::arg("annotation") = empty));
  }
  signature = signature.attr("replace")(py::arg("parameters") = parameters,
                                        py::arg("return_annotation") = empty);
  std::string parameters_text = text(signature);
  if (parameters_text.starts_with("(self")) parameters_text.insert(1, "$");  // of a method
  auto& entry = *new Entry;
  entry.name = text(python.attr("__name__"));
  const py::object documentation = python.attr("__doc__");
  entry.documentation = entry.name + parameters_text + "\n--\n\n" +
                        (documentation.is_none() ? "" : text(documentation));
  entry.method = {entry.name.c_str(), call, flags, entry.documentation.c_str()};
  return &entry.method;
}

PyMethodDef* describe(const py::function& python, FastCall call) {
  return describe(python, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call)),
                  METH_FASTCALL | METH_KEYWORDS);
}

py::object make_gather_entry(const py::function& python) {
  gather_names = intern(kGatherNames);
  python_gather = py::object(python).release().ptr();
  return make_entry(python, &call_gather);
}

py::object make_scatter_entry(const py::function& python) {
  scatter_names = intern(kScatterNames);
  python_scatter = py::object(python).release().ptr();
  return make_entry(python, &call_scatter);
}

}  // namespace gathernd::bindings

// The two functions as CPython calls them, without a Python frame.
#include <array>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "entry.hpp"
#include "ops.hpp"
#include "options.hpp"

namespace gathernd::bindings {
namespace {

struct Gather {
  static constexpr auto kOp = Operator::kGather;
  enum Place : size_t { kInput, kIndices, kBatchDims, kMode, kFillValue, kOut, kDevice, kWrap };
  static constexpr std::array kNames = {
      "input",      "indices", "batch_dims", "mode",
      "fill_value", "out",     "device",     "wrap_negative_indices"};
  static inline std::array<PyObject*, kNames.size()> names;
  static inline PyObject* python;

  static PyObject* call(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
    Arguments<kNames.size()> a;
    const bool is_plain = a.read(names, 3, given, count, keywords) && a.has_plain_array(kInput) &&
                          a.has_plain_array(kIndices) &&
                          (a.is_none(kOut) || a.has_plain_array(kOut)) && a.is_cpu(kDevice);
    return guarded([&]() -> PyObject* {
      GatherOptions options;
      if (is_plain) {
        a.set(kBatchDims, &options.batch_dims,
              [](const auto& o) { return parse_batch_dims(kOp, o); });
        a.set(kMode, &options.mode, [](const auto& o) { return parse_mode(kOp, o); });
        a.set(kWrap, &options.wrap_negative_indices,
              [](const auto& o) { return parse_wrap_negative_indices(kOp, o); });
      }
      if (!is_plain || options.mode == Mode::kFill) {
        return PyObject_Vectorcall(python, given, static_cast<size_t>(count), keywords);
      }
      return gather(a.array(kInput), a.array(kIndices), {}, a.object_or_none(kOut), options)
          .release()
          .ptr();
    });
  }
};

struct Scatter {
  static constexpr auto kOp = Operator::kScatter;
  enum Place : size_t {
    kInput,
    kIndices,
    kUpdates,
    kReduction,
    kBatchDims,
    kMode,
    kDuplicates,
    kOut,
    kDevice,
    kWrap
  };
  static constexpr std::array kNames = {
      "input", "indices",    "updates", "reduction", "batch_dims",
      "mode",  "duplicates", "out",     "device",    "wrap_negative_indices"};
  static inline std::array<PyObject*, kNames.size()> names;
  static inline PyObject* python;

  static PyObject* call(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
    Arguments<kNames.size()> a;
    const bool is_plain = a.read(names, 5, given, count, keywords) && a.has_plain_array(kInput) &&
                          a.has_plain_array(kIndices) && a.has_plain_array(kUpdates) &&
                          (a.is_none(kOut) || a.has_plain_array(kOut)) && a.is_cpu(kDevice);
    return guarded([&]() -> PyObject* {
      if (!is_plain)
        return PyObject_Vectorcall(python, given, static_cast<size_t>(count), keywords);
      ScatterOptions options;
      a.set(kBatchDims, &options.batch_dims,
            [](const auto& o) { return parse_batch_dims(kOp, o); });
      a.set(kMode, &options.mode, [](const auto& o) { return parse_mode(kOp, o); });
      a.set(kWrap, &options.wrap_negative_indices,
            [](const auto& o) { return parse_wrap_negative_indices(kOp, o); });
      a.set(kReduction, &options.reduction, [](const auto& o) { return parse_reduction(kOp, o); });
      a.set(kDuplicates, &options.duplicates,
            [](const auto& o) { return parse_duplicates(kOp, o); });
      return scatter(a.array(kInput), a.array(kIndices), a.array(kUpdates), a.object_or_none(kOut),
                     options)
          .release()
          .ptr();
    });
  }
};

// It has no self, so that it is pickled by name.
template <class Function>
py::object make_entry(const py::function& python) {
  Function::names = intern(Function::kNames);
  Function::python = py::object(python).release().ptr();
  return py::reinterpret_steal<py::object>(PyCFunction_NewEx(
      describe(python, &Function::call), nullptr, py::str("gathernd").release().ptr()));
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

PyObject* replace_method(const py::type& type, const char* name, PyMethodDef* method) {
  PyObject* const python = py::object(type.attr(name)).release().ptr();
  const auto built_in = py::reinterpret_steal<py::object>(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), method));
  if (!built_in) throw py::error_already_set();
  py::setattr(type, name, built_in);
  return python;
}

PyObject* replace_method(const py::type& type, const char* name, FastCall call) {
  return replace_method(type, name, describe(type.attr(name).cast<py::function>(), call));
}

PyObject* call_method(PyObject* function, PyObject* self, PyObject* const* given, Py_ssize_t count,
                      PyObject* keywords) {
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  std::vector<PyObject*> all{self};
  all.insert(all.end(), given, given + count + named);
  return PyObject_Vectorcall(function, all.data(), static_cast<size_t>(count + 1), keywords);
}

py::object make_gather_entry(const py::function& python) { return make_entry<Gather>(python); }

py::object make_scatter_entry(const py::function& python) { return make_entry<Scatter>(python); }

}  // namespace gathernd::bindings

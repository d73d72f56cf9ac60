// The methods of gathernd.IndexPlan as CPython calls them, without a Python frame.
#include <array>

#include "arguments.hpp"
#include "entry.hpp"
#include "index_plan.hpp"
#include "options.hpp"

namespace gathernd::bindings {
namespace {

enum GatherPlace : size_t { kInput, kFillValue, kOut };
constexpr std::array kGatherNames = {"input", "fill_value", "out"};
std::array<PyObject*, kGatherNames.size()> gather_names;
PyObject* python_gather;

enum ScatterPlace : size_t { kTable, kUpdates, kReduction, kDuplicates, kScatterOut };
constexpr std::array kScatterNames = {"input", "updates", "reduction", "duplicates", "out"};
std::array<PyObject*, kScatterNames.size()> scatter_names;
PyObject* python_scatter;

PyTypeObject* plan_type;  // IndexPlan; for the plans of index expressions, which derive from it,
                          // Python code does the work
PyObject* plan_name;      // "_plan": the attribute with what `_core` made

// The attribute is kept alive, because Python code may set it to another while a call runs.
py::object plan_of(PyObject* self) {
  PyObject* const plan = PyObject_GetAttr(self, plan_name);
  if (plan == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(plan);
}

PyObject* call_gather(PyObject* self, PyObject* const* given, Py_ssize_t count,
                      PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    Arguments<kGatherNames.size()> a;
    if (Py_TYPE(self) == plan_type && a.read(gather_names, 1, given, count, keywords) &&
        a.has_plain_array(kInput) && (a.is_none(kOut) || a.has_plain_array(kOut))) {
      const py::object held = plan_of(self);
      const auto& plan = held.cast<const IndexPlan&>();
      if (!leaves_holes(plan.options().mode)) {
        return gather_by(plan, a.array(kInput), {}, a.object_or_none(kOut)).release().ptr();
      }
    }
    return call_method(python_gather, self, given, count, keywords);
  });
}

PyObject* call_scatter(PyObject* self, PyObject* const* given, Py_ssize_t count,
                       PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    Arguments<kScatterNames.size()> a;
    const bool is_plain = Py_TYPE(self) == plan_type &&
                          a.read(scatter_names, 3, given, count, keywords) &&
                          a.has_plain_array(kTable) && a.has_plain_array(kUpdates) &&
                          (a.is_none(kScatterOut) || a.has_plain_array(kScatterOut));
    if (!is_plain) return call_method(python_scatter, self, given, count, keywords);
    auto reduction = Reduction::kNone;
    auto duplicates = Duplicates::kLast;
    a.set(kReduction, &reduction,
          [](const auto& o) { return parse_reduction(Operator::kScatter, o); });
    a.set(kDuplicates, &duplicates,
          [](const auto& o) { return parse_duplicates(Operator::kScatter, o); });
    const py::object held = plan_of(self);
    return scatter_by(held.cast<const IndexPlan&>(), a.array(kTable), a.array(kUpdates),
                      a.object_or_none(kScatterOut), reduction, duplicates)
        .release()
        .ptr();
  });
}

}  // namespace

void enter_plan(const py::type& plan) {
  gather_names = intern(kGatherNames);
  scatter_names = intern(kScatterNames);
  plan_type = reinterpret_cast<PyTypeObject*>(py::object(plan).release().ptr());
  plan_name = intern(std::array{"_plan"})[0];
  python_gather = replace_method(plan, "gather", &call_gather);
  python_scatter = replace_method(plan, "scatter", &call_scatter);
}

}  // namespace gathernd::bindings

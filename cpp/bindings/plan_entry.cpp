// The methods of gathernd.IndexPlan as CPython calls them, without a Python frame.
#include <array>

#include "arguments.hpp"
#include "entry.hpp"
#include "index_plan.hpp"
#include "options.hpp"
#include "sealed.hpp"

namespace gathernd::bindings {
namespace {

PyTypeObject* plan_type;  // IndexPlan; for the plans of index expressions, which derive from it,
                          // Python code does the work
PyObject* plan_name;      // "_plan": the attribute with what `_core` made

// The attribute is kept alive, because Python code may set it to another while a call runs.
py::object plan_of(PyObject* self) {
  PyObject* const plan = PyObject_GetAttr(self, plan_name);
  if (plan == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(plan);
}

struct PlanGather {
  enum Place : size_t { kInput, kFillValue, kOut };
  static constexpr std::array kNames = {"input", "fill_value", "out"};
  static inline std::array<PyObject*, kNames.size()> names;
  static inline PyObject* python;

  static PyObject* call(PyObject* self, PyObject* const* given, Py_ssize_t count,
                        PyObject* keywords) {
    return guarded([&]() -> PyObject* {
      Arguments<kNames.size()> a;
      if (Py_TYPE(self) == plan_type && a.read(names, 1, given, count, keywords) &&
          a.has_plain_array(kInput) && (a.is_none(kOut) || a.has_plain_array(kOut))) {
        const py::object held = plan_of(self);
        const auto& plan = value_of<IndexPlan>(held);
        if (!leaves_holes(plan.options().mode)) {
          return gather_by(plan, a.array(kInput), {}, a.object_or_none(kOut)).release().ptr();
        }
      }
      return call_method(python, self, given, count, keywords);
    });
  }
};

struct PlanScatter {
  static constexpr auto kOp = Operator::kScatter;
  enum Place : size_t { kInput, kUpdates, kReduction, kDuplicates, kOut };
  static constexpr std::array kNames = {"input", "updates", "reduction", "duplicates", "out"};
  static inline std::array<PyObject*, kNames.size()> names;
  static inline PyObject* python;

  static PyObject* call(PyObject* self, PyObject* const* given, Py_ssize_t count,
                        PyObject* keywords) {
    return guarded([&]() -> PyObject* {
      Arguments<kNames.size()> a;
      const bool is_plain = Py_TYPE(self) == plan_type &&
                            a.read(names, 3, given, count, keywords) && a.has_plain_array(kInput) &&
                            a.has_plain_array(kUpdates) &&
                            (a.is_none(kOut) || a.has_plain_array(kOut));
      if (!is_plain) return call_method(python, self, given, count, keywords);
      auto reduction = Reduction::kNone;
      auto duplicates = Duplicates::kLast;
      a.set(kReduction, &reduction, [](const auto& o) { return parse_reduction(kOp, o); });
      a.set(kDuplicates, &duplicates, [](const auto& o) { return parse_duplicates(kOp, o); });
      const py::object held = plan_of(self);
      return scatter_by(value_of<IndexPlan>(held), a.array(kInput), a.array(kUpdates),
                        a.object_or_none(kOut), reduction, duplicates)
          .release()
          .ptr();
    });
  }
};

template <class Method>
void enter(const py::type& plan, const char* name) {
  Method::names = intern(Method::kNames);
  Method::python = replace_method(plan, name, &Method::call);
}

}  // namespace

void enter_plan(const py::type& plan) {
  plan_type = reinterpret_cast<PyTypeObject*>(py::object(plan).release().ptr());
  plan_name = intern(std::array{"_plan"})[0];
  enter<PlanGather>(plan, "gather");
  enter<PlanScatter>(plan, "scatter");
}

}  // namespace gathernd::bindings

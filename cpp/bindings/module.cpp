// gathernd._core: the C++ core for Python. It is private; python/gathernd has the public names.
#include <new>

#include "cpu/common/tuning.hpp"
#include "cpu/gather/strategy.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/scatter/strategy.hpp"
#include "gathernd/device.hpp"
#include "numpy.hpp"
#include "result_memory.hpp"
#include "runtime/settings.hpp"
#include "runtime/trace.hpp"

namespace py = pybind11;
using namespace gathernd;

namespace {

// NumPy and pybind11 keep objects of one interpreter for the whole process.
constexpr char kSubinterpreter[] = "gathernd works in the main interpreter only";

bool is_main_interpreter() { return PyInterpreterState_Get() == PyInterpreterState_Main(); }

}  // namespace

PYBIND11_MODULE(_core_of_main, m, py::mod_gil_not_used()) {
  if (!is_main_interpreter()) throw py::import_error(kSubinterpreter);  // from Python 3.13 on
  py::dtype::of<bool>();  // finds NumPy now: doing so in a thread that is ending aborts the process
  bindings::find_numpy_memory();
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> device_error;
  device_error.call_once_and_store_result([&] {
    py::object type = py::exception<Error>(m, "DeviceError", PyExc_RuntimeError);
    type.attr("__module__") = "gathernd";
    type.attr("__doc__") =
        "A device is missing, cannot be opened, or failed. The message says what was tried.";
    return type;
  });
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      if (PyErr_Occurred()) return;  // Ctrl-C ended a wait and has set its own exception
      switch (error.kind()) {
        case ErrorKind::kValue:
          return py::set_error(PyExc_ValueError, error.what());
        case ErrorKind::kType:
          return py::set_error(PyExc_TypeError, error.what());
        case ErrorKind::kIndex:
          return py::set_error(PyExc_IndexError, error.what());
        case ErrorKind::kDevice:
          return py::set_error(device_error.get_stored(), error.what());
      }
    } catch (const std::bad_alloc&) {
      return py::set_error(PyExc_MemoryError,
                           "gathernd: not enough memory in addition to the result's");
    }
  });

  m.attr("__version__") = kVersion;
  bindings::bind_ops(m);
  bindings::bind_selection(m);
  bindings::bind_at(m);
  bindings::bind_chunks(m);
  bindings::bind_dml(m);
  bindings::bind_index_plan(m);
  bindings::bind_at_plan(m);
  bindings::bind_lists(m);
  bindings::bind_winners(m);
  bindings::bind_devices(m);
  m.def("from_dlpack", &bindings::from_dlpack);
  m.def("new_like", &bindings::new_like);
  m.def("read_environment", [] {
    read_environment();
    read_target();
  });
  m.def("keep_limit", &keep_limit);
  m.def("kept_memory", &kept_memory);
  m.def("release_memory", [] {
    const bindings::GilRelease nogil;  // drivers may take long
    return release_memory();
  });
  m.def("num_threads", &num_threads);
  m.def("set_num_threads", &set_num_threads);
  m.def("process_threads", &process_threads);
  m.def("limit_threads", &limit_threads);
  m.def("cpu_targets", &cpu_targets);
  m.def("cpu_target", &cpu_target);
  m.def("set_cpu_target", &set_cpu_target);
  m.def("grain", &grain);
  m.def("set_grain", [](int64_t items) {
    set_grain(items);
    set_tuning(items > 0 ? Tuning::small() : Tuning{});
  });
  m.def("force_gather", &force_gather);
  m.def("force_scatter", &force_scatter);
  m.def("force_device_gather", &force_device_gather);
  m.def("force_device_scatter", &force_device_scatter);
  m.def("explain", [](const py::function& call) {
    const Trace trace;
    call();
    return py::cast(trace.calls());
  });
}

// Up to Python 3.12, pybind11 hangs if a subinterpreter is the first to import the module. This
// check comes before it.
extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
  if (is_main_interpreter()) return PyInit__core_of_main();
  PyErr_SetString(PyExc_ImportError, kSubinterpreter);
  return nullptr;
}

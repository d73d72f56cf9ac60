// The two functions: arrays to views, allocation of results, the GIL.
#include <array>
#include <optional>
#include <string>

#include "numpy.hpp"

namespace gathernd::bindings {
namespace {

template <class Option>
Option parse(Operator op, const char* what, const py::object& given,
             std::initializer_list<std::pair<const char*, Option>> allowed) {
  std::string list;
  if (PyUnicode_Check(given.ptr())) {
    for (const auto& [text, option] : allowed) {
      if (PyUnicode_CompareWithASCIIString(given.ptr(), text) == 0) return option;
    }
  }
  for (const auto& [text, option] : allowed) {
    list += (list.empty() ? "\"" : ", \"") + std::string(text) + "\"";
  }
  throw py::value_error(std::string(name(op)) + ": " + what + " must be one of " + list + ", not " +
                        py::repr(given).cast<std::string>());
}

int64_t parse_batch_dims(Operator op, const py::object& given) {
  if (PyBool_Check(given.ptr()) || !PyIndex_Check(given.ptr())) {
    throw py::type_error(std::string(name(op)) + ": batch_dims must be an integer, not " +
                         py::repr(given).cast<std::string>());
  }
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
  if (!number) throw py::error_already_set();
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  return overflow == 0 ? value : overflow < 0 ? INT64_MIN : INT64_MAX;
}

py::array gather(const py::array& input, const py::array& indices, const py::object& batch_dims,
                 const py::object& mode, const std::optional<py::array>& fill_value,
                 const py::object& out) {
  constexpr auto kOp = Operator::kGather;
  GatherOptions options;
  options.batch_dims = parse_batch_dims(kOp, batch_dims);
  options.mode = parse<Mode>(kOp, "mode", mode,
                             {{"raise", Mode::kRaise},
                              {"clip", Mode::kClip},
                              {"wrap", Mode::kWrap},
                              {"fill", Mode::kFill}});
  if (fill_value) options.fill_value = static_cast<const std::byte*>(fill_value->data());
  options.fresh_output = out.is_none();
  const Tensor from = to_tensor(input, kOp, "input");
  const Tensor tuples = to_tensor(indices, kOp, "indices");
  const Dims shape = rows_shape(kOp, from.shape, tuples.shape, options.batch_dims);
  py::array result = out.is_none() ? make_array(input.dtype(), {shape.begin(), shape.end()})
                                   : check_out(out, input.dtype(), kOp);
  const Tensor to = to_tensor(result, kOp, "out");
  const py::gil_scoped_release nogil;
  gather_nd(from, tuples, to, options);
  return result;
}

py::array scatter(const py::array& input, const py::array& indices, const py::array& updates,
                  const py::object& reduction, const py::object& batch_dims,
                  const py::object& mode, const py::object& duplicates, const py::object& out) {
  constexpr auto kOp = Operator::kScatter;
  ScatterOptions options;
  options.batch_dims = parse_batch_dims(kOp, batch_dims);
  options.mode = parse<Mode>(kOp, "mode", mode,
                             {{"raise", Mode::kRaise},
                              {"clip", Mode::kClip},
                              {"wrap", Mode::kWrap},
                              {"drop", Mode::kDrop}});
  options.reduction = parse<Reduction>(kOp, "reduction", reduction,
                                       {{"none", Reduction::kNone},
                                        {"add", Reduction::kAdd},
                                        {"sub", Reduction::kSub},
                                        {"mul", Reduction::kMul},
                                        {"min", Reduction::kMin},
                                        {"max", Reduction::kMax},
                                        {"and", Reduction::kAnd},
                                        {"or", Reduction::kOr},
                                        {"xor", Reduction::kXor}});
  options.duplicates = parse<Duplicates>(kOp, "duplicates", duplicates,
                                         {{"last", Duplicates::kLast},
                                          {"first", Duplicates::kFirst},
                                          {"error", Duplicates::kError},
                                          {"any", Duplicates::kAny}});
  const Tensor from = to_tensor(input, kOp, "input");
  const Tensor tuples = to_tensor(indices, kOp, "indices");
  const Tensor rows = to_tensor(updates, kOp, "updates");
  if (!updates.dtype().is(input.dtype()) && !updates.dtype().equal(input.dtype())) {
    throw py::type_error("scatter_nd: updates must have input's dtype " +
                         py::str(input.dtype()).cast<std::string>() + ", not " +
                         py::str(updates.dtype()).cast<std::string>() +
                         "; convert with updates.astype(input.dtype)");
  }
  py::array result = out.is_none() ? make_array(input.dtype(), from.shape)
                                   : check_out(out, input.dtype(), kOp);
  const Tensor to = to_tensor(result, kOp, "out");
  const py::gil_scoped_release nogil;
  scatter_nd(from, tuples, rows, to, options);
  return result;
}

}  // namespace

void bind_ops(py::module_& m) {
  m.def("gather_nd", &gather, py::arg("input"), py::arg("indices"), py::arg("batch_dims"),
        py::arg("mode"), py::arg("fill_value"), py::arg("out"));
  m.def("scatter_nd", &scatter, py::arg("input"), py::arg("indices"), py::arg("updates"),
        py::arg("reduction"), py::arg("batch_dims"), py::arg("mode"), py::arg("duplicates"),
        py::arg("out"));
}

}  // namespace gathernd::bindings

// DirectML's descs and compiled operators.
#include "gathernd/dml.hpp"

#include <string>
#include <tuple>

#include "numpy.hpp"

namespace gathernd::bindings {
namespace {

// data_type, sizes, strides, total_tensor_size_in_bytes, flags, guaranteed_base_offset_alignment
using Fields = std::tuple<uint32_t, std::vector<uint32_t>, std::optional<std::vector<uint32_t>>,
                          std::optional<uint64_t>, uint32_t, uint32_t>;

dml::TensorDesc to_desc(const Fields& fields) {
  const auto& [type, sizes, strides, total, flags, alignment] = fields;
  return {static_cast<dml::DataType>(type), sizes, strides, total, flags, alignment};
}

dml::CompiledOperator compile(const std::string& op, const std::vector<Fields>& tensors,
                              const std::vector<uint32_t>& counts, const std::string& feature_level,
                              int device) {
  Backend* backend = find_backend(device);
  const dml::FeatureLevel level = dml::parse_feature_level(feature_level);
  const auto tensor = [&](size_t i) { return to_desc(tensors.at(i)); };
  if (op == "GATHER_ND") {
    return {dml::GatherNDOperatorDesc{tensor(0), tensor(1), tensor(2), counts.at(0), counts.at(1)},
            level, backend};
  }
  if (op == "GATHER_ND1") {
    return {dml::GatherND1OperatorDesc{tensor(0), tensor(1), tensor(2), counts.at(0), counts.at(1),
                                       counts.at(2)},
            level, backend};
  }
  return {dml::ScatterNDOperatorDesc{tensor(0), tensor(1), tensor(2), tensor(3), counts.at(0),
                                     counts.at(1)},
          level, backend};
}

py::array run(const dml::CompiledOperator& compiled, const py::array& input,
              const py::array& indices, const std::optional<py::array>& updates,
              const py::object& out) {
  const Operator op = compiled.op();
  const ArrayView from(input, op, "input");
  const ArrayView tuples(indices, op, "indices");
  std::optional<ArrayView> rows;
  if (updates) rows.emplace(*updates, op, "updates");
  const Dims& sizes = compiled.output().sizes;
  py::array result =
      out.is_none() ? make_array(input.dtype(), sizes) : check_out(out, input.dtype(), "op");
  const ArrayView to(result, op, "out");
  const GilRelease nogil;
  compiled.run(from.tensor(), tuples.tensor(), rows ? rows->tensor() : Tensor{}, to.tensor(),
               out.is_none());
  return result;
}

std::span<std::byte> to_buffer(const py::array& array, const char* what) {
  const bool flat = array.ndim() == 1 && (array.flags() & py::array::c_style) != 0;
  if (!array.dtype().equal(py::dtype::of<uint8_t>()) || !flat) {
    throw py::type_error(std::string("run_buffers: ") + what +
                         " must be a contiguous one-dimensional array of uint8, not " +
                         py::str(array.dtype()).cast<std::string>() + " of " +
                         std::to_string(array.ndim()) + " dimensions");
  }
  return {static_cast<std::byte*>(const_cast<void*>(array.data())),
          static_cast<size_t>(array.size())};
}

void run_buffers(const dml::CompiledOperator& compiled, const py::array& input,
                 const py::array& indices, const std::optional<py::array>& updates,
                 const py::object& output) {
  if (!py::isinstance<py::array>(output)) {
    throw py::type_error("run_buffers: output must be a numpy.ndarray, not " +
                         py::str(py::type::of(output).attr("__name__")).cast<std::string>());
  }
  const auto to = py::reinterpret_borrow<py::array>(output);
  if (!to.writeable()) throw py::value_error("run_buffers: output is read-only");
  const auto from = to_buffer(input, "input");
  const auto tuples = to_buffer(indices, "indices");
  const auto rows = updates ? to_buffer(*updates, "updates") : std::span<std::byte>();
  const auto into = to_buffer(to, "output");
  const GilRelease nogil;
  compiled.run_buffers(from, tuples, rows, into);
}

}  // namespace

void bind_dml(py::module_& m) {
  py::class_<dml::CompiledOperator>(m, "DmlOperator")
      .def("run", &run, py::arg("input"), py::arg("indices"), py::arg("updates"), py::arg("out"))
      .def("run_buffers", &run_buffers, py::arg("input"), py::arg("indices"), py::arg("updates"),
           py::arg("output"));
  m.def("dml_compile", &compile, py::arg("op"), py::arg("tensors"), py::arg("counts"),
        py::arg("feature_level"), py::arg("device"));
  m.def(
      "dml_buffer_size", [](const Fields& fields) { return buffer_tensor_size(to_desc(fields)); },
      py::arg("tensor"));
}

}  // namespace gathernd::bindings

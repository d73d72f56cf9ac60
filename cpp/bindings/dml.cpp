// DirectML's descs and compiled operators.
#include "gathernd/dml.hpp"

#include <string>
#include <tuple>

#include "numpy.hpp"
#include "sealed.hpp"

namespace gathernd::bindings {
namespace {

// The fields of a TensorDesc: data_type, sizes, strides, total_tensor_size_in_bytes, flags,
// guaranteed_base_offset_alignment.
using Fields = std::tuple<uint32_t, std::vector<uint32_t>, std::optional<std::vector<uint32_t>>,
                          std::optional<uint64_t>, uint32_t, uint32_t>;

dml::TensorDesc to_desc(const Fields& fields) {
  const auto& [type, sizes, strides, total, flags, alignment] = fields;
  return {static_cast<dml::DataType>(type), sizes, strides, total, flags, alignment};
}

dml::CompiledOperator compile(const std::string& op, const std::vector<Fields>& tensors,
                              const std::vector<uint32_t>& counts, const std::string& feature_level,
                              const std::string& device) {
  Backend* backend = open_backend(device);
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
  py::array result = out.is_none() ? make_array(from.dtype(), sizes) : to_out(out, "op");
  const OutputView to(result, out.is_none(), "op", "out", from.dtype());
  check_unchanged(from, tuples, to);
  if (rows) rows->check_unchanged();
  const GilRelease nogil;
  compiled.run(from.tensor(), tuples.tensor(), rows ? rows->tensor() : Tensor{}, to.tensor(),
               out.is_none());
  return result;
}

std::span<std::byte> to_buffer(const ArrayView& view, const char* what) {
  const auto& [data, dtype, shape, strides] = view.tensor();
  if (dtype.kind != Kind::kUInt8 || shape.size() != 1 || !view.is_contiguous()) {
    throw py::type_error(std::string("run_buffers: ") + what +
                         " must be a contiguous one-dimensional array of uint8, not " +
                         py::str(view.dtype()).cast<std::string>() + " with " +
                         std::to_string(shape.size()) + " dimensions");
  }
  return {data, static_cast<size_t>(shape[0])};
}

void run_buffers(const dml::CompiledOperator& compiled, const py::array& input,
                 const py::array& indices, const std::optional<py::array>& updates,
                 const py::object& output) {
  constexpr char kOp[] = "run_buffers";
  if (!py::isinstance<py::array>(output)) {
    throw py::type_error("run_buffers: output must be a numpy.ndarray, not " +
                         py::str(py::type::of(output).attr("__name__")).cast<std::string>());
  }
  const auto array = py::reinterpret_borrow<py::array>(output);
  const OutputView to(array, false, kOp, "output");
  const ArrayView from(input, kOp, "input");
  const ArrayView tuples(indices, kOp, "indices");
  std::optional<ArrayView> rows;
  if (updates) rows.emplace(*updates, kOp, "updates");
  const auto from_bytes = to_buffer(from, "input");
  const auto tuples_bytes = to_buffer(tuples, "indices");
  const auto rows_bytes = rows ? to_buffer(*rows, "updates") : std::span<std::byte>();
  const auto to_bytes = to_buffer(to, "output");
  const GilRelease nogil;
  compiled.run_buffers(from_bytes, tuples_bytes, rows_bytes, to_bytes);
}

}  // namespace

void bind_dml(py::module_& m) {
  auto type = sealed_class<dml::CompiledOperator>(m, "DmlOperator");
  type.def("run", &run, py::arg("input"), py::arg("indices"), py::arg("updates"), py::arg("out"))
      .def("run_buffers", &run_buffers, py::arg("input"), py::arg("indices"), py::arg("updates"),
           py::arg("output"));
  seal(type);
  m.def("dml_compile", &compile, py::arg("op"), py::arg("tensors"), py::arg("counts"),
        py::arg("feature_level"), py::arg("device"));
  m.def(
      "dml_buffer_size", [](const Fields& fields) { return buffer_tensor_size(to_desc(fields)); },
      py::arg("tensor"));
}

}  // namespace gathernd::bindings

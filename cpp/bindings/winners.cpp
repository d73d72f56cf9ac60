// gathernd.winners for Python: which update of a scatter_nd stayed.
#include "gathernd/winners.hpp"

#include "numpy.hpp"
#include "options.hpp"

namespace gathernd::bindings {
namespace {

py::array winners(const py::array& result, const py::array& indices, const py::array& updates,
                  const py::object& reduction, const py::object& batch_dims, const py::object& mode,
                  const py::object& duplicates, const py::object& wrap_negative_indices,
                  int64_t none) {
  constexpr auto kOp = Operator::kScatter;
  ScatterOptions options;
  options.batch_dims = parse_batch_dims(kOp, batch_dims);
  options.mode = parse_mode(kOp, mode);
  options.wrap_negative_indices = parse_wrap_negative_indices(kOp, wrap_negative_indices);
  options.reduction = parse_reduction(kOp, reduction);
  options.duplicates = parse_duplicates(kOp, duplicates);
  const ArrayView table(result, kOp, "input");
  const ArrayView tuples(indices, kOp, "indices");
  const ArrayView rows(updates, name(kOp), "updates", table.dtype());
  py::array found = make_array(py::dtype::of<int64_t>(), table.tensor().shape);
  auto* const to = static_cast<int64_t*>(found.mutable_data());
  check_unchanged(table, tuples, rows);
  const GilRelease nogil;
  find_winners(table.tensor(), tuples.tensor(), rows.tensor(), to, options, none);
  return found;
}

}  // namespace

void bind_winners(py::module_& m) {
  m.def("winners", &winners, py::arg("result"), py::arg("indices"), py::arg("updates"),
        py::arg("reduction"), py::arg("batch_dims"), py::arg("mode"), py::arg("duplicates"),
        py::arg("wrap_negative_indices"), py::arg("none") = -1);
}

}  // namespace gathernd::bindings

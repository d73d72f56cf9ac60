// Turns descs into views of memory.
#include "core/overlap.hpp"
#include "dml/rules.hpp"

namespace gathernd::dml {
namespace {

void check_no_overlap(const Description& desc, const Layout& layout, const char* field) {
  if (overlaps_itself({nullptr, layout.dtype, layout.sizes, layout.strides})) {
    throw Error(ErrorKind::kValue, std::string(desc.name) + ": " + field +
                                       ".strides must not make elements share memory");
  }
}

Tensor view_buffer(const Layout& layout, std::span<const std::byte> buffer, const char* what) {
  if (buffer.size() < layout.bytes) {
    throw Error(ErrorKind::kValue, std::string("run_buffers: ") + what + " must have at least " +
                                       std::to_string(layout.bytes) + " bytes, not " +
                                       std::to_string(buffer.size()));
  }
  return {const_cast<std::byte*>(buffer.data()), layout.dtype, layout.sizes, layout.strides};
}

// Drops the ignored leading dimensions if the tensor has them.
Tensor view_tensor(const Layout& layout, const Tensor& tensor, const char* what) {
  if (tensor.dtype != layout.dtype) {
    throw Error(ErrorKind::kType, std::string(what) + " must have the desc's type " +
                                      name(layout.dtype.kind) + ", not " +
                                      (tensor.dtype.native ? "" : "byte-swapped ") +
                                      name(tensor.dtype.kind));
  }
  const std::span<const int64_t> all(layout.sizes);
  size_t drop = 0;
  if (std::ranges::equal(tensor.shape, all)) {
    drop = static_cast<size_t>(layout.ignored);
  } else if (!std::ranges::equal(tensor.shape, layout.shape())) {
    throw Error(ErrorKind::kValue, std::string(what) + " must have the desc's sizes " + text(all) +
                                       (layout.ignored > 0 ? " or " + text(layout.shape()) : "") +
                                       ", not " + text(tensor.shape));
  }
  return {tensor.data, tensor.dtype, tensor.shape.subspan(drop), tensor.strides.subspan(drop)};
}

}  // namespace

CompiledOperator::CompiledOperator(const OperatorDesc& any, FeatureLevel level, Backend* backend)
    : backend_(backend) {
  const Description desc = describe(any);
  const auto lay = [&](const TensorDesc& tensor, const char* field) {
    return lay_out(tensor, std::string(desc.name) + ": " + field);
  };
  input_ = lay(*desc.input, "input_tensor");
  indices_ = lay(*desc.indices, "indices_tensor");
  if (desc.updates) updates_ = lay(*desc.updates, "updates_tensor");
  output_ = lay(*desc.output, "output_tensor");
  check_support(desc, level);
  check_fit(desc);

  const auto ignored = [](const Layout& layout, uint32_t count) {
    return layout.sizes.size() - static_cast<int>(count);
  };
  const uint32_t rows = desc.indices_dimension_count - 1 + desc.input_dimension_count -
                        desc.batch_dimension_count - desc.indices->sizes.back();
  op_ = desc.op;
  batch_dims_ = desc.batch_dimension_count;
  input_.ignored = ignored(input_, desc.input_dimension_count);
  indices_.ignored = ignored(indices_, desc.indices_dimension_count);
  if (op_ == Operator::kScatter) {
    updates_.ignored = ignored(updates_, rows);
    output_.ignored = input_.ignored;
    check_no_overlap(desc, indices_, "indices_tensor");
  } else {
    output_.ignored = ignored(output_, rows);
  }
  check_no_overlap(desc, output_, "output_tensor");
}

void CompiledOperator::run_buffers(std::span<const std::byte> input,
                                   std::span<const std::byte> indices,
                                   std::span<const std::byte> updates,
                                   std::span<std::byte> output) const {
  const Tensor rows =
      op_ == Operator::kScatter ? view_buffer(updates_, updates, "updates") : Tensor{};
  run(view_buffer(input_, input, "input"), view_buffer(indices_, indices, "indices"), rows,
      view_buffer(output_, output, "output"));
}

void CompiledOperator::run(const Tensor& input, const Tensor& indices, const Tensor& updates,
                           const Tensor& output, bool fresh_output) const {
  const Tensor from = view_tensor(input_, input, "input");
  const Tensor tuples = view_tensor(indices_, indices, "indices");
  const Tensor to = view_tensor(output_, output, "output");
  if (op_ == Operator::kScatter) {
    ScatterOptions options;
    options.fresh_output = fresh_output;
    options.backend = backend_;
    return scatter_nd(from, tuples, view_tensor(updates_, updates, "updates"), to, options);
  }
  GatherOptions options;
  options.batch_dims = batch_dims_;
  options.fresh_output = fresh_output;
  options.backend = backend_;
  gather_nd(from, tuples, to, options);
}

}  // namespace gathernd::dml

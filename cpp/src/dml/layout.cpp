// The rules on one tensor.
#include "core/layout.hpp"

#include <bit>

#include "dml/rules.hpp"

namespace gathernd::dml {
namespace {

constexpr uint64_t kMaxElements = UINT32_MAX;

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::kValue, what); }

void check_sizes(const TensorDesc& tensor, const std::string& field) {
  const auto& sizes = tensor.sizes;
  if (sizes.empty() || sizes.size() > 8) {
    fail(field + ".sizes must have 1 to 8 dimensions, not " + std::to_string(sizes.size()));
  }
  uint64_t count = 1;
  for (const uint32_t size : sizes) {
    if (size == 0) fail(field + ".sizes must be at least 1 each, not " + text(sizes));
    count *= size;  // both factors are below 2**32
    if (count > kMaxElements) {
      fail(field + ".sizes must give fewer than 2**32 elements, not as many as " + text(sizes));
    }
  }
  if (tensor.strides && tensor.strides->size() != sizes.size()) {
    fail(field + ".strides must have one number per size (" + std::to_string(sizes.size()) +
         "), not " + text(*tensor.strides));
  }
}

void check_options(const TensorDesc& tensor, const std::string& field) {
  if (tensor.flags > kTensorFlagOwnedByDml) {
    fail(field + ".flags must be 0 (none) or 1 (owned by DML), not " +
         std::to_string(tensor.flags));
  }
  const uint32_t alignment = tensor.guaranteed_base_offset_alignment;
  const int64_t size = to_dtype(tensor.data_type).size;
  if (alignment != 0 && (!std::has_single_bit(alignment) || alignment < size)) {
    fail(field + ".guaranteed_base_offset_alignment must be 0 or a power of two of at least " +
         std::to_string(size) + ", the size of an element, not " + std::to_string(alignment));
  }
}

template <class I>
std::string list(std::span<const I> sizes) {
  std::string s;
  for (const I size : sizes) s += (s.empty() ? "[" : ", ") + std::to_string(size);
  return s.empty() ? "[]" : s + "]";
}

}  // namespace

Layout lay_out(const TensorDesc& tensor, const std::string& field) {
  if (!name(tensor.data_type)) {
    fail(field + ".data_type: " + std::to_string(static_cast<uint32_t>(tensor.data_type)) +
         " is not the number of a data type (1 to 11)");
  }
  check_sizes(tensor, field);
  check_options(tensor, field);

  Layout layout;
  layout.dtype = to_dtype(tensor.data_type);
  for (const uint32_t size : tensor.sizes) layout.sizes.push_back(size);
  layout.strides = c_strides(layout.shape(), layout.dtype.size);
  for (size_t i = 0; tensor.strides && i < tensor.sizes.size(); ++i) {
    layout.strides[static_cast<int>(i)] = int64_t{(*tensor.strides)[i]} * layout.dtype.size;
  }
  Extent extent;
  const Tensor view{nullptr, layout.dtype, layout.shape(), layout.strides};
  if (!find_extent(view, &extent)) {
    fail(field + ".strides " + text(*tensor.strides) + " reach past any address space");
  }
  const uint64_t implied = (static_cast<uint64_t>(extent.high) + 3) / 4 * 4;
  layout.bytes = tensor.total_tensor_size_in_bytes.value_or(implied);
  if (layout.bytes < implied) {
    fail(field + ".total_tensor_size_in_bytes must be at least " + std::to_string(implied) +
         ", up to the last element and rounded up to 4, not " + std::to_string(layout.bytes));
  }
  return layout;
}

uint64_t buffer_tensor_size(const TensorDesc& tensor) {
  TensorDesc untold = tensor;
  untold.total_tensor_size_in_bytes.reset();
  return lay_out(untold, "tensor").bytes;
}

std::string text(std::span<const uint32_t> sizes) { return list(sizes); }
std::string text(std::span<const int64_t> sizes) { return list(sizes); }

}  // namespace gathernd::dml

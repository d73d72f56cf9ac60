#include "dlpack_tensor.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "core/checked.hpp"
#include "core/layout.hpp"

namespace gathernd::bindings {
namespace {

constexpr uint8_t kBFloat = 4, kFirstFloat8 = 7;

struct NamedType {
  uint8_t code, bits;
  const char* name;
};

constexpr NamedType kTypes[] = {{0, 8, "int8"},           {0, 16, "int16"},
                                {0, 32, "int32"},         {0, 64, "int64"},
                                {1, 8, "uint8"},          {1, 16, "uint16"},
                                {1, 32, "uint32"},        {1, 64, "uint64"},
                                {2, 16, "float16"},       {2, 32, "float32"},
                                {2, 64, "float64"},       {4, 16, "bfloat16"},
                                {5, 64, "complex64"},     {5, 128, "complex128"},
                                {6, 8, "bool"},           {7, 8, "float8_e3m4"},
                                {8, 8, "float8_e4m3"},    {9, 8, "float8_e4m3b11fnuz"},
                                {10, 8, "float8_e4m3fn"}, {11, 8, "float8_e4m3fnuz"},
                                {12, 8, "float8_e5m2"},   {13, 8, "float8_e5m2fnuz"},
                                {14, 8, "float8_e8m0fnu"}};

}  // namespace

ElementType element_type(DLDataType type) {
  for (const NamedType& known : kTypes) {
    if (type.code != known.code || type.bits != known.bits || type.lanes != 1) continue;
    return {known.name, type.code == kBFloat || type.code >= kFirstFloat8};
  }
  return {nullptr, false};
}

DLView view_of(const DLTensor& tensor, int64_t itemsize) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank) {
    throw BadTensor(" has " + std::to_string(tensor.ndim) + " dimensions; NumPy takes 0 to " +
                    std::to_string(kMaxRank));
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) throw BadTensor(" has dimensions, but no shape");
  const Dims sizes({tensor.shape, static_cast<size_t>(tensor.ndim)});
  const std::span<const int64_t> shape(sizes.begin(), sizes.end());
  int64_t bytes = itemsize;  // ignores dimensions of size 0, as NumPy does
  for (const int64_t size : shape) {
    if (size < 0) throw BadTensor("'s shape " + text(shape) + " has a negative size");
    if (size > 0 && !checked_mul(bytes, size, &bytes)) {
      throw BadTensor("'s shape " + text(shape) + " has more elements than fit in memory");
    }
  }
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  if (tensor.data == nullptr && !empty) throw BadTensor(" has elements, but no memory");
  Dims strides = c_strides(shape, itemsize);
  for (int i = 0; tensor.strides != nullptr && i < tensor.ndim; ++i) {
    const int64_t stride = tensor.strides[i];
    if (checked_mul(stride, itemsize, &strides[i])) continue;
    throw BadTensor("'s stride of " + std::to_string(stride) +
                    " elements reaches past the address space");
  }
  Extent extent;
  const auto start = reinterpret_cast<uintptr_t>(tensor.data);
  const auto room = [&](uintptr_t bytes_after) { return bytes_after <= UINTPTR_MAX - start; };
  const bool fits = find_extent({nullptr, {Kind::kOther, itemsize}, shape, strides}, &extent) &&
                    tensor.byte_offset <= INT64_MAX - static_cast<uint64_t>(extent.high) &&
                    room(tensor.byte_offset + static_cast<uint64_t>(extent.high)) &&
                    start + tensor.byte_offset >= static_cast<uint64_t>(-extent.low);
  if (!fits) throw BadTensor(" reaches past the address space");
  return {reinterpret_cast<std::byte*>(start + tensor.byte_offset), sizes, strides};
}

}  // namespace gathernd::bindings

// DLPack's tensors, version 1 and before: https://dmlc.github.io/dlpack/latest/
//
// The producer's numbers are not trusted. There is no Python here, so that fuzz/dlpack.cpp can run
// this code alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "gathernd/tensor.hpp"

namespace gathernd::bindings {

// The parts of the ABI that are read here.
struct DLDevice {
  int32_t type;
  int32_t id;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null for C order
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor tensor;
};
inline constexpr uint64_t kReadOnly = 1, kIsCopied = 2;  // flags

struct ElementType {
  const char* name;  // of a dtype in NumPy or ml_dtypes; null if neither has it
  bool is_ml;
};

ElementType element_type(DLDataType type);

// The numbers describe no tensor, or reach past any memory. The message continues "the tensor".
class BadTensor : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The checked tensor. Its numbers were read once, because the producer may change them at any time.
struct DLView {
  std::byte* data;  // the first element
  Dims shape;
  Dims strides;  // in bytes
};

// Throws BadTensor.
DLView view_of(const DLTensor& tensor, int64_t itemsize);

}  // namespace gathernd::bindings

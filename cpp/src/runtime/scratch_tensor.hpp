// A tensor that owns its memory.
#pragma once

#include "core/layout.hpp"
#include "gathernd/tensor.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {

// A packed tensor with the shape and type of another, which has passed the rules on a call. Its
// gaps between fields are nobody's.
class ScratchTensor {
 public:
  explicit ScratchTensor(const Tensor& like)
      : strides_(c_strides(like.shape, like.dtype.size)), memory_(bytes_of(like)), view_(like) {
    view_.data = memory_.data();
    view_.strides = strides_;
    view_.dtype.fields = nullptr;
  }
  ScratchTensor(const ScratchTensor&) = delete;
  ScratchTensor& operator=(const ScratchTensor&) = delete;

  const Tensor& tensor() const { return view_; }

 private:
  static size_t bytes_of(const Tensor& tensor) {
    return static_cast<size_t>(count_elements(tensor.shape) * tensor.dtype.size);
  }

  Dims strides_;
  Buffer<std::byte> memory_;
  Tensor view_;
};

}  // namespace gathernd

// DirectML's GATHER_ND, GATHER_ND1 and SCATTER_ND, given by DirectML's own descs and run by
// gather_nd and scatter_nd. Where DirectML's pages are silent or contradict each other,
// docs/directml.md says what happens here.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "gathernd/gathernd.hpp"

namespace gathernd::dml {

// DML_TENSOR_DATA_TYPE
enum class DataType : uint32_t {
  kUnknown,
  kFloat32,
  kFloat16,
  kUInt32,
  kUInt16,
  kUInt8,
  kInt32,
  kInt16,
  kInt8,
  kFloat64,
  kUInt64,
  kInt64,
};

// DML_FEATURE_LEVEL
enum class FeatureLevel : uint32_t {
  k2_0 = 0x2000,
  k2_1 = 0x2100,
  k3_0 = 0x3000,
  k3_1 = 0x3100,
  k4_0 = 0x4000,
  k4_1 = 0x4100,
  k5_0 = 0x5000,
  k5_1 = 0x5100,
  k5_2 = 0x5200,
  k6_0 = 0x6000,
  k6_1 = 0x6100,
  k6_2 = 0x6200,
  k6_3 = 0x6300,
  k6_4 = 0x6400,
};

// "FLOAT32", for example; nullptr if the number is no data type.
const char* name(DataType type);

// `type` must be one that has a name.
DType to_dtype(DataType type);

// Reads "3.0" and so on. Throws Error(kValue), which lists the levels, for any other text.
FeatureLevel parse_feature_level(std::string_view text);

// DML_TENSOR_FLAGS
inline constexpr uint32_t kTensorFlagNone = 0;
inline constexpr uint32_t kTensorFlagOwnedByDml = 1;

// DML_BUFFER_TENSOR_DESC; DimensionCount is sizes.size().
struct TensorDesc {
  DataType data_type = DataType::kUnknown;
  std::vector<uint32_t> sizes = {};
  // In elements; packed if absent.
  std::optional<std::vector<uint32_t>> strides = std::nullopt;
  // buffer_tensor_size() if absent.
  std::optional<uint64_t> total_tensor_size_in_bytes = std::nullopt;
  uint32_t flags = kTensorFlagNone;
  uint32_t guaranteed_base_offset_alignment = 0;
};

// DMLCalcBufferTensorSize: the bytes up to the last element, rounded up to a multiple of 4. Throws
// Error(kValue) for a tensor that breaks a rule on one tensor.
uint64_t buffer_tensor_size(const TensorDesc& tensor);

// DML_GATHER_ND_OPERATOR_DESC
struct GatherNDOperatorDesc {
  TensorDesc input_tensor;
  TensorDesc indices_tensor;
  TensorDesc output_tensor;
  uint32_t input_dimension_count = 0;
  uint32_t indices_dimension_count = 0;
};

// DML_GATHER_ND1_OPERATOR_DESC
struct GatherND1OperatorDesc {
  TensorDesc input_tensor;
  TensorDesc indices_tensor;
  TensorDesc output_tensor;
  uint32_t input_dimension_count = 0;
  uint32_t indices_dimension_count = 0;
  uint32_t batch_dimension_count = 0;
};

// DML_SCATTER_ND_OPERATOR_DESC
struct ScatterNDOperatorDesc {
  TensorDesc input_tensor;
  TensorDesc indices_tensor;
  TensorDesc updates_tensor;
  TensorDesc output_tensor;
  uint32_t input_dimension_count = 0;
  uint32_t indices_dimension_count = 0;
};

using OperatorDesc =
    std::variant<GatherNDOperatorDesc, GatherND1OperatorDesc, ScatterNDOperatorDesc>;

// A tensor of a compiled operator.
struct Layout {
  DType dtype;
  Dims sizes;       // DimensionCount of them
  Dims strides;     // bytes
  int ignored = 0;  // leading sizes beyond the desc's dimension count; all are 1
  uint64_t bytes = 0;

  // `sizes` without the ignored ones.
  std::span<const int64_t> shape() const {
    return std::span(sizes.begin(), sizes.end()).subspan(static_cast<size_t>(ignored));
  }
};

// A desc that passed every rule. Several threads may run it at the same time.
class CompiledOperator {
 public:
  // Runs on `backend`; null means the CPU. Throws as compile() does.
  CompiledOperator(const OperatorDesc& desc, FeatureLevel level, Backend* backend = nullptr);

  Operator op() const { return op_; }
  const Layout& input() const { return input_; }
  const Layout& indices() const { return indices_; }
  const Layout& updates() const { return updates_; }  // of SCATTER_ND
  const Layout& output() const { return output_; }

  // The buffers are laid out as the descs say and have at least their total sizes. Gaps in `output`
  // stay as they are. Only SCATTER_ND reads `updates`.
  void run_buffers(std::span<const std::byte> input, std::span<const std::byte> indices,
                   std::span<const std::byte> updates, std::span<std::byte> output) const;

  // Tensors of any strides with the descs' types and sizes, with or without the ignored 1s.
  // `fresh_output`: as in GatherOptions.
  void run(const Tensor& input, const Tensor& indices, const Tensor& updates, const Tensor& output,
           bool fresh_output = false) const;

 private:
  Operator op_;
  Backend* backend_;
  int64_t batch_dims_;
  Layout input_, indices_, updates_, output_;
};

// Throws Error(kValue), which names the field, the broken rule and the values.
inline CompiledOperator compile(const OperatorDesc& desc, FeatureLevel level = FeatureLevel::k3_0,
                                Backend* backend = nullptr) {
  return {desc, level, backend};
}

}  // namespace gathernd::dml

// The rules on an operator, and on how its tensors fit together.
#include "dml/rules.hpp"

#include <algorithm>
#include <array>

namespace gathernd::dml {
namespace {

using Field = std::pair<const char*, const TensorDesc*>;

[[noreturn]] void fail(const Description& desc, const std::string& what) {
  throw Error(ErrorKind::kValue, std::string(desc.name) + ": " + what);
}

std::string text(FeatureLevel level) {
  const auto number = static_cast<uint32_t>(level);
  return std::to_string(number >> 12) + "." + std::to_string(number >> 8 & 15);
}

std::vector<Field> fields(const Description& desc) {
  std::vector<Field> all = {{"input_tensor", desc.input}, {"indices_tensor", desc.indices}};
  if (desc.updates) all.emplace_back("updates_tensor", desc.updates);
  all.emplace_back("output_tensor", desc.output);
  return all;
}

void check_index_type(const Description& desc, FeatureLevel level) {
  static constexpr std::array kTypes = {DataType::kUInt32, DataType::kInt32, DataType::kUInt64,
                                        DataType::kInt64};
  const std::span allowed(kTypes.data(), level < FeatureLevel::k3_0 ? 1 : kTypes.size());
  const DataType type = desc.indices->data_type;
  if (std::ranges::find(allowed, type) != allowed.end()) return;
  std::string list;
  for (const DataType each : allowed) list += (list.empty() ? "" : ", ") + std::string(name(each));
  fail(desc, "indices_tensor.data_type must be one of " + list + " at feature level " +
                 text(level) + ", not " + name(type));
}

// Whether all sizes except the last `count` are 1.
bool is_padded(std::span<const uint32_t> sizes, uint32_t count) {
  return std::ranges::all_of(sizes.first(sizes.size() - count), [](uint32_t n) { return n == 1; });
}

void check_count(const Description& desc, const Field& field, const char* what, uint32_t count) {
  const auto& sizes = field.second->sizes;
  if (count < 1 || count > sizes.size()) {
    fail(desc, std::string(what) + " must be from 1 to " + std::to_string(sizes.size()) +
                   ", the dimensions of " + field.first + ", not " + std::to_string(count));
  }
  if (!is_padded(sizes, count)) {
    fail(desc, std::string(field.first) + ".sizes must be 1 before the last " +
                   std::to_string(count) + " (" + what + "), not " + dml::text(sizes));
  }
}

void check_batch(const Description& desc) {
  const uint32_t batch = desc.batch_dimension_count;
  const uint32_t limit = std::min(desc.input_dimension_count, desc.indices_dimension_count);
  if (batch >= limit) {
    fail(desc,
         "batch_dimension_count must be less than input_dimension_count and "
         "indices_dimension_count (" +
             std::to_string(limit) + "), not " + std::to_string(batch));
  }
  const auto batch_of = [batch](const TensorDesc& tensor, uint32_t count) {
    return std::span(tensor.sizes).last(count).first(batch);
  };
  const auto input = batch_of(*desc.input, desc.input_dimension_count);
  const auto indices = batch_of(*desc.indices, desc.indices_dimension_count);
  if (!std::ranges::equal(input, indices)) {
    fail(desc, "input_tensor.sizes and indices_tensor.sizes must have the same batch: " +
                   dml::text(input) + " is not " + dml::text(indices));
  }
}

// The sizes of SCATTER_ND's updates, or of a gather's output, must be those of the tuples, then
// those of a slice.
void check_rows(const Description& desc) {
  const Field field =
      desc.updates ? Field("updates_tensor", desc.updates) : Field("output_tensor", desc.output);
  const uint32_t depth = desc.indices->sizes.back();
  const uint32_t left = desc.input_dimension_count - desc.batch_dimension_count;
  if (depth > left) {
    fail(desc, "the last of indices_tensor.sizes, the tuple length, must be at most " +
                   std::to_string(left) + ", not " + std::to_string(depth));
  }
  const auto tuples = std::span(desc.indices->sizes).last(desc.indices_dimension_count);
  const auto slice = std::span(desc.input->sizes).last(left - depth);
  std::vector<uint32_t> rows(tuples.begin(), tuples.end() - 1);
  rows.insert(rows.end(), slice.begin(), slice.end());
  const auto& given = field.second->sizes;
  if (rows.size() > given.size()) {
    fail(desc, std::string(field.first) + ".sizes must end in " + dml::text(rows) + "; its " +
                   std::to_string(given.size()) + " dimensions are too few");
  }
  const auto count = static_cast<uint32_t>(rows.size());
  if (!is_padded(given, count) || !std::ranges::equal(std::span(given).last(count), rows)) {
    fail(desc, std::string(field.first) + ".sizes must be " + dml::text(rows) +
                   " after leading 1s, not " + dml::text(given));
  }
}

}  // namespace

Description describe(const OperatorDesc& desc) {
  return std::visit(
      []<class D>(const D& d) {
        Description result{
            "GATHER_ND", Operator::kGather, &d.input_tensor,         &d.indices_tensor,
            nullptr,     &d.output_tensor,  d.input_dimension_count, d.indices_dimension_count,
            0,           FeatureLevel::k2_1};
        if constexpr (std::is_same_v<D, GatherND1OperatorDesc>) {
          result.name = "GATHER_ND1";
          result.batch_dimension_count = d.batch_dimension_count;
          result.introduced = FeatureLevel::k3_0;
        } else if constexpr (std::is_same_v<D, ScatterNDOperatorDesc>) {
          result.name = "SCATTER_ND";
          result.op = Operator::kScatter;
          result.updates = &d.updates_tensor;
        }
        return result;
      },
      desc);
}

void check_support(const Description& desc, FeatureLevel level) {
  if (level < desc.introduced) {
    fail(desc, "needs feature level " + text(desc.introduced) + "; this is " + text(level));
  }
  for (const auto& [field, tensor] : fields(desc)) {
    if (level < FeatureLevel::k3_0 && tensor->sizes.size() != 4) {
      fail(desc, std::string(field) + ".sizes must have 4 dimensions at feature level " +
                     text(level) + ", not " + std::to_string(tensor->sizes.size()));
    }
    if (tensor != desc.indices && level < FeatureLevel::k4_1 &&
        to_dtype(tensor->data_type).size == 8) {
      fail(desc, std::string(field) + ".data_type " + name(tensor->data_type) +
                     " needs feature level 4.1; this is " + text(level));
    }
  }
  check_index_type(desc, level);
}

void check_fit(const Description& desc) {
  for (const auto& [field, tensor] : fields(desc)) {
    if (tensor != desc.indices && tensor->data_type != desc.input->data_type) {
      fail(desc, std::string(field) + ".data_type must be input_tensor's, " +
                     name(desc.input->data_type) + ", not " + name(tensor->data_type));
    }
    const size_t count = desc.input->sizes.size();
    if (desc.op == Operator::kGather && tensor->sizes.size() != count) {
      fail(desc, std::string(field) + ".sizes must have as many dimensions as input_tensor's (" +
                     std::to_string(count) + "), not " + std::to_string(tensor->sizes.size()));
    }
  }
  check_count(desc, {"input_tensor", desc.input}, "input_dimension_count",
              desc.input_dimension_count);
  check_count(desc, {"indices_tensor", desc.indices}, "indices_dimension_count",
              desc.indices_dimension_count);
  check_batch(desc);
  check_rows(desc);
  if (desc.op == Operator::kScatter && desc.output->sizes != desc.input->sizes) {
    fail(desc, "output_tensor.sizes must be input_tensor's, " + dml::text(desc.input->sizes) +
                   ", not " + dml::text(desc.output->sizes));
  }
}

}  // namespace gathernd::dml

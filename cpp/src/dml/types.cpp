// Names and numbers of DirectML's types and feature levels.
#include <array>
#include <string>
#include <utility>

#include "core/kinds.hpp"
#include "gathernd/dml.hpp"

namespace gathernd::dml {
namespace {

struct TypeInfo {
  const char* name;
  Kind kind;
};

// Indexed by number; 0 is DML_TENSOR_DATA_TYPE_UNKNOWN.
constexpr std::array kTypes = {
    TypeInfo{nullptr, Kind::kOther},     TypeInfo{"FLOAT32", Kind::kFloat32},
    TypeInfo{"FLOAT16", Kind::kFloat16}, TypeInfo{"UINT32", Kind::kUInt32},
    TypeInfo{"UINT16", Kind::kUInt16},   TypeInfo{"UINT8", Kind::kUInt8},
    TypeInfo{"INT32", Kind::kInt32},     TypeInfo{"INT16", Kind::kInt16},
    TypeInfo{"INT8", Kind::kInt8},       TypeInfo{"FLOAT64", Kind::kFloat64},
    TypeInfo{"UINT64", Kind::kUInt64},   TypeInfo{"INT64", Kind::kInt64},
};
static_assert(kTypes.size() == static_cast<size_t>(DataType::kInt64) + 1);

constexpr std::array kLevels = {
    std::pair{"2.0", FeatureLevel::k2_0}, std::pair{"2.1", FeatureLevel::k2_1},
    std::pair{"3.0", FeatureLevel::k3_0}, std::pair{"3.1", FeatureLevel::k3_1},
    std::pair{"4.0", FeatureLevel::k4_0}, std::pair{"4.1", FeatureLevel::k4_1},
    std::pair{"5.0", FeatureLevel::k5_0}, std::pair{"5.1", FeatureLevel::k5_1},
    std::pair{"5.2", FeatureLevel::k5_2}, std::pair{"6.0", FeatureLevel::k6_0},
    std::pair{"6.1", FeatureLevel::k6_1}, std::pair{"6.2", FeatureLevel::k6_2},
    std::pair{"6.3", FeatureLevel::k6_3}, std::pair{"6.4", FeatureLevel::k6_4},
};

}  // namespace

const char* name(DataType type) {
  const auto number = static_cast<size_t>(type);
  return number < kTypes.size() ? kTypes[number].name : nullptr;
}

DType to_dtype(DataType type) {
  const Kind kind = kTypes[static_cast<size_t>(type)].kind;
  return {kind, facts_of(kind).size};
}

FeatureLevel parse_feature_level(std::string_view text) {
  std::string all;
  for (const auto& [level_name, level] : kLevels) {
    if (text == level_name) return level;
    all += (all.empty() ? "\"" : ", \"") + std::string(level_name) + "\"";
  }
  throw Error(ErrorKind::kValue,
              "feature_level must be one of " + all + ", not \"" + std::string(text) + "\"");
}

}  // namespace gathernd::dml

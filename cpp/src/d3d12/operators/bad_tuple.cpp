// Finds the value of a bad tuple that is out of range, in the indices that the device read.
#include <algorithm>
#include <cstring>

#include "core/normalize_index.hpp"
#include "d3d12/operators/sent_indices.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12 {

int64_t load_index(const std::byte* from, DType type) {
  const auto size = static_cast<size_t>(type.size);
  std::byte bytes[8] = {};
  std::memcpy(bytes, from, size);
  if (!type.native) std::reverse(bytes, bytes + size);
  uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  const int unused = 64 - 8 * static_cast<int>(size);
  const auto shifted = static_cast<int64_t>(value << unused);
  return is_signed_index(type.kind) ? shifted >> unused : static_cast<int64_t>(value);
}

void Resolver::check(const uint32_t* words) {
  checked_ = true;
  clean_ = std::all_of(words, words + status_words(), [](uint32_t w) { return w == kNone; });
  if (watched_.exceeds != nullptr) *watched_.exceeds = words[watched_.word] + 1 > watched_.most;
  for (size_t i = 0; i < chunks_.size(); ++i) {
    if (words[i] == kNone) continue;
    if (words[i] >= chunks_[i].count) {
      throw Error(ErrorKind::kDevice, "[d3d12] the device named a bad tuple that does not exist");
    }
    // The values that the device read: the caller's array may have changed since.
    const uint64_t position = chunks_[i].first + words[i];
    std::vector<std::byte> tuple(geometry_.index_bytes);
    memory_.download(*indices_, position * geometry_.index_bytes, tuple.size(), tuple.data());
    BadTuple bad;
    bad.position = static_cast<int64_t>(position);
    for (int k = 0; k < plan_.depth; ++k) {
      bad.component = k;
      bad.value = load_index(tuple.data() + k * plan_.index_type.size, plan_.index_type);
      int64_t index;
      if (!normalize_index(bad.value, is_signed_index(plan_.index_type.kind),
                           plan_.wrap_negative_indices, plan_.dims[k], plan_.mode, &index))
        break;
    }
    if (components_ == nullptr) throw_bad_tuple(plan_, bad);
    bad.value = components_->read(memory_, bad.component, position);
    Plan plan = plan_;
    plan.index_type = components_->type(bad.component);
    throw_bad_tuple(plan, bad);
  }
}

}  // namespace gathernd::d3d12

#include "reference.hpp"

#include <algorithm>
#include <bit>

namespace gathernd::test {

void store_index(std::byte* to, const DType& type, int64_t value) {
  const auto size = static_cast<size_t>(type.size);
  std::memcpy(to, &value, size);  // the low bytes come first on every machine that runs the tests
  if (!type.native) std::reverse(to, to + size);
}

__int128 load_index(const std::byte* from, const DType& type) {
  const auto size = static_cast<size_t>(type.size);
  std::byte bytes[8];
  std::memcpy(bytes, from, size);
  if (!type.native) std::reverse(bytes, bytes + size);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, size);
  const int unused = 64 - 8 * static_cast<int>(size);
  if (is_signed_index(type.kind)) return static_cast<int64_t>(bits << unused) >> unused;
  return bits;
}

int64_t random_index(Random& random, Kind kind, int64_t size, bool legal) {
  const int bits = 8 * static_cast<int>(size_of(kind));
  const int64_t most = is_signed_index(kind) ? INT64_MAX >> (64 - bits)
                       : bits == 64          ? INT64_MAX
                                             : (int64_t{1} << bits) - 1;
  if (legal && size > 0) {
    const int64_t index = random(0, std::min(size - 1, most));
    const bool negative = is_signed_index(kind) && index - size >= -most && random.one_in(2);
    return negative ? index - size : index;
  }
  const int64_t power = int64_t{1} << random(0, 62);
  return random.one_of<int64_t>({size, size + 1, -size - 1, -1, most, -most - 1, INT64_MIN,
                                 INT64_MIN + 1, INT64_MAX, power, power + 1, power - 1, -power,
                                 static_cast<int64_t>(random.bits())});
}

Outcome settle(__int128 value, int64_t size, Mode mode, bool wraps) {
  const __int128 counted = value < 0 && wraps ? value + size : value;
  if (counted >= 0 && counted < size) return {Outcome::kIndex, static_cast<int64_t>(counted)};
  if (mode == Mode::kFill || mode == Mode::kDrop) return {Outcome::kHole};
  if (mode == Mode::kRaise || size == 0) return {Outcome::kError};
  if (mode == Mode::kClip) return {Outcome::kIndex, counted < 0 ? 0 : size - 1};
  const auto rest = static_cast<int64_t>(value % size);
  return {Outcome::kIndex, rest < 0 ? rest + size : rest};
}

}  // namespace gathernd::test

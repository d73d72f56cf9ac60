#include "core/kinds.hpp"

#include <algorithm>
#include <array>

#include "core/reductions.hpp"

namespace gathernd {
namespace {

constexpr uint8_t kArithmetic = kSums | kProducts, kAll = kArithmetic | kOrderings | kBitwise;

constexpr KindFacts integer(const char* name, Group group, int64_t size) {
  return {name, group, group == Group::kSigned ? 'i' : 'u', size, kAll, 0, kAll};
}
constexpr KindFacts real(const char* name, char letter, int64_t size, uint8_t rounded_once = 0) {
  return {name, Group::kFloat, letter, size, kArithmetic | kOrderings, rounded_once};
}
constexpr KindFacts complex(const char* name, int64_t size) {
  return {name, Group::kComplex, 'c', size, kArithmetic};
}

// In the order of Kind.
constexpr std::array kKindFacts = {
    KindFacts{"bool", Group::kBool, 'b', 1, kOrderings | kBitwise},
    integer("int8", Group::kSigned, 1),
    integer("int16", Group::kSigned, 2),
    integer("int32", Group::kSigned, 4),
    integer("int64", Group::kSigned, 8),
    integer("uint8", Group::kUnsigned, 1),
    integer("uint16", Group::kUnsigned, 2),
    integer("uint32", Group::kUnsigned, 4),
    integer("uint64", Group::kUnsigned, 8),
    real("float16", 'f', 2, kArithmetic),
    real("bfloat16", 0, 2, kArithmetic),
    real("float32", 'f', 4),
    real("float64", 'f', 8),
    real("longdouble", 'f', sizeof(long double)),
    complex("complex64", 8),
    complex("complex128", 16),
    complex("clongdouble", 2 * sizeof(long double)),
    // A sum of times that is NaT stays NaT, so the order matters.
    KindFacts{"datetime64", Group::kTime, 'M', 8, kOrderings, 0, kOrderings},
    KindFacts{"timedelta64", Group::kTime, 'm', 8, kOrderings | kSums, 0, kOrderings},
    KindFacts{"bytes", Group::kMoved, 'S', 0},
    KindFacts{"str", Group::kMoved, 'U', 0},
    KindFacts{"structured", Group::kMoved, 0, 0},
    KindFacts{"other", Group::kMoved, 0, 0},
};
static_assert(kKindFacts.size() == static_cast<size_t>(Kind::kOther) + 1);

// NumPy's own types by letter and size, because every argument of every call asks. The last size
// stands for all from there on.
constexpr size_t kLetters = 128, kSizes = 34;
constexpr auto kNumpyKinds = [] {
  std::array<std::array<Kind, kSizes>, kLetters> result{};
  for (auto& kinds : result) kinds.fill(Kind::kOther);
  // Backwards: where long double is double, float64 stays.
  for (size_t k = kKindFacts.size(); k-- > 0;) {
    auto& kinds = result[static_cast<size_t>(kKindFacts[k].letter)];
    const auto size = static_cast<size_t>(kKindFacts[k].size);
    if (kKindFacts[k].letter == 0) continue;
    if (size == 0) kinds.fill(static_cast<Kind>(k));
    kinds[size] = static_cast<Kind>(k);
  }
  return result;
}();

}  // namespace

const KindFacts& facts_of(Kind kind) {
  return kKindFacts[static_cast<size_t>(std::min(kind, Kind::kOther))];
}

bool has_size_of_kind(const DType& dtype) {
  const int64_t size = facts_of(dtype.kind).size;
  return size == 0 ? dtype.size >= 0 : dtype.size == size;
}

Kind numpy_kind(char letter, int64_t size) {
  const size_t row = static_cast<unsigned char>(letter) % kLetters;
  return kNumpyKinds[row][std::min(static_cast<size_t>(size), kSizes - 1)];
}

Kind package_kind(std::string_view name, int64_t size) {
  const auto found = std::ranges::find_if(kKindFacts, [=](const KindFacts& kind) {
    return kind.letter == 0 && kind.name == name && kind.size == size;
  });
  return found == kKindFacts.end() ? Kind::kOther : static_cast<Kind>(found - kKindFacts.begin());
}

const char* name(Kind kind) { return facts_of(kind).name; }

const char* name(const DType& dtype) {
  return dtype.other != nullptr ? dtype.other : name(dtype.kind);
}

bool is_index(Kind kind) {
  return is_signed_index(kind) || facts_of(kind).group == Group::kUnsigned;
}

bool is_signed_index(Kind kind) { return facts_of(kind).group == Group::kSigned; }

bool is_time(Kind kind) { return facts_of(kind).group == Group::kTime; }

}  // namespace gathernd

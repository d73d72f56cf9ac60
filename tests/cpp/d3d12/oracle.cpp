#include "oracle.hpp"

#include <cstring>

#include "cpu/combine.hpp"
#include "cpu/half.hpp"

namespace gathernd::testing {
namespace {

__extension__ using Wide = __int128;  // holds every index value and its sums

Wide load_index(const Array& indices, size_t i) {
  const auto size = static_cast<size_t>(indices.dtype.size);
  uint64_t bits = 0;
  std::memcpy(&bits, indices.bytes.data() + i * size, size);
  if (!is_signed_index(indices.dtype.kind)) return static_cast<Wide>(bits);
  const int unused = 64 - 8 * static_cast<int>(size);
  return static_cast<int64_t>(bits << unused) >> unused;
}

Wide place(Mode mode, Wide value, int64_t dim) {
  if (mode == Mode::kWrap) return ((value % dim) + dim) % dim;
  if (value < 0) value += dim;
  if (mode == Mode::kClip) return value < 0 ? 0 : value >= dim ? dim - 1 : value;
  return value >= 0 && value < dim ? value : kOutside;
}

// A row of the table and the rows that go there, in order.
template <class T, class Op>
void combine(std::byte* table, const std::vector<const std::byte*>& rows, size_t bytes) {
  for (size_t at = 0; at < bytes; at += sizeof(T)) {
    T value;
    std::memcpy(&value, table + at, sizeof value);
    for (const std::byte* row : rows) {
      T update;
      std::memcpy(&update, row + at, sizeof update);
      value = Op::apply(value, update);
    }
    std::memcpy(table + at, &value, sizeof value);
  }
}

template <class T, class Op>
void combine_half(std::byte* table, const std::vector<const std::byte*>& rows, size_t bytes) {
  for (size_t at = 0; at < bytes; at += sizeof(T)) {
    T element;
    std::memcpy(&element, table + at, sizeof element);
    float value = to_float(element);
    for (const std::byte* row : rows) {
      std::memcpy(&element, row + at, sizeof element);
      value = Op::apply(value, to_float(element));
    }
    if constexpr (std::is_same_v<T, Half>) {
      element = to_half(value);
    } else {
      element = to_bfloat16(value);
    }
    std::memcpy(table + at, &element, sizeof element);
  }
}

using Combine = void (*)(std::byte*, const std::vector<const std::byte*>&, size_t);

template <class Op>
Combine integer(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      if constexpr (requires(Bool b) { Op::apply(b, b); }) return combine<Bool, Op>;
      return nullptr;
    case Kind::kInt8:
      return combine<int8_t, Op>;
    case Kind::kInt16:
      return combine<int16_t, Op>;
    case Kind::kInt32:
      return combine<int32_t, Op>;
    case Kind::kInt64:
      return combine<int64_t, Op>;
    case Kind::kUInt8:
      return combine<uint8_t, Op>;
    case Kind::kUInt16:
      return combine<uint16_t, Op>;
    case Kind::kUInt32:
      return combine<uint32_t, Op>;
    case Kind::kUInt64:
      return combine<uint64_t, Op>;
    default:
      return nullptr;
  }
}

template <class Op>
Combine arithmetic(Kind kind) {
  switch (kind) {
    case Kind::kFloat16:
      return combine_half<Half, Op>;
    case Kind::kBFloat16:
      return combine_half<BFloat16, Op>;
    case Kind::kFloat32:
      return combine<float, Op>;
    case Kind::kFloat64:
      return combine<double, Op>;
    case Kind::kComplex64:
      return combine<Complex<float>, Op>;
    case Kind::kComplex128:
      return combine<Complex<double>, Op>;
    default:
      return integer<Op>(kind);
  }
}

template <class Op>
Combine ordering(Kind kind) {
  switch (kind) {
    case Kind::kFloat16:
      return combine_half<Half, Op>;
    case Kind::kBFloat16:
      return combine_half<BFloat16, Op>;
    case Kind::kFloat32:
      return combine<float, Op>;
    case Kind::kFloat64:
      return combine<double, Op>;
    default:
      return integer<Op>(kind);
  }
}

Combine combiner(Kind kind, Reduction reduction) {
  switch (reduction) {
    case Reduction::kAdd:
      return arithmetic<Add>(kind);
    case Reduction::kSub:
      return arithmetic<Sub>(kind);
    case Reduction::kMul:
      return arithmetic<Mul>(kind);
    case Reduction::kMin:
      return ordering<Min>(kind);
    case Reduction::kMax:
      return ordering<Max>(kind);
    case Reduction::kAnd:
      return integer<And>(kind);
    case Reduction::kOr:
      return integer<Or>(kind);
    default:
      return integer<Xor>(kind);
  }
}

size_t row_bytes(const Case& c) {
  int64_t bytes = c.dtype.size;
  for (const int64_t n : c.slice) bytes *= n;
  return static_cast<size_t>(bytes);
}

}  // namespace

std::vector<int64_t> resolve(const Case& c, const Array& indices) {
  const size_t depth = c.indexed.size();
  int64_t tuples = 1, batches = 1, batch_rows = 1;
  for (const int64_t n : c.batch) batches *= n;
  for (const int64_t n : c.outer) tuples *= n;
  for (const int64_t n : c.indexed) batch_rows *= n;
  std::vector<int64_t> rows;
  for (int64_t t = 0; t < batches * tuples; ++t) {
    int64_t row = 0;
    for (size_t k = 0; k < depth && row != kOutside; ++k) {
      const Wide value = load_index(indices, static_cast<size_t>(t) * depth + k);
      const Wide at = place(c.mode, value, c.indexed[k]);
      row = at == kOutside ? kOutside : row * c.indexed[k] + static_cast<int64_t>(at);
    }
    rows.push_back(row == kOutside ? row : t / tuples * batch_rows + row);
  }
  return rows;
}

Bytes gather_loop(const Case& c, const Arrays& arrays, const std::byte* fill_value) {
  Bytes result(arrays.rows.bytes.size());
  const size_t bytes = row_bytes(c);
  const auto rows = resolve(c, arrays.indices);
  for (size_t t = 0; t < rows.size(); ++t) {
    for (size_t b = 0; b < bytes; ++b) {
      result[t * bytes + b] = rows[t] == kOutside
                                  ? fill_value[b % static_cast<size_t>(c.dtype.size)]
                                  : arrays.input.bytes[static_cast<size_t>(rows[t]) * bytes + b];
    }
  }
  return result;
}

Bytes scatter_loop(const Case& c, const Arrays& arrays) {
  Bytes result = arrays.input.bytes;
  const size_t bytes = row_bytes(c);
  if (bytes == 0) return result;
  const auto rows = resolve(c, arrays.indices);
  std::vector<std::vector<const std::byte*>> updates(result.size() / bytes);
  for (size_t t = 0; t < rows.size(); ++t) {
    if (rows[t] == kOutside) continue;
    updates[static_cast<size_t>(rows[t])].push_back(arrays.rows.bytes.data() + t * bytes);
  }
  for (size_t row = 0; row < updates.size(); ++row) {
    if (updates[row].empty()) continue;
    std::byte* to = result.data() + row * bytes;
    if (c.reduction != Reduction::kNone) {
      combiner(c.dtype.kind, c.reduction)(to, updates[row], bytes);
    } else {
      const bool first = c.duplicates == Duplicates::kFirst;
      std::memcpy(to, first ? updates[row].front() : updates[row].back(), bytes);
    }
  }
  return result;
}

}  // namespace gathernd::testing

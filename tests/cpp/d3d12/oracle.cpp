#include "oracle.hpp"

#include <utility>

#include "../elements.hpp"
#include "../reference.hpp"

namespace gathernd::testing {

std::vector<int64_t> resolve(const Case& c, const Array& indices) {
  const auto size = static_cast<size_t>(indices.dtype.size);
  const int64_t batches = test::count(c.batch), tuples = batches * test::count(c.outer);
  const std::byte* from = indices.bytes.data();
  std::vector<int64_t> rows;
  for (int64_t t = 0; t < tuples; ++t) {
    int64_t row = t / (tuples / batches);
    for (const int64_t dim : c.indexed) {
      const test::Outcome at = test::settle(test::load_index(from, indices.dtype), dim, c.mode);
      const bool inside = row != kOutside && at.what == test::Outcome::kIndex;
      row = inside ? row * dim + at.index : kOutside;
      from += size;
    }
    rows.push_back(row);
  }
  return rows;
}

Bytes gather_loop(const Case& c, const Arrays& arrays, const std::byte* fill_value) {
  Bytes result(arrays.rows.bytes.size());
  const auto bytes = static_cast<size_t>(test::count(c.slice) * c.dtype.size);
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
  const int64_t slice = test::count(c.slice);
  test::Totals table(c.dtype.kind, c.dtype.size, c.reduction, arrays.input.bytes);
  std::vector<char> seen(static_cast<size_t>(test::count(c.batch) * test::count(c.indexed)));
  const std::byte* from = arrays.rows.bytes.data();
  for (const int64_t row : resolve(c, arrays.indices)) {
    const bool left_out =
        row == kOutside || (c.duplicates == Duplicates::kFirst &&
                            std::exchange(seen[static_cast<size_t>(row)], 1) != 0);
    for (int64_t e = 0; e < slice; ++e, from += c.dtype.size) {
      if (!left_out) table.update(row * slice + e, from);
    }
  }
  return table.elements();
}

}  // namespace gathernd::testing

// Integers, and minima and maxima of floats, reduced into a small table: the threads share the
// tuples, and each has a table of its own.
#pragma once

#include "cpu/scatter/own_tables.hpp"
#include "cpu/scatter/tuple_source.hpp"

namespace gathernd {

// Whether a kernel reduces into a table of so few elements by looking them up in registers.
bool fits_registers(const Plan& plan);

template <class O>
class PrivateTables {
 public:
  PrivateTables(const Plan& plan, int64_t parts, OffsetsOf<O> offsets_of, const std::byte* rows);

  // Once: combines the tables in the order of their tuples, so that of several NaNs the first
  // stays. Then combines `table` with the result, but only at slices that an update addresses:
  // elsewhere another thread of the caller may be writing.
  void write(std::byte* table);

 private:
  const Plan& plan_;
  int64_t parts_, bytes_;  // of one table
  OwnTables<std::byte> tables_;
};

}  // namespace gathernd

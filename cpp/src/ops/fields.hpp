// The fields of records, moved run by run of their bytes: what lies between stays as it is.
#pragma once

#include "gathernd/indices.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// Calls move(a, b) with views of the bytes that `to` keeps fields in, of the elements of both.
template <class Move>
void for_each_field_run(const Tensor& from, const Tensor& to, Move move) {
  const auto part = [](const Tensor& whole, const ByteRun& run) {
    return Tensor{whole.data + run.offset, {Kind::kOther, run.size}, whole.shape, whole.strides};
  };
  for (const ByteRun& run : *to.dtype.fields) move(part(from, run), part(to, run));
}

// Copies all elements, of records only the fields. The two share no memory.
void copy_fields(const Tensor& from, const Tensor& to);

// Sets records of the table in place, on the CPU, for a call that make_plan has found right. All
// tuples are resolved and checked first.
void set_fields(const Tensor& table, const Indices& indices, const Tensor& updates,
                const PlanOptions& options);

// The fields of a record are set apart, and must all come from the same update.
inline Duplicates same_for_all_fields(Duplicates duplicates) {
  return duplicates == Duplicates::kAny ? Duplicates::kLast : duplicates;
}

}  // namespace gathernd

// The Plan: everything a kernel needs, as checked numbers. Only the index values are still
// unchecked.
//
// gather_nd reads "table" (the input) through it and writes "rows" (the result);
// scatter_nd reads "rows" (the updates) and writes "table" (the output).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gathernd/error.hpp"
#include "gathernd/indices.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

enum class Operator : uint8_t { kGather, kScatter, kIndexPlan };  // the last: it is made
enum class Mode : uint8_t { kRaise, kClip, kWrap, kFill, kDrop };
enum class Reduction : uint8_t { kNone, kAdd, kSub, kMul, kMin, kMax, kAnd, kOr, kXor };
enum class Duplicates : uint8_t { kLast, kFirst, kError, kAny };

// Whether a tuple out of range addresses no slice, and is no error.
inline bool leaves_holes(Mode mode) { return mode == Mode::kFill || mode == Mode::kDrop; }

const char* name(Operator op);
const char* name(Mode mode);
const char* name(Reduction reduction);
const char* name(Duplicates duplicates);

// Whether the reduction is defined for the element type.
bool is_reducible(Kind kind, Reduction reduction);

// Offsets of positions 0, 1, 2 ... in C order; neighbours that follow each other are merged.
struct Walk {
  Dims size;
  Dims stride;
};

// One slice, on both sides: `chunk` contiguous bytes, repeated over the dimensions of `size`.
struct Slice {
  int64_t bytes = 0;  // of the whole slice
  int64_t chunk = 0;  // a multiple of the element size
  Dims size;
  Dims table_stride;
  Dims row_stride;
};

struct Plan {
  Operator op = Operator::kGather;
  Mode mode = Mode::kRaise;
  Reduction reduction = Reduction::kNone;
  Duplicates duplicates = Duplicates::kLast;
  DType dtype;

  int64_t tuples = 0;  // of `positions`
  // The shape of the tuples: batch + outer. A dimension along which they only repeat each other has
  // size 1, or 2 where a repetition shows.
  Dims positions;
  Dims given_positions;  // the same with all repetitions: errors name positions in these
  int batch_dims = 0;
  // Negative indices count from the end, once; else they are out of range. In kWrap always.
  bool wrap_negative_indices = true;

  // Index tuples: where each lies, in bytes, and the size that each component indexes.
  DType index_type;
  Walk index_walk;
  int64_t component_stride = 0;  // bytes
  int depth = 0;                 // K, the tuple length
  Dims dims;
  // Where the indices are component tensors: each as tuples of one index. The first has the batch
  // and all of the bias; the offsets of the others are added to its, less their own bias.
  std::vector<Plan> components;

  // Offsets count units of `scale` bytes from table + bias; all legal ones are below `span`.
  Dims units;       // of each batch and indexed dimension: what one step adds to an offset
  Walk batch_walk;  // units that a position's batch adds
  int64_t scale = 1;
  int64_t bias = 0;
  uint64_t span = 0;
  bool wide = false;  // offsets or positions need 64 bits

  Walk row_walk;  // bytes
  Slice slice;
};

// The shape of gather_nd's result, which is also the shape of scatter_nd's updates.
// TypeError where the indices are no integers, ValueError where input, indices and batch_dims do
// not fit each other.
Dims rows_shape(Operator op, std::span<const int64_t> input, const Tensor& indices,
                int64_t batch_dims);

struct PlanOptions {
  int64_t batch_dims = 0;
  Mode mode = Mode::kRaise;
  Reduction reduction = Reduction::kNone;
  Duplicates duplicates = Duplicates::kLast;
  bool wrap_negative_indices = true;
};

// Checks every rule on shapes and types, with 64-bit checked arithmetic; looks at no index value.
// `positions`: the plan's, where the tuples are resolved already; else it finds them.
Plan make_plan(Operator op, const Tensor& table, const Indices& indices, const Tensor& rows,
               const PlanOptions& options, const Dims* positions = nullptr);

// A tuple that is out of range: its position in C order (of `positions` where it is found, of
// `given_positions` in the exception), the component, the value as it was read.
struct BadTuple {
  int64_t position = INT64_MAX;
  int component = 0;
  int64_t value = 0;  // the bits; unsigned for unsigned index types
};

[[noreturn]] void throw_bad_tuple(const Plan& plan, const BadTuple& bad);
[[noreturn]] void throw_duplicate(const Plan& plan, int64_t first, int64_t second);

// What these throw, for callers that say in their own words where the tuples came from.
class BadTupleError : public Error {
 public:
  BadTupleError(const std::string& message, const BadTuple& bad)
      : Error(ErrorKind::kIndex, message), bad_(bad) {}
  const BadTuple& bad() const { return bad_; }

 private:
  BadTuple bad_;
};

class DuplicateError : public Error {
 public:
  DuplicateError(const std::string& message, int64_t first, int64_t second)
      : Error(ErrorKind::kValue, message), first_(first), second_(second) {}
  int64_t first() const { return first_; }  // positions in C order
  int64_t second() const { return second_; }

 private:
  int64_t first_, second_;
};

}  // namespace gathernd

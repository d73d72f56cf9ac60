// The Plan: everything that a kernel needs, as checked numbers. Only the index values are still
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

enum class Operator : uint8_t { kGather, kScatter, kIndexPlan };  // the last: a plan is being built
enum class Mode : uint8_t { kRaise, kClip, kWrap, kFill, kDrop };
enum class Reduction : uint8_t { kNone, kAdd, kSub, kMul, kMin, kMax, kAnd, kOr, kXor };
enum class Duplicates : uint8_t { kLast, kFirst, kError, kAny };

// Whether a tuple out of range addresses no slice instead of being an error.
constexpr bool leaves_holes(Mode mode) { return mode == Mode::kFill || mode == Mode::kDrop; }

const char* name(Operator op);
const char* name(Mode mode);
const char* name(Reduction reduction);
const char* name(Duplicates duplicates);

// Whether the reduction is defined for the element type.
bool is_reducible(Kind kind, Reduction reduction);

// The offsets of positions 0, 1, 2 ... in C order. Dimensions that one stride covers are merged.
struct Walk {
  Dims size;
  Dims stride;
};

// One slice, in the table and in the rows: `chunk` contiguous bytes, repeated over the dimensions
// of `size`.
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
  // The shape of the tuples: batch + outer. A dimension along which tuples only repeat has size 1,
  // or 2 if the result depends on the repetition.
  Dims positions;
  Dims given_positions;  // the same with all repetitions: errors name positions in this shape
  int batch_dims = 0;
  // Negative indices count once from the end; else they are out of range. Always true for kWrap.
  bool wrap_negative_indices = true;

  // Index tuples: where each lies, in bytes, and the size of the dimension that each component
  // indexes.
  DType index_type;
  Walk index_walk;
  int64_t component_stride = 0;  // bytes
  int depth = 0;                 // K, the tuple length
  Dims dims;
  // If the indices are component tensors: one plan per component, with tuples of one index. The
  // first has the batch and the whole bias. The offsets of the others are added to its offset, each
  // without its own bias.
  std::vector<Plan> components;

  // Offsets count units of `scale` bytes from table + bias. All legal offsets are below `span`.
  Dims units;       // per batch and indexed dimension: what one step adds to an offset
  Walk batch_walk;  // units that the batch of a position adds
  int64_t scale = 1;
  int64_t bias = 0;
  uint64_t span = 0;
  bool wide = false;  // offsets or positions need 64 bits

  Walk row_walk;  // bytes
  Slice slice;
};

// The shape of gather_nd's result, which is also the shape of scatter_nd's updates.
// Throws Error(kType) if the indices are not integers, and Error(kValue) if input, indices and
// batch_dims do not fit each other.
Dims rows_shape(Operator op, std::span<const int64_t> input, const Tensor& indices,
                int64_t batch_dims);

struct PlanOptions {
  int64_t batch_dims = 0;
  Mode mode = Mode::kRaise;
  Reduction reduction = Reduction::kNone;
  Duplicates duplicates = Duplicates::kLast;
  bool wrap_negative_indices = true;
};

// Checks every rule on shapes and types with checked 64-bit arithmetic; reads no index value.
// `positions`: those of the plan, if the tuples are already resolved; else they are found.
Plan make_plan(Operator op, const Tensor& table, const Indices& indices, const Tensor& rows,
               const PlanOptions& options, const Dims* positions = nullptr);

// A tuple that is out of range: its position in C order, the component, and the value as it was
// read. The position counts in `positions` until the exception, which counts in `given_positions`.
struct BadTuple {
  int64_t position = INT64_MAX;
  int component = 0;
  int64_t value = 0;  // the bits; unsigned for unsigned index types
};

[[noreturn]] void throw_bad_tuple(const Plan& plan, const BadTuple& bad);
[[noreturn]] void throw_duplicate(const Plan& plan, int64_t first, int64_t second);

// What these two throw, for callers that say in their own words where the tuples came from.
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

// Tuples grouped by the chunks of a table that is stored in pieces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gathernd/plan.hpp"

namespace gathernd {

// Where the tuples of a block stand in the whole indices, and what they index.
struct ChunkRules {
  Operator op = Operator::kGather;
  Mode mode = Mode::kRaise;
  bool wrap_negative_indices = true;
  int batch_dims = 0;
  // For each indexed dimension: where its chunks begin, the first at 0, then its size.
  std::vector<std::vector<int64_t>> bounds;
  Dims whole;   // the shape of all positions: batch + outer
  Dims corner;  // the position in it of the block's first tuple
};

class ChunkedTuples {
 public:
  // Throws ValueError if the rules do not fit each other or the block.
  ChunkedTuples(const Tensor& block, ChunkRules rules);

  int64_t tuples() const { return plan_.tuples; }
  int64_t chunks() const { return chunks_; }
  int components() const { return batch_ + plan_.depth; }  // of a tuple inside a chunk
  // Whether 64 bits are needed for positions in the block, or for indices inside a chunk.
  bool wide() const { return wide_; }

  // Groups the tuples by chunk, in C order of the chunks; those of a chunk stay in C order. Holes
  // are left out. begins[c] is the number of tuples before chunk c, and begins[chunks()] that of
  // all. `positions` and `tuples` must have room for all. A tuple is the position in the block's
  // batch, then the index inside the chunk. Errors name positions in the whole indices.
  template <class L>
  void group(L* positions, L* tuples, int64_t* begins) const;

 private:
  // The chunks of a dimension: the one that an index is in.
  struct Axis {
    std::span<const int64_t> bounds;
    int64_t count;
    int64_t even;  // the size of all except the last, which is not longer; 0 if they differ

    int64_t find(int64_t index) const;
  };

  [[noreturn]] void throw_bad(const BadTuple& bad) const;

  Plan plan_;
  Dims shape_;  // of the block's positions
  const std::byte* indices_;
  ChunkRules rules_;
  std::vector<Axis> axes_;
  int batch_;
  int64_t chunks_ = 1;
  bool wide_;
};

}  // namespace gathernd

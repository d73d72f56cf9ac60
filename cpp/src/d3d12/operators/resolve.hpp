// The stage "resolve" on the device: index tuples to slots, and the first bad one.
#pragma once

#include <cstdint>
#include <vector>

#include "d3d12/memory/geometry.hpp"
#include "d3d12/memory/kernels.hpp"
#include "d3d12/memory/memory.hpp"

namespace gathernd::d3d12 {

class PreparedTuples;

// A call's tensors, packed on the device.
struct Operands {
  BufferPtr table = nullptr;
  BufferPtr indices = nullptr;
  BufferPtr rows = nullptr;
  BufferPtr source = nullptr;          // scatter: what the table begins as, if it is not there yet
  PreparedTuples* prepared = nullptr;  // whose indices these are, where they are slots
  bool in_place = false;               // the table is a caller's
};

// As in tuples.hlsli, where the meaning of each stands.
struct TupleParameters {
  uint32_t depth, index_words, is_signed, mode, index_first, per_batch, batch_rows, base, bad_at;
  uint32_t unused[3];
  uint32_t dims[8];
};

// What a shader finds the slots of a chunk's tuples by: slots, or `direct`ly the indices.
struct Slots {
  View view;
  TupleParameters tuples;
  bool direct;
};

class Resolver {
 public:
  // `counters`: words of the status that the operator has for itself.
  Resolver(Gpu& gpu, Memory& memory, const Plan& plan, const BufferPtr& indices,
           std::vector<Chunk> chunks, size_t counters = 0);
  Resolver(Resolver&&) noexcept = default;
  ~Resolver();

  const Geometry& geometry() const { return geometry_; }
  const std::vector<Chunk>& chunks() const { return chunks_; }

  // Whether a scatter goes through its tuples and not through the rows of its windows: it is in
  // place, and already the `first` has many more rows.
  bool is_sparse(const Operands& operands, const Window& first) const;

  // Fills `slots` for a chunk: rows of the window, kNone for other tuples, the fill slot in kFill.
  void resolve(size_t chunk, const Window& window);
  View slots(size_t chunk) const;
  // For shaders that can do that by themselves too, where the tuples are simple enough; `resolves`:
  // the slots are wanted all the same.
  Slots find_slots(size_t chunk, const Window& window, bool resolves = false);
  // Of finding one tuple's slot, as in Cost.
  double index_cost() const;
  // Reports the bad ones of these before they are used, as resolve() has done for others.
  void report_bad(size_t chunk, const Slots& slots);
  // The slot of one tuple of the chunk that was resolved last, by a round trip.
  uint32_t read_slot(uint64_t tuple);

  // Words that the shaders report in: a chunk's first bad tuple each, then those for the operator.
  const BufferPtr& status() const { return status_; }
  View status_view() const { return {status_.get(), Format::kAtomic, 0, status_words() * 4}; }
  uint32_t bad_words() const { return static_cast<uint32_t>(chunks_.size()); }
  size_t status_words() const { return chunks_.size() + counters_; }

  // Throws the IndexError of the first bad tuple, if the words of `status` name one.
  void check(const uint32_t* words);
  // The words, by a round trip, once they have passed check().
  std::vector<uint32_t> read_status();
  bool is_checked() const { return checked_; }  // nothing that was recorded since can fail

 private:
  SubView indices_view(const Chunk& chunk) const;
  bool is_direct(const Window& window) const;

  Gpu& gpu_;
  Memory& memory_;
  const Plan& plan_;
  Geometry geometry_;
  std::vector<Chunk> chunks_;
  size_t counters_;
  std::vector<uint64_t> dims_;  // of each component: size, rows a step
  BufferPtr indices_, many_dims_, slots_, status_;
  bool checked_ = false;
  bool clean_ = false;  // check() saw all words of `status` as they were
};

}  // namespace gathernd::d3d12

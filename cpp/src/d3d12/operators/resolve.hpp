// The stage "resolve" on the device: index tuples to slots, and the first bad tuple.
#pragma once

#include <cstdint>
#include <vector>

#include "d3d12/memory/geometry.hpp"
#include "d3d12/memory/kernels.hpp"
#include "d3d12/memory/memory.hpp"

namespace gathernd::d3d12 {

class KeptTuples;
class SentComponents;

// A call's tensors, packed on the device.
struct Operands {
  BufferPtr table = nullptr;
  BufferPtr indices = nullptr;
  BufferPtr rows = nullptr;
  BufferPtr source = nullptr;      // scatter: first contents of the table; null: already there
  KeptTuples* prepared = nullptr;  // the owner of the indices, if they are slots
  const SentComponents* components = nullptr;  // what the indices were stacked from, if they were
  bool in_place = false;                       // the table is the caller's memory
};

// What a shader reads to find the slots of a chunk's tuples: the slots, or the indices.
struct Slots {
  View view;
  TupleParameters tuples;
  bool direct() const { return tuples.direct != 0; }
};

// An index of the host's memory, of any type; unsigned ones as their bits.
int64_t load_index(const std::byte* from, DType type);

// Whether shaders can resolve the tuples themselves, in a window that is the whole table.
bool has_direct_tuples(const Plan& plan, const Geometry& geometry);

class Resolver {
 public:
  // `counters`: the number of status words that the operator uses itself.
  Resolver(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
           std::vector<Chunk> chunks, size_t counters = 0);
  Resolver(Resolver&&) noexcept = default;
  ~Resolver();

  const Geometry& geometry() const { return geometry_; }
  const std::vector<Chunk>& chunks() const { return chunks_; }

  // Fills slots() for a chunk: a row of the window, kNone for other tuples, the fill slot in kFill.
  void resolve(size_t chunk, const Window& window);
  View slots(size_t chunk) const;
  // For shaders that can resolve simple tuples themselves: the indices if they are simple, else the
  // slots. `resolves`: always the slots.
  Slots find_slots(size_t chunk, const Window& window, bool resolves = false);
  // The cost of finding one tuple's slot, in the unit of Cost.
  double index_cost() const;
  // Reports bad tuples before direct slots are used; resolve() has already done that for others.
  void report_bad(size_t chunk, const Slots& slots);
  // The slot of one tuple of the chunk that was resolved last, read back from the device.
  uint32_t read_slot(uint64_t tuple);

  // The words in which shaders report: the first bad tuple of each chunk, then the operator's
  // words.
  const BufferPtr& status() const { return status_; }
  View status_view() const { return {status_.get(), Format::kAtomic, 0, status_words() * 4}; }
  uint32_t bad_words() const { return static_cast<uint32_t>(chunks_.size()); }
  size_t status_words() const { return chunks_.size() + counters_; }

  // Throws BadTupleError for the first bad tuple, if the status words name one.
  void check(const uint32_t* words);
  // From now on check() also sets `exceeds`: whether this status word, plus 1, is more than `most`.
  void watch(uint32_t word, uint32_t most, bool* exceeds) { watched_ = {word, most, exceeds}; }
  // The status words, read back from the device; throws what check() throws.
  std::vector<uint32_t> read_status();
  bool is_checked() const { return checked_; }  // nothing recorded since can find a bad tuple

 private:
  struct Watched {
    uint32_t word, most;
    bool* exceeds = nullptr;
  };

  SubView indices_view(const Chunk& chunk) const;

  Gpu& gpu_;
  Memory& memory_;
  const Plan& plan_;
  Geometry geometry_;
  std::vector<Chunk> chunks_;
  size_t counters_;
  std::vector<uint64_t> dims_;  // per component: size, rows per step
  const SentComponents* components_;
  BufferPtr indices_, many_dims_, slots_, status_;
  Watched watched_ = {};
  bool checked_ = false;
  bool clean_ = false;  // check() found all status words unchanged
};

}  // namespace gathernd::d3d12

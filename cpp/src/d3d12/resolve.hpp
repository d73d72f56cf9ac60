// The stage "resolve" on the device: index tuples to slots, and the first bad one.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.hpp"
#include "memory.hpp"

namespace gathernd::d3d12 {

// A call's tensors, packed on the device.
struct Operands {
  BufferPtr table;
  BufferPtr indices;
  BufferPtr rows;
};

class Resolver {
 public:
  Resolver(Gpu& gpu, Memory& memory, const Plan& plan, const BufferPtr& indices,
           std::vector<Chunk> chunks);
  Resolver(Resolver&&) noexcept = default;
  ~Resolver();

  const Geometry& geometry() const { return geometry_; }
  const std::vector<Chunk>& chunks() const { return chunks_; }

  // Fills `slots` for a chunk: rows of the window, kNone for other tuples, the fill slot in kFill.
  void resolve(size_t chunk, const Window& window);
  View slots(size_t chunk) const;
  // The slot of one tuple of the chunk that was resolved last, by a round trip.
  uint32_t read_slot(uint64_t tuple);

  // Words that the shaders report in: a chunk's first bad tuple each, then two for the operator.
  const BufferPtr& status() const { return status_; }
  View status_view() const { return {status_.get(), Format::kAtomic, 0, status_words() * 4}; }
  uint32_t bad_words() const { return static_cast<uint32_t>(chunks_.size()); }
  size_t status_words() const { return chunks_.size() + 2; }

  // Throws the IndexError of the first bad tuple, if the words of `status` name one.
  void check(const uint32_t* words);

 private:
  Gpu& gpu_;
  Memory& memory_;
  const Plan& plan_;
  Geometry geometry_;
  std::vector<Chunk> chunks_;
  std::vector<uint64_t> dims_;  // of each component: size, rows a step
  BufferPtr indices_, many_dims_, slots_, status_;
  bool clean_ = false;  // check() saw all words of `status` as they were
};

}  // namespace gathernd::d3d12

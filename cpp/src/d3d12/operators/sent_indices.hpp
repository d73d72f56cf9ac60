// Index tuples of the host, sent to the device.
#pragma once

#include <vector>

#include "d3d12/operators/resolve.hpp"
#include "gathernd/indices.hpp"

namespace gathernd::d3d12 {

// Index components on the device, each in its own type and without what a stride of 0 repeats.
class SentComponents {
 public:
  // Records the uploads.
  SentComponents(Memory& memory, const Plan& plan, const Indices& indices);

  // One type for all of them. A uint64_t from 2**63 on does not fit int64_t: another value that is
  // out of range, or that is equal modulo the size, stands for it.
  DType tuple_type() const { return tuple_type_; }

  // Records that `tuples` are filled, as packed tuples of tuple_type().
  void stack(Gpu& gpu, const Plan& plan, const BufferPtr& tuples) const;

  DType type(int k) const { return components_[static_cast<size_t>(k)].type; }
  // The index of a position, as it came, read back from the device.
  int64_t read(Memory& memory, int k, uint64_t position) const;

 private:
  // Position t has the index t / repeats % period.
  struct Component {
    BufferPtr indices;
    DType type;
    uint64_t repeats = 1;
    uint64_t period = 1;
  };

  std::vector<Component> components_;
  DType tuple_type_;
};

// Tuples, or components that a shader stacks. Throws LimitError if they have too many bytes.
class SentIndices {
 public:
  SentIndices(Gpu& gpu, Memory& memory, const Plan& plan, const Indices& indices);

  const Plan& plan() const { return plan_; }  // the same call, with packed tuples
  Operands operands() const { return {.indices = tuples_, .components = components_.get()}; }

 private:
  Plan plan_;
  std::unique_ptr<const SentComponents> components_;
  BufferPtr tuples_;
};

}  // namespace gathernd::d3d12

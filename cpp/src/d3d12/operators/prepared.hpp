// Tuples that are used often: checked and resolved once, sorted once. A Session is held around
// every call but bytes().
#pragma once

#include <atomic>
#include <optional>

#include "d3d12/memory/device_memory.hpp"
#include "d3d12/operators/resolve.hpp"
#include "d3d12/operators/sort.hpp"

namespace gathernd::d3d12 {

// Keeps the tuples as slots: indices of one component into a table of one dimension, which need no
// look at sizes, batches or modes. Of tables with too many rows for that, or with rows without
// bytes, it keeps a copy of the indices.
class PreparedTuples final : public DeviceTuples {
 public:
  // Throws the IndexError of the first bad tuple.
  PreparedTuples(Gpu& gpu, Memory& memory, const Plan& plan, const BufferPtr& indices);

  uint64_t bytes() const override { return bytes_; }
  int64_t rows() const override { return rows_; }
  DeviceMemory& indices() override { return *indices_; }

  // The same call by the tuples as they are kept, and those as its operands.
  Plan refer(Plan plan) const;
  Operands operands();

  // Of a call whose table is one window and whose tuples are one chunk. Waits at the first call.
  SlotOrder order(Gpu& gpu, Memory& memory);

  // How many slices have many tuples, once a reduction has seen it.
  std::optional<uint32_t> long_rows;

 private:
  uint64_t count_;
  int64_t rows_ = -1;
  std::shared_ptr<D3D12Memory> indices_;
  std::shared_ptr<D3D12Memory> pairs_, starts_, ends_;
  std::atomic<uint64_t> bytes_;
};

}  // namespace gathernd::d3d12

// Tuples that are used often: checked, resolved and sorted once. The caller of every function
// except bytes() holds a Session.
#pragma once

#include <atomic>
#include <optional>

#include "d3d12/memory/device_memory.hpp"
#include "d3d12/operators/resolve.hpp"
#include "d3d12/operators/sort.hpp"

namespace gathernd::d3d12 {

// Keeps the tuples as slots: 1-tuples into a one-dimensional table, which are independent of sizes,
// batches and modes. If the table has too many rows, or its rows have no bytes, keeps a copy of the
// indices instead.
class KeptTuples {
 public:
  // Throws BadTupleError for the first bad tuple.
  KeptTuples(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands);

  uint64_t bytes() const { return bytes_; }
  // Below 0: indices() are the indices as they came. Else they are uint32 slots, one per tuple: the
  // number of a row, below rows(), or a larger number if the tuple addresses no row.
  int64_t rows() const { return rows_; }
  Buffer& indices() const { return *indices_->buffer(); }

  // The same call for the kept tuples, and the kept tuples as its operands.
  Plan refer(Plan plan) const;
  Operands operands();

  // The order of the tuples, for a call with one window and one chunk. The first call waits.
  SlotOrder order(Gpu& gpu, Memory& memory);

  // The number of slices with many tuples, once a reduction has counted them.
  std::optional<uint32_t> long_rows;

 private:
  uint64_t count_;
  DType index_type_;  // as they came: components have been made tuples of one type
  int64_t rows_ = -1;
  std::shared_ptr<D3D12Memory> indices_;
  std::shared_ptr<D3D12Memory> tuples_, starts_;  // the order
  std::atomic<uint64_t> bytes_;
};

}  // namespace gathernd::d3d12

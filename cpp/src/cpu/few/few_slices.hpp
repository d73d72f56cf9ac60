// A few slices of a table, without a plan, which would take most of the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/common/slices.hpp"
#include "cpu/kernels/kernels.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

// One slice for each tuple. Their rows are an array in C order.
class FewSlices {
 public:
  // Tuples of the shape `outer` address the first `depth` dimensions of the table. A row has the
  // shape of a slice, with `outer` before its dimension `position`.
  FewSlices(const Tensor& table, std::span<const int64_t> outer, size_t depth, size_t position = 0);
  // The same for tuples that are resolved: slice t is `scale` * known[t] bytes into the table.
  FewSlices(const Tensor& table, std::span<const int64_t> outer, size_t depth,
            const uint32_t* known, int64_t scale);
  FewSlices(const FewSlices&) = delete;
  FewSlices& operator=(const FewSlices&) = delete;

  // Whether the slices are few and simple. All functions below are for those.
  bool are_simple() const { return are_simple_; }

  // Resolves the tuples: all in one array of C order, or component after component, each of the
  // shape `outer`. Reads each index once. Returns false if one is out of range, or if their type or
  // layout is rare: then a plan is needed. `fresh_rows`: rows that may be written even then. Short
  // ones are moved there at once, and gather() moves only the others.
  bool resolve(const Tensor& tuples, Mode mode, bool wraps, std::byte* fresh_rows = nullptr);
  bool resolve_component(size_t k, const Tensor& index, Mode mode, bool wraps);

  void gather(std::byte* rows) const;
  // Whether `set` or `reduce` has the result. Of several updates of a slice the last one stays.
  static bool can_update(const DType& dtype, Reduction reduction, Duplicates duplicates);
  void set(const std::byte* rows) const;
  void reduce(const std::byte* rows, Reduction reduction) const;

 private:
  static constexpr int64_t kTuples = 4096;

  size_t tuples() const { return static_cast<size_t>(tuples_); }
  size_t chunk() const { return static_cast<size_t>(slice_.chunk); }
  bool find_rows(std::span<const int64_t> outer, size_t position);
  bool find_scale();
  template <class I>
  bool resolve_tuples(const std::byte* tuples, Mode mode, bool wraps, std::byte* fresh_rows);
  bool can_fuse() const;
  template <class I>
  bool add_component(size_t k, const Tensor& index, Mode mode, bool wraps);
  uint32_t unit(size_t k) const { return static_cast<uint32_t>(table_.strides[k] / scale_); }
  template <class F>
  void for_each_tile(const std::byte* rows, F f) const;

  const Tensor& table_;
  size_t depth_;
  int64_t tuples_ = 1, row_stride_ = 0, scale_ = 1;
  int64_t moved_ = 0;  // tuples, the first ones
  bool is_cached_ = true;
  Slice slice_;
  bool are_simple_;
  const uint32_t* known_ = offsets_;
  uint32_t offsets_[kTuples];
};

}  // namespace gathernd

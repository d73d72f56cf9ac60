// The thresholds of the D3D12 backend: which way a call goes, and into which pieces it is cut.
// Times were measured on an NVIDIA H200 and on Mesa's lavapipe, both through vkd3d on Linux. What a
// step of a shader costs stands in memory/costs.hpp; a number that a shader also has, beside its
// call.
#pragma once

#include <cstdint>
#include <optional>

namespace gathernd::d3d12 {

struct Tuning {
  // The elements of an R32 view: D3D12 allows 2^27, and a view begins up to 256 bytes early.
  uint64_t view_words = (uint64_t{1} << 27) - 256;
  // The same of a 128-bit view. Drivers fail past 2 GiB.
  uint64_t view_quads = (uint64_t{1} << 27) - 256;
  // Tuples of a chunk: their slots take 256 MiB.
  uint64_t chunk_tuples = uint64_t{1} << 26;

  // The estimated nanoseconds of a submission. Other programs wait for it, and Windows removes a
  // device after 2 s.
  double submission = 100e6;
  // Estimates of more nanoseconds than this are corrected by the time that the submission took.
  // Shorter times say little.
  double learned_submission = 20e6;
  // Loop iterations of a thread per dispatch, about. lavapipe ends loops silently after 65,535,
  // so devices have their own limit too.
  uint64_t iterations = uint64_t{1} << 20;
  // Tuples whose sums, which are rounded once, are computed in one dispatch.
  uint64_t sums_at_once = uint64_t{1} << 20;
  // Bytes that one command copies, so that a submission can end between two.
  uint64_t copy_bytes = uint64_t{64} << 20;

  // Bytes of all staging blocks of a direction: the host fills one while the device copies others.
  uint64_t staging_bytes = uint64_t{16} << 20;
  // Bytes of free buffers that are kept for the next call.
  uint64_t kept_bytes = uint64_t{256} << 20;
  // A result of up to so many bytes is a reused buffer; a longer one is allocated at its size.
  uint64_t reused_result_bytes = uint64_t{16} << 20;
  // NVIDIA's driver maps buffers from `large_buffer` on by large pages, if vkd3d allocates them
  // separately and not in a heap. With small pages, random access is slower from `medium_buffer`
  // on, and takes twice as long at 16 MiB (H200).
  uint64_t medium_buffer = uint64_t{8} << 20, large_buffer = uint64_t{32} << 20;

  // Tuples: up to so many, a scatter is one dispatch, of which each group looks at all tuples; at
  // most 1024. Absent: 1024, but none on lavapipe, where threads that wait for one another are
  // slow.
  std::optional<uint64_t> few_tuples = {};
  // Bytes of a row in that dispatch: up to so many; at most 1024.
  uint64_t few_row = 256;
  // Rows per tuple: with more, a scatter in place goes through its tuples instead of the rows.
  uint64_t sparse_rows = 32;
  // Bytes of a row: up to so many, atomics are faster than ordered reductions (H200). If elements
  // only grow, the shader reads the table first, and the ordered way is better sooner.
  uint64_t atomic_row = 64, atomic_growing_row = 32;
  // Reductions in order, in place, of elements that only grow, with rows of up to so many bytes and
  // updates of at least so many: the device looks first which updates change something, and these
  // go by atomics if they are at most one unit of 16 bytes of so many.
  uint64_t looked_row = 1024, looked_bytes = uint64_t{64} << 20, units_per_listed = 16;
  // Whether it looks first; absent: on all devices but lavapipe, whose atomics are no faster.
  std::optional<bool> looks = {};
  // Bytes of a row: up to so many, a group pre-aggregates items. It has few items of longer rows,
  // which takes longer than it saves. If elements only grow, most updates have no effect anyway.
  uint64_t preaggregated_row = 16, preaggregated_growing_row = 4;
  // Whether groups pre-aggregate; absent: on all devices but lavapipe, where threads that wait for
  // one another are slow.
  std::optional<bool> preaggregates = {};
  // Tuples per row: up to this average, lists are faster than sorting (H200: 0.048 ms instead of
  // 0.107 for 2^20 tuples).
  uint64_t list_tuples = 4;

  // Bytes of a row: from so many on, a thread takes two units and looks up the row's tuples once
  // for both (H200).
  uint64_t shared_row = 128;
  // Groups that reduce long rows: at least so many per dispatch, each with at most so many rows,
  // because skipping those of other dispatches takes time.
  uint64_t long_groups = 1024, long_rows_per_group = 1024;
  // Groups that keep a large device busy: with fewer, each takes fewer columns.
  uint64_t busy_groups = 128;
  // Up to so many dispatches are faster than asking the device how many it needs.
  uint64_t unasked_dispatches = 8;

  // Bytes between two touched rows that are still copied as one region: each costs a copy.
  uint64_t region_gap = uint64_t{16} << 10;
  // Bytes of packing that are worth a thread, and of a row that several threads unpack.
  int64_t pack_bytes = int64_t{256} << 10;
  uint64_t unpack_row = uint64_t{64} << 10;

  // For tests and benchmarks: where the first epoch starts; a function that is called with the
  // estimate of each submission; the number of long rows, if it is known.
  uint32_t epoch_start = 0;
  void (*submitted)(double time) = nullptr;
  std::optional<uint32_t> long_rows = {};
};

const Tuning& tuning();
void set_tuning(const Tuning& values);  // no call may run meanwhile

}  // namespace gathernd::d3d12

// The thresholds of the CPU backend: which way a call goes, and in which pieces. They were measured
// on a Xeon of 2 cores (2 MiB of L2 each) and one of 16; docs/internals/strategies.md has the gain
// of each way. Those of one SIMD loop, such as how far it prefetches, stand beside the loop.
#pragma once

#include <cstdint>

namespace gathernd {

struct Tuning {
  // So few tuples, with so many bytes of rows, go without a plan, which takes longer than their
  // work.
  int64_t few_tuples = 4096;
  int64_t few_bytes = 1 << 15;

  // Gather: below this many tuples per thread, each of so many bytes, every thread copies its part
  // of every slice. Whole slices would leave threads without work.
  int64_t gather_column_tuples = 4;
  int64_t gather_column_bytes = 1 << 16;

  // Gather: this part of a grain is worth a thread, because the threads wait for each other only at
  // the end.
  int64_t gather_grains = 2;

  // Gather: a thread takes tuples for about so many bytes of rows at once.
  int64_t gather_step_bytes = 1 << 16;

  // Gather into `out`: from so many tuples on, rows that are shorter than an offset wait in scratch
  // memory until all tuples are checked. For fewer the second copy costs more than it saves.
  int64_t kept_row_tuples = 2048;

  // Scatter: each thread takes its part of every slice if each part has so many bytes, so that the
  // parts lie on cache lines of their own.
  int64_t column_bytes = 1024;
  int64_t column_grain = 64;  // bytes of a part of one slice, at least: a cache line
  // But it shares out the tuples if there are so many per thread and slices are shorter than this:
  // parts of slices of 4 KiB take twice the time of whole ones.
  int64_t column_tuples = 16;
  int64_t column_long_bytes = 1 << 16;
  // Then one part may have so much more than its share of a sample; else threads wait for another.
  double part_share = 1.5;

  // Scatter: a table of each thread has at most so many bytes.
  int64_t private_table_bytes = 1 << 20;
  // Such tables pay from so many tuples on: these, or some per thread if that is more; and some per
  // slice, which each thread fills and reads again. With fewer they took up to 2.6 times as long as
  // one thread.
  int64_t private_tuples = 40'000;
  int64_t private_thread_tuples = 10'000;
  int64_t private_slice_tuples = 3;
  int64_t winner_slice_tuples = 5;
  // A single thread finds the winners first if rows have so many bytes and each slice is written
  // so often.
  int64_t winner_row_bytes = 64;
  int64_t winner_repeats = 4;

  // Sums that are rounded once: a float32 copy of the table pays if there are at most so many
  // elements per tuple.
  int64_t float_elements = 6;

  // Scatter: from so many parts on the tuples are grouped. To let every part scan all of them takes
  // longer.
  int64_t group_parts = 6;
  // A group may have so many parts' share of the tuples; a larger one keeps the other threads
  // waiting.
  int64_t group_share = 2;
  // Bytes of the table in a group, at least: a cache line.
  int64_t group_least = 64;
  // What one core prefetches must not be what another writes to.
  int64_t part_distance = 1024;  // bytes
  // Tuples that a thread groups at once, at least.
  int64_t group_range_least = 1024;

  // Two threads gain nothing by a part each of a small table, because both scan all tuples: one
  // resolves while the other writes. For fewer tuples one thread does both.
  int64_t one_writer_bytes = 1 << 16;      // of the table, at most
  int64_t one_writer_set_bytes = 1 << 14;  // the same for sets
  int64_t one_writer_tuples = 60'000;

  // Vectors of indices are resolved so many times as fast as the items that a grain is made for.
  int64_t resolve_grains = 3;

  // Tuples that one thread resolves for all at once: some 20 us of work.
  int64_t shared_block = 1 << 14;

  // IndexPlan: winners pay if most updates are replaced.
  int64_t kept_winner_repeats = 2;
  // A plan's groups: bytes of the table, so that a group stays in L2. There are two per thread,
  // unless they would be shorter than group_least.
  int64_t order_group = 1 << 16;
  // An order pays if the table has at least so many bytes: few groups of it keep few threads busy.
  int64_t order_least = 2048;
  // Few threads gain by a plan's order if rows have at most so many bytes and the table is in no
  // cache, or in L2.
  int64_t order_row_bytes = 8;
  // From so many parts on a plan's updates are packed in its order first: each part would fetch
  // most cache lines of them.
  int64_t pack_parts = 16;

  // Updates of up to so many bytes that lie in another order than C's are packed first: else each
  // is a walk and a kernel's call of its own, which takes 2 to 8 times as long.
  int64_t pack_row_bytes = 256;

  // Non-temporal stores, past the caches: what they replace need not be read. They pay if a result
  // is larger than all caches or, of long rows, than one core's share of the last one.
  int64_t stream_bytes = int64_t{32} << 20;
  int64_t stream_long_rows_bytes = int64_t{8} << 20;
  int64_t stream_gather_row = 2048;   // bytes of a long row
  int64_t stream_scatter_row = 1024;  // shorter updates are never streamed
  int64_t stream_copy_bytes = int64_t{64} << 20;
  // Rows that are not whole cache lines are slow to stream below so many bytes: side by side, and
  // apart from each other.
  int64_t stream_partial_row = 256, stream_apart_row = 4096;

  // Prefetch of updates: they come in order, which a processor follows by itself, unless rows are
  // long or come here and there.
  int64_t prefetch_row = 64;                    // bytes of a long row
  int64_t prefetch_updates = int64_t{8} << 20;  // bytes of all updates, that no cache has

  // Slices of so many words that do not lie side by side are moved one after the other, not one
  // word of all slices at a time: 1.2 to 1.7 times as fast in a cache, 10 times if they drive each
  // other out. But only kernels prefetch, as a far table needs unless slices are long.
  int64_t slice_words = 8;
  int64_t far_slice_words = 64;

  // duplicates="error": a bit per slice is cheaper than to sort the tuples, up to so many per
  // tuple.
  int64_t repeat_bits = 64;

  // A table in no cache: its slices come from memory.
  int64_t far_table_bytes = int64_t{32} << 20;

  // Index arrays that are broadcast: each index is resolved once if it is repeated so often, in
  // calls of so many tuples.
  int64_t distinct_repeats = 4;
  int64_t distinct_tuples = 256;

  // Tests: calls of a few tuples go every way that long ones go.
  static Tuning small() {
    Tuning t;
    t.few_tuples = 0;
    t.private_tuples = t.private_thread_tuples = 0;
    t.private_slice_tuples = t.winner_slice_tuples = 1;
    t.one_writer_bytes = 64;
    t.one_writer_set_bytes = 16;
    t.one_writer_tuples = 0;
    t.resolve_grains = 1;
    t.group_parts = 4;
    t.group_range_least = 1;
    t.group_least = 1;
    t.order_least = 1;
    t.part_distance = 1;
    t.pack_parts = 6;
    t.shared_block = 4;
    t.slice_words = 2;
    t.far_slice_words = 3;
    t.distinct_tuples = 4;
    return t;
  }
};

const Tuning& tuning();
void set_tuning(const Tuning& values);  // no call may run meanwhile

}  // namespace gathernd

// The passes over the rows of a window that combine a chunk's updates into them.
#pragma once

#include "d3d12/operators/arithmetic.hpp"
#include "d3d12/operators/resolve.hpp"
#include "d3d12/operators/sort.hpp"

namespace gathernd::d3d12 {

// One chunk of tuples, one window of the table.
struct Pass {
  const Window& window;
  const Chunk& chunk;
  SubView table;
  uint32_t stops;    // words of the status that a bad tuple may have changed
  uint32_t counter;  // of the status: where long rows are counted, and then the longest's tuples
  bool copies;       // the rows without a tuple come from the source
  bool sparse;       // as is_sparse() says
};

class RowReducer {
 public:
  static constexpr uint32_t kColumns = 4;  // units of a row that a group reduces, at most

  // `run`: updates of a group's long rows in a dispatch, at most; or all of them `at_once`.
  // `longs`: as in ReduceMemory.
  RowReducer(Gpu& gpu, const Operands& operands, Resolver& resolver, const Arithmetic& arithmetic,
             uint64_t run, bool at_once, BufferPtr longs);

  // The rows of up to so many tuples; lists those that have more, which are long. `lists`: the
  // order is of each tuple's slot, each slot's first tuple and each tuple's next instead.
  void reduce(const Pass& pass, const SlotOrder& order, bool lists);

  // The long rows. `most`: rows, at most. `ranked`: the order is of the listed rows alone.
  void reduce_long(const Pass& pass, const SlotOrder& order, uint32_t most, bool ranked);

 private:
  struct Parameters {
    uint32_t total, width, table_first, rows_first, end, stops, counter, copies, lists, done, limit,
        columns, share, floor, sparse_rows;
    ArithmeticParameters arithmetic;
  };

  // Elements of less than a word share it with others.
  Format word_format() const { return arithmetic_.unit < 4 ? Format::kAtomic : Format::kWord; }
  SubView rows_view(const Pass& pass) const;
  // The tuples of the longest of the order's runs, by a round trip.
  uint32_t find_longest(const Pass& pass, const SlotOrder& order, uint32_t runs);
  uint32_t most_updates(double step) const;
  Cost reduce_cost(const Pass& pass, const Parameters& parameters) const;
  Parameters make_parameters(const Pass& pass, const SubView& rows) const;

  Gpu& gpu_;
  const Operands& operands_;
  Resolver& resolver_;
  Arithmetic arithmetic_;
  uint64_t run_;
  bool at_once_;
  BufferPtr longs_;
};

}  // namespace gathernd::d3d12

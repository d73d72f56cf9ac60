// Sets rows: finds one winner per row, then makes one pass over the rows, or over the tuples if
// they are few.
#pragma once

#include <memory>
#include <utility>

#include "d3d12/operators/scatter_run.hpp"

namespace gathernd::d3d12 {

// Allocates nothing after the table has begun to change.
class Setter {
 public:
  Setter(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands, Resolver& resolver,
         const Unit& unit, const ScatterStrategy& strategy);
  ~Setter() { memory_.give_epoch_table(std::move(winners_)); }
  Setter(const Setter&) = delete;
  Setter& operator=(const Setter&) = delete;

  void find_winners(const Window& window);

  // The first tuple of the window that repeats a slot, or kNone. `first`: the tuple that it
  // repeats.
  uint32_t find_duplicate(const Window& window, uint32_t* first);

  // `copies`: rows without a tuple are copied from the source.
  void write(const Window& window, bool copies);

 private:
  uint32_t entry_of(const Chunk& chunk) const;  // of its first tuple
  SubView table_view(const Window& window) const;
  SubView rows_view(const Window& window, const Chunk& chunk) const;
  void put(const Window& window);
  void merge(const Window& window, bool copies);

  Gpu& gpu_;
  Memory& memory_;
  const Operands& operands_;
  Resolver& resolver_;
  Unit unit_;
  bool first_wins_;
  bool by_tuple_;
  EpochTable winners_;
  uint32_t floor_ = 0;  // of the epoch: the winners' entries are above it
};

// For a plan that sets. Its prepare() throws DuplicateError itself.
std::unique_ptr<ScatterRun> by_winners(const ScatterCall& call);

}  // namespace gathernd::d3d12

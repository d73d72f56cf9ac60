#include "d3d12/operators/kept_tuples.hpp"

#include <memory>
#include <utility>

namespace gathernd::d3d12 {
namespace {

// Checks all tuples against a table of `rows` rows, and fills `slots` unless it is null. Throws
// BadTupleError for the first bad tuple.
void resolve_all(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                 uint32_t rows, Buffer* slots) {
  Geometry g = make_geometry(plan);
  g.row_bytes = 0;  // no rows are moved
  Resolver resolver(gpu, memory, plan, operands, make_chunks(g, 0));
  for (size_t c = 0; c < resolver.chunks().size(); ++c) {
    const Chunk& chunk = resolver.chunks()[c];
    resolver.resolve(c, {0, rows, 0, 0});
    if (slots == nullptr) continue;
    gpu.copy(*slots, chunk.first * 4, *resolver.slots(c).buffer, 0, uint64_t{chunk.count} * 4);
  }
  resolver.read_status();
}

}  // namespace

KeptTuples::KeptTuples(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands)
    : count_(static_cast<uint64_t>(plan.tuples)), index_type_(plan.index_type) {
  constexpr uint64_t kMostRows = kNone - 1;  // so that the fill slot is no row either
  Geometry g = {};
  if (count_ != 0) g = make_geometry(plan);
  const bool has_slots = g.row_bytes != 0 && g.rows <= kMostRows;
  const uint64_t bytes = count_ * (has_slots ? 4 : g.index_bytes);
  BufferPtr kept = memory.allocate(bytes);
  if (has_slots) {
    resolve_all(gpu, memory, plan, operands, static_cast<uint32_t>(g.rows), kept.get());
    rows_ = static_cast<int64_t>(g.rows);
  } else {
    gpu.copy(*kept, 0, *operands.indices, 0, bytes);
    if (count_ != 0) resolve_all(gpu, memory, plan, operands, 0, nullptr);
  }
  memory.finish();
  indices_ = std::make_shared<D3D12Memory>(std::move(kept), bytes);
  bytes_ = bytes;
}

Plan KeptTuples::refer(Plan plan) const {
  if (rows_ < 0) {
    plan.index_type = index_type_;
    return plan;
  }
  plan.batch_dims = 0;
  plan.depth = 1;
  plan.dims = Dims({&rows_, 1});
  plan.index_type = {Kind::kUInt32, 4};
  // Only the slots of tuples that are left out are out of range.
  if (!leaves_holes(plan.mode)) plan.mode = Mode::kRaise;
  return plan;
}

Operands KeptTuples::operands() {
  return {.indices = indices_->buffer(), .prepared = rows_ < 0 ? nullptr : this};
}

SlotOrder KeptTuples::order(Gpu& gpu, Memory& memory) {
  const auto rows = static_cast<uint64_t>(rows_);
  if (tuples_ == nullptr) {
    const auto make = [&](uint64_t count) {
      return std::make_shared<D3D12Memory>(memory.allocate(count * 4), count * 4);
    };
    auto tuples = make(count_), starts = make(rows + 1);
    Sorter sorter(gpu, memory, count_, 0);
    sorter.sort_into(words(tuples->buffer(), count_), words(starts->buffer(), rows + 1),
                     words(indices_->buffer(), count_), static_cast<uint32_t>(count_),
                     static_cast<uint32_t>(rows));
    memory.finish();  // keep them only if this succeeds
    bytes_ += tuples->bytes() + starts->bytes();
    tuples_ = std::move(tuples);
    starts_ = std::move(starts);
  }
  const View starts = words(starts_->buffer(), rows + 1);
  return {.tuples = words(tuples_->buffer(), count_),
          .starts = starts,
          .ends = starts,
          .ends_first = 1};
}

}  // namespace gathernd::d3d12

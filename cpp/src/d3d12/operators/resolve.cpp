#include "d3d12/operators/resolve.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "d3d12/memory/kernels.hpp"

namespace gathernd::d3d12 {
namespace {

struct Words64 {
  Words64(uint64_t value = 0)
      : low(static_cast<uint32_t>(value)), high(static_cast<uint32_t>(value >> 32)) {}
  uint32_t low, high;
};

constexpr int kFewDims = 4;  // at most: passed as parameters instead of in a buffer

// As in common.hlsli.
uint32_t number_of(Mode mode) {
  switch (mode) {
    case Mode::kRaise:
      return 0;
    case Mode::kClip:
      return 1;
    case Mode::kWrap:
      return 2;
    case Mode::kFill:
      return 3;
    case Mode::kDrop:
      return 4;
  }
  return 0;
}

uint2 words_of(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}

}  // namespace

// The conditions of tuples.hlsli.
bool has_direct_tuples(const Plan& plan, const Geometry& g) {
  constexpr uint64_t kMost = uint64_t{1} << 31;
  const auto is_small = [](int64_t size) { return static_cast<uint64_t>(size) < kMost; };
  return g.rows != 0 && g.rows < kMost && plan.depth <= kFewDims && plan.index_type.size >= 4 &&
         plan.index_type.native && plan.mode != Mode::kWrap &&
         (plan.wrap_negative_indices || plan.mode != Mode::kClip) &&
         std::ranges::all_of(plan.dims, is_small);
}

Resolver::Resolver(Gpu& gpu, Memory& memory, const Plan& plan, const Operands& operands,
                   std::vector<Chunk> chunks, size_t counters)
    : gpu_(gpu),
      memory_(memory),
      plan_(plan),
      geometry_(make_geometry(plan)),
      chunks_(std::move(chunks)),
      counters_(counters),
      components_(operands.components),
      indices_(operands.indices) {
  uint64_t step = 1;
  for (int k = plan.depth - 1; k >= 0; --k) {
    const auto size = static_cast<uint64_t>(plan.dims[k]);
    dims_.insert(dims_.begin(), {size, step});
    step *= size;
  }
  if (plan.depth > kFewDims) {
    many_dims_ = memory.take(dims_.size() * 8);
    memory.upload(*many_dims_, dims_.data(), dims_.size() * 8);
  }
  status_ = memory.take_clean(status_words());
}

Resolver::~Resolver() {
  if (clean_ && status_ != nullptr) memory_.give_clean(std::move(status_));
}

View Resolver::slots(size_t chunk) const { return words(slots_, chunks_[chunk].count); }

SubView Resolver::indices_view(const Chunk& chunk) const {
  return sub_view(indices_, Format::kWord, chunk.first * geometry_.index_bytes,
                  chunk.count * geometry_.index_bytes,
                  static_cast<uint32_t>(plan_.index_type.size));
}

Slots Resolver::find_slots(size_t number, const Window& window, bool resolves) {
  const bool is_whole = window.rows == geometry_.rows && window.row_bytes == geometry_.row_bytes;
  if (resolves || !is_whole || !has_direct_tuples(plan_, geometry_)) {
    resolve(number, window);
    return {slots(number), {}};
  }
  const Chunk& chunk = chunks_[number];
  const SubView indices = indices_view(chunk);
  const auto dim = [&](size_t i) { return i < dims_.size() ? static_cast<uint32_t>(dims_[i]) : 0; };
  const TupleParameters tuples = {
      .depth = static_cast<uint32_t>(plan_.depth),
      .index_words = static_cast<uint32_t>(plan_.index_type.size / 4),
      // A negative index that does not wrap is out of range: as an unsigned number it exceeds every
      // size.
      .is_signed = is_signed_index(plan_.index_type.kind) && plan_.wrap_negative_indices,
      .mode = number_of(plan_.mode),
      .index_first = indices.first,
      .per_batch = chunk.per_batch,
      .batch_rows = static_cast<uint32_t>(geometry_.batch_rows),
      .base = static_cast<uint32_t>(chunk.batch * geometry_.batch_rows),
      .bad_at = static_cast<uint32_t>(number),
      .direct = 1,
      .unused = {},
      .dims_01 = {dim(0), dim(1), dim(2), dim(3)},
      .dims_23 = {dim(4), dim(5), dim(6), dim(7)},
  };
  clean_ = checked_ = false;
  return {indices.view, tuples};
}

void Resolver::report_bad(size_t number, const Slots& slots) {
  if (!slots.direct()) return;
  const CheckParameters parameters = {slots.tuples, chunks_[number].count};
  run(gpu_, shaders::check, parameters, {slots.view}, {status_view()},
      groups_for(parameters.count, kGroupSize * 4));
}

void Resolver::resolve(size_t number, const Window& window) {
  if (slots_ == nullptr) {
    slots_ = memory_.take(std::ranges::max(chunks_, {}, &Chunk::count).count * uint64_t{4});
  }
  const Chunk& chunk = chunks_[number];
  const SubView indices = indices_view(chunk);
  const auto dim = [&](size_t k) -> uint4 {
    if (many_dims_ != nullptr || k * 2 >= dims_.size()) return {};
    const uint2 size = words_of(dims_[k * 2]), step = words_of(dims_[k * 2 + 1]);
    return {size.x, size.y, step.x, step.y};
  };
  const ResolveParameters parameters = {
      .dim_0 = dim(0),
      .dim_1 = dim(1),
      .dim_2 = dim(2),
      .dim_3 = dim(3),
      .count = chunk.count,
      .depth = static_cast<uint32_t>(plan_.depth),
      .size_log =
          static_cast<uint32_t>(std::countr_zero(static_cast<uint32_t>(plan_.index_type.size))),
      .is_signed = is_signed_index(plan_.index_type.kind),
      .mode = number_of(plan_.mode),
      .index_first = indices.first,
      .per_batch = chunk.per_batch,
      .bad_at = static_cast<uint32_t>(number),
      .base = words_of(chunk.batch * geometry_.batch_rows - window.first_row),
      .batch_rows = words_of(geometry_.batch_rows),
      .window_rows = window.rows,
      .swapped = !plan_.index_type.native,
      .wraps = plan_.wrap_negative_indices,
  };
  View many_dims = {indices_.get(), Format::kQuad, 0, 16};  // not read
  if (many_dims_ != nullptr) {
    many_dims = {many_dims_.get(), Format::kQuad, 0, static_cast<uint64_t>(plan_.depth) * 16};
  }
  clean_ = checked_ = false;
  run(gpu_, shaders::resolve, parameters, {indices.view, many_dims}, {slots(number), status_view()},
      groups_for(chunk.count), each(kGroupSize * index_cost()));
}

double Resolver::index_cost() const {
  return plan_.depth * (plan_.mode == Mode::kWrap ? costs::kWrap : costs::kIndex) + costs::kIndex;
}

uint32_t Resolver::read_slot(uint64_t tuple) {
  uint32_t slot = 0;
  memory_.download(*slots_, tuple * 4, sizeof slot, &slot);
  return slot;
}

std::vector<uint32_t> Resolver::read_status() {
  std::vector<uint32_t> words(status_words());
  memory_.download(*status_, 0, words.size() * 4, words.data());
  check(words.data());
  return words;
}

}  // namespace gathernd::d3d12

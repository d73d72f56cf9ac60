#include "d3d12/operators/sent_indices.hpp"

#include <algorithm>
#include <bit>

#include "core/layout.hpp"
#include "d3d12/memory/pack.hpp"

namespace gathernd::d3d12 {
namespace {

bool is_unsigned(const Tensor& component) { return !is_signed_index(component.dtype.kind); }

DType type_for(std::span<const Tensor> components) {
  const auto is_short = [](const Tensor& t) { return t.dtype.size <= 4; };
  const auto fits_int32 = [](const Tensor& t) {
    return t.dtype.size < 4 || t.dtype.kind == Kind::kInt32;
  };
  if (std::ranges::all_of(components, fits_int32)) return {Kind::kInt32, 4};
  if (!std::ranges::all_of(components, is_unsigned)) return {Kind::kInt64, 8};
  if (std::ranges::all_of(components, is_short)) return {Kind::kUInt32, 4};
  return {Kind::kUInt64, 8};
}

uint64_t product(std::span<const int64_t> sizes) {
  return static_cast<uint64_t>(count_elements(sizes));
}

uint32_t log2_of(int64_t size) {
  return static_cast<uint32_t>(std::countr_zero(static_cast<uint64_t>(size)));
}

}  // namespace

SentComponents::SentComponents(Memory& memory, const Plan& plan, const Indices& indices)
    : tuple_type_(type_for(indices.components())) {
  const std::span<const int64_t> positions(plan.positions.begin(), plan.positions.end());
  for (const Tensor& component : indices.components()) {
    // Outer and inner dimensions along which the component repeats stay here; those in between go
    // to the device as they are.
    size_t first = 0, last = positions.size();
    const auto repeats = [&](size_t i) { return positions[i] == 1 || component.strides[i] == 0; };
    while (first < last && repeats(first)) ++first;
    while (first < last && repeats(last - 1)) --last;
    const auto shape = positions.subspan(first, last - first);
    const Tensor once = {component.data, component.dtype, shape,
                         component.strides.subspan(first, last - first)};
    BufferPtr buffer = memory.take(packed_bytes(once));
    memory.upload(*buffer, once);
    components_.push_back({.indices = std::move(buffer),
                           .type = component.dtype,
                           .repeats = product(positions.subspan(last)),
                           .period = product(shape)});
  }
}

void SentComponents::stack(Gpu& gpu, const Plan& plan, const BufferPtr& tuples) const {
  const auto total = static_cast<uint64_t>(plan.tuples);
  const auto depth = static_cast<uint32_t>(components_.size());
  const auto index_words = static_cast<uint32_t>(tuple_type_.size / 4);
  const uint64_t tuple_words = uint64_t{depth} * index_words;
  const uint64_t most = std::max<uint64_t>(
      std::min(tuning().chunk_tuples, tuning().view_words / std::max<uint64_t>(tuple_words, 2)), 1);
  for (uint32_t k = 0; k < depth; ++k) {
    const auto& [indices, type, repeats, period] = components_[k];
    const auto size = static_cast<uint64_t>(type.size);
    const uint64_t cycle = repeats * period;
    const bool is_whole = cycle <= most;  // all indices are in each dispatch's view
    for (uint64_t first = 0, count; first < total; first += count) {
      const uint64_t begin = first % cycle;
      count = std::min(most, total - first);
      if (!is_whole) count = std::min(count, cycle - begin);
      if (repeats > most) count = std::min(count, repeats - begin % repeats);
      const uint64_t from = is_whole ? 0 : begin / repeats;
      const uint64_t to = is_whole ? period : (begin + count - 1) / repeats + 1;
      const SubView read = sub_view(indices, Format::kWord, from * size, (to - from) * size,
                                    static_cast<uint32_t>(size));
      const SubView written = sub_view(tuples, Format::kWord, first * tuple_words * 4,
                                       count * tuple_words * 4, sizeof(uint32_t));
      const int64_t axis = plan.dims[static_cast<int>(k)];
      const StackParameters parameters = {
          .count = static_cast<uint32_t>(count),
          .depth = depth,
          .component = k,
          .index_words = index_words,
          .start = static_cast<uint32_t>(is_whole          ? begin
                                         : repeats <= most ? begin % repeats
                                                           : 0),
          .repeats = static_cast<uint32_t>(std::min(repeats, most)),
          .period = is_whole ? static_cast<uint32_t>(period) : UINT32_MAX,
          .index_first = read.first,
          .tuples_first = written.first,
          .size_log = log2_of(type.size),
          .is_signed = is_signed_index(type.kind),
          .swapped = !type.native,
          .is_limited = type.kind == Kind::kUInt64 && tuple_type_.kind == Kind::kInt64,
          .wraps = plan.mode == Mode::kWrap && axis != 0,
          .axis = {static_cast<uint32_t>(axis), static_cast<uint32_t>(axis >> 32)},
      };
      run(gpu, shaders::stack, parameters, {read.view}, {written.view}, groups_for(count),
          each(kGroupSize * 2 * (parameters.wraps != 0 ? costs::kWrap : costs::kIndex)));
    }
  }
}

int64_t SentComponents::read(Memory& memory, int k, uint64_t position) const {
  const Component& component = components_[static_cast<size_t>(k)];
  const auto size = static_cast<uint64_t>(component.type.size);
  std::byte bytes[8] = {};
  memory.download(*component.indices, position / component.repeats % component.period * size, size,
                  bytes);
  return load_index(bytes, component.type);
}

SentIndices::SentIndices(Gpu& gpu, Memory& memory, const Plan& plan, const Indices& indices)
    : plan_(plan) {
  Tensor given = indices.tuples();
  const bool stacks = !plan.components.empty();
  if (stacks) {
    components_ = std::make_unique<SentComponents>(memory, plan, indices);
    given.dtype = components_->tuple_type();
  }
  const AtPositions tuples(plan, given);
  tuples_ = memory.take(packed_bytes(tuples.tensor()));
  if (stacks) {
    components_->stack(gpu, plan, tuples_);
  } else {
    memory.upload(*tuples_, tuples.tensor());
  }
  plan_.components.clear();
  plan_.index_type = given.dtype;
}

}  // namespace gathernd::d3d12

#include "cpu/resolve/resolve.hpp"

#include <algorithm>
#include <bit>

#include "core/layout.hpp"
#include "core/load_tuples.hpp"
#include "core/normalize_index.hpp"
#include "cpu/common/tuning.hpp"
#include "cpu/kernels/targets.hpp"

namespace gathernd {
namespace {

constexpr size_t kBuffer = 1024;  // index lanes that are copied at a time: 8 KiB of stack

template <class I, class O>
bool resolve_one(const TupleRule<I, O>& rule, const I* tuple, O* offset, BadTuple* bad) {
  if (!rule.batched) *offset = rule.base;
  for (int k = 0; k < rule.depth; ++k) {
    const I lane = read_once<I>(tuple + k);
    const int64_t value =
        rule.is_signed ? int64_t{lane}
                       : static_cast<int64_t>(uint64_t{static_cast<std::make_unsigned_t<I>>(lane)});
    int64_t index;
    if (!normalize_index(value, rule.is_signed, rule.wraps, rule.dims[k], rule.mode, &index)) {
      if (leaves_holes(rule.mode)) {
        *offset = kNoSlice<O>;
        return true;
      }
      bad->component = k;
      bad->value = value;
      return false;
    }
    *offset = static_cast<O>(*offset + static_cast<O>(index) * rule.strides[k]);
  }
  return true;
}

// A tuple is a hole if one of its components is. `base` is part of each offset, not of the sums.
template <class O>
void add_with_holes(const O* offsets, size_t n, O base, O* sums) {
  for (size_t t = 0; t < n; ++t) {
    const bool hole = sums[t] == kNoSlice<O> || offsets[t] == kNoSlice<O>;
    sums[t] = hole ? kNoSlice<O> : static_cast<O>(sums[t] + offsets[t] - base);
  }
}

}  // namespace

template <class O>
template <class I>
void Resolver<O>::set_rule(TupleRule<I, O>* rule) const {
  rule->depth = plan_.depth;
  rule->mode = plan_.mode;
  rule->is_signed = is_signed_index(plan_.index_type.kind);
  rule->wraps = rule->is_signed && plan_.wrap_negative_indices;
  rule->simd = true;
  rule->batched = batched_ || accumulates_;
  // A core has few prefetches under way at a time. If slices come from memory, indices are
  // prefetched less far ahead, where the processor has fetched them by itself.
  const bool is_far = plan_.span > static_cast<uint64_t>(tuning().far_table_bytes / plan_.scale);
  rule->ahead = is_far ? kBytesAhead / 8 : kBytesAhead;
  rule->base = base_;
  for (int k = 0; k < plan_.depth; ++k) {
    rule->dims[k] = static_cast<I>(plan_.dims[k]);
    rule->strides[k] = static_cast<O>(plan_.units[plan_.batch_dims + k]);
    // 64-bit lanes multiply their lower 32 bits. To clip into an empty dimension is an error.
    constexpr bool kLow = sizeof(I) == 4 || std::endian::native == std::endian::little;
    const bool fits = plan_.dims[k] <= UINT32_MAX && uint64_t{rule->strides[k]} <= UINT32_MAX;
    rule->simd = rule->simd && kLow && fits && !(plan_.mode == Mode::kClip && plan_.dims[k] == 0);
  }
}

template <class O>
Resolver<O>::Resolver(const Plan& plan, const Indices& indices)
    : Resolver(plan, indices.tuples().data, false) {
  components_.reserve(plan.components.size());
  for (const Plan& component : plan.components) {
    const size_t k = components_.size();
    components_.push_back({component, indices.components()[k].data, k > 0});
    components_.back().keep_distinct(indices.components()[k]);
  }
  apart_ = lie_apart();
}

template <class O>
Resolver<O>::Resolver(const Plan& plan, const std::byte* indices, bool accumulates)
    : plan_(plan),
      indices_(indices),
      kernels_(width_of<O>(kernels().move)),
      accumulates_(accumulates) {
  const int64_t size = plan.index_type.size;
  base_ = static_cast<O>(-plan.bias / plan.scale);
  batched_ = std::ranges::any_of(plan.batch_walk.stride, [](int64_t step) { return step != 0; });
  fits_lanes32_ = sizeof(O) == 4 && size <= 4 &&
                  std::ranges::all_of(plan.dims, [](int64_t n) { return n <= INT32_MAX; });
  if (fits_lanes32_) {
    set_rule(&rule32_);
  } else {
    set_rule(&rule64_);
  }
  const Walk& walk = plan.index_walk;
  const bool packed =
      (plan.depth == 1 || plan.component_stride == size) &&
      (walk.size.empty() ? plan.tuples == 1
                         : walk.size.size() == 1 && walk.stride[0] == size * plan.depth);
  const bool aligned = reinterpret_cast<uintptr_t>(indices) % static_cast<uintptr_t>(size) == 0;
  fits_kernels_ = aligned && plan.index_type.native && size == (fits_lanes32_ ? 4 : 8);
  direct_ = packed && fits_kernels_;
}

template <class O>
template <class I, class F>
void Resolver<O>::for_each_batch(const TupleRule<I, O>& rule, int64_t first, int64_t n, F f) const {
  if (direct_) {
    const auto skipped = first * rule.depth * int64_t{sizeof(I)};
    f(int64_t{0}, n, reinterpret_cast<const I*>(indices_ + skipped));
    return;
  }
  constexpr int64_t kVector = 16;  // tuples; those that fill no vector take longer
  I buffer[kBuffer];
  const int64_t step = static_cast<int64_t>(kBuffer) / rule.depth / kVector * kVector;
  for (int64_t at = 0; at < n; at += step) {
    const int64_t count = std::min(step, n - at);
    load_lanes(plan_, indices_, first + at, count, buffer);
    if (!f(at, count, static_cast<const I*>(buffer))) return;
  }
}

template <class O>
template <class I>
bool Resolver<O>::resolve_lanes(const TupleRule<I, O>& rule, ResolveFn<I, O> kernel, int64_t first,
                                int64_t n, O* offsets, BadTuple* bad) const {
  bool good = true;
  for_each_batch(rule, first, n, [&](int64_t at, int64_t count, const I* tuples) {
    size_t t = rule.simd ? kernel(rule, tuples, offsets + at, static_cast<size_t>(count)) : 0;
    for (; good && t < static_cast<size_t>(count); ++t) {
      const I* tuple = tuples + t * static_cast<size_t>(rule.depth);
      good = resolve_one(rule, tuple, offsets + at + t, bad);
      if (!good) bad->position = first + at + static_cast<int64_t>(t);
    }
    return good;
  });
  return good;
}

template <class O>
bool Resolver<O>::resolve(int64_t first, int64_t n, O* offsets, BadTuple* bad) const {
  if (!components_.empty()) return resolve_components(first, n, offsets, bad);
  if (!distinct_.empty()) {
    add_distinct(first, n, offsets);
    return true;
  }
  if (batched_ || plan_.depth == 0) {
    O* to = offsets;
    for_each_run(plan_.batch_walk, first, n, [&](int64_t offset, int64_t stride, int64_t count) {
      const O base = static_cast<O>(base_ + static_cast<O>(offset));
      for (int64_t t = 0; t < count; ++t) to[t] = static_cast<O>(base + static_cast<O>(t * stride));
      to += count;
    });
  }
  if (plan_.depth == 0) return true;
  return fits_lanes32_ ? resolve_lanes(rule32_, kernels_.resolve32, first, n, offsets, bad)
                       : resolve_lanes(rule64_, kernels_.resolve64, first, n, offsets, bad);
}

// Goes tile by tile, so that the offsets to which the components add stay in L1.
template <class O>
bool Resolver<O>::resolve_components(int64_t first, int64_t n, O* offsets, BadTuple* bad) const {
  const bool holes = leaves_holes(plan_.mode);
  for (int64_t at = 0; at < n; at += kTile) {
    int64_t count = std::min(kTile, n - at);
    O* const sums = offsets + at;
    O room[kTile];
    bool good = true;
    for (size_t k = 0; k < components_.size(); ++k) {
      // Adding to the offset of a hole would hide it, so later components are resolved apart.
      const bool apart = holes && k > 0;
      const O base = components_[k].base_;
      if (apart) std::fill_n(room, count, base);
      if (!components_[k].resolve(first + at, count, apart ? room : sums, bad)) {
        good = false;
        bad->component = static_cast<int>(k);
        count = bad->position - first - at;  // only a tuple before this one matters now
      } else if (apart) {
        add_with_holes(room, static_cast<size_t>(count), base, sums);
      }
    }
    if (!good) return false;
  }
  return true;
}

template <class O>
bool Resolver<O>::lie_apart() const {
  if (plan_.depth < 2 || plan_.depth > kMostApart || sizeof(O) != 4) return false;
  if (components_.empty()) {
    const Walk& walk = plan_.index_walk;
    const int64_t size = plan_.index_type.size;
    return !batched_ && fits_kernels_ && plan_.component_stride % size == 0 &&
           walk.size.size() == 1 && walk.stride[0] == size;
  }
  return std::ranges::all_of(components_, [this](const Resolver& c) {
    return c.direct_ && !c.batched_ && c.distinct_.empty() &&
           c.plan_.index_type.kind == plan_.index_type.kind;
  });
}

template <class O>
const std::byte* Resolver<O>::component(size_t k) const {
  if (!components_.empty()) return components_[k].indices_;
  return indices_ + static_cast<int64_t>(k) * plan_.component_stride;
}

template <class O>
int64_t Resolver<O>::gather_apart(int64_t first, int64_t n, ShortRows rows) const {
  const auto run = [&]<class I>(const TupleRule<I, O>& rule, GatherApartFn<I> kernel) {
    if constexpr (sizeof(O) == 4) {
      if (!rule.simd) return int64_t{0};
      const I* components[kMostApart] = {};
      for (size_t k = 0; k < static_cast<size_t>(plan_.depth); ++k) {
        components[k] = reinterpret_cast<const I*>(component(k)) + first;
      }
      return static_cast<int64_t>(kernel(rule, components, rows, static_cast<size_t>(n)));
    } else {
      return int64_t{0};
    }
  };
  return fits_lanes32_ ? run(rule32_, apart_kernels().gather32)
                       : run(rule64_, apart_kernels().gather64);
}

template <class O>
void Resolver<O>::keep_distinct(const Tensor& index) {
  const Tuning& t = tuning();
  if (batched_ || leaves_holes(plan_.mode) || plan_.tuples < t.distinct_tuples) return;
  Plan once = plan_;
  Dims strides;
  once.tuples = 1;
  for (int i = 0; i < once.positions.size(); ++i) {
    if (index.strides[static_cast<size_t>(i)] == 0) once.positions[i] = 1;
    once.tuples *= once.positions[i];
  }
  if (once.tuples > plan_.tuples / t.distinct_repeats) return;
  once.index_walk = make_walk(once.positions, index.strides);
  const Resolver resolver(once, indices_, false);
  distinct_.resize(static_cast<size_t>(once.tuples));
  BadTuple bad;
  if (!resolver.resolve(0, once.tuples, distinct_.data(), &bad)) return distinct_.clear();
  if (accumulates_) {
    for (O& offset : distinct_) offset = static_cast<O>(offset - base_);
  }
  const Dims packed = c_strides({once.positions.begin(), once.positions.end()}, 1);
  for (int i = 0; i < packed.size(); ++i) strides.push_back(once.positions[i] == 1 ? 0 : packed[i]);
  distinct_walk_ = make_walk(plan_.positions, strides);
}

template <class O>
void Resolver<O>::add_distinct(int64_t first, int64_t n, O* offsets) const {
  for_each_run(distinct_walk_, first, n, [&](int64_t at, int64_t stride, int64_t count) {
    const O* const from = distinct_.data() + at;
    for (int64_t t = 0; t < count; ++t) {
      const O offset = stride == 0 ? *from : from[t];
      offsets[t] = accumulates_ ? static_cast<O>(offsets[t] + offset) : offset;
    }
    offsets += count;
  });
}

template <class O>
int64_t Resolver<O>::gather_short(int64_t first, int64_t n, ShortRows rows) const {
  if (apart_) return gather_apart(first, n, rows);
  if (sizeof(O) != 4 || !components_.empty() || !are_tuples_fusible(plan_)) return 0;
  const auto run = [&]<class I>(const TupleRule<I, O>& rule, GatherShortFn<I, O> kernel) {
    int64_t done = 0;
    if (!rule.simd) return done;
    for_each_batch(rule, first, n, [&](int64_t at, int64_t count, const I* tuples) {
      const size_t moved = kernel(rule, tuples, rows, static_cast<size_t>(count));
      rows.rows += moved * rows.bytes;
      done = at + static_cast<int64_t>(moved);
      return done == at + count;
    });
    return done;
  };
  return fits_lanes32_ ? run(rule32_, kernels_.gather_short32)
                       : run(rule64_, kernels_.gather_short64);
}

bool are_tuples_fusible(const Plan& plan) {
  const int most = plan.components.empty() ? kShortTuple : kMostApart;
  const bool is_short = plan.depth > 0 && plan.depth <= most;
  const auto is_zero = [](int64_t stride) { return stride == 0; };
  return is_short && !plan.wide && std::ranges::all_of(plan.batch_walk.stride, is_zero);
}

template class Resolver<uint32_t>;
template class Resolver<uint64_t>;

}  // namespace gathernd

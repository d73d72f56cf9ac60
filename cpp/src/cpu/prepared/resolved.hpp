// What an IndexPlan holds, and how it fits a table of other strides.
#pragma once

#include <algorithm>
#include <span>

#include "core/lazy.hpp"
#include "cpu/order/order.hpp"
#include "cpu/order/repeats.hpp"
#include "cpu/resolve/resolve.hpp"
#include "cpu/scatter/groups.hpp"
#include "cpu/scatter/winners.hpp"
#include "gathernd/plan.hpp"
#include "runtime/buffer.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {

// The tuples of an IndexPlan as offsets into a packed table, and what is prepared from them.
template <class O>
class Resolved {
 public:
  Resolved(const Plan& plan, const Indices& indices)
      : n_(static_cast<size_t>(plan.tuples)), scale_(plan.scale), span_(plan.span), offsets_(n_) {
    if (n_ > 0) resolve_all(plan, indices, offsets_.data());
    ascends_ = std::ranges::is_sorted(offsets());
  }

  std::span<const O> offsets() const { return {offsets_.data(), n_}; }
  bool ascends() const { return ascends_; }  // holes come last
  bool is_sorted() const {
    O last = 0;
    return ascends_ || std::ranges::all_of(offsets(), [&](O offset) {
             const bool follows = offset >= last;  // so does a hole
             if (offset != kNoSlice<O>) last = offset;
             return follows;
           });
  }

  // Ordered by slice; and grouped by parts of the table that fit L2.
  const Order<O>& sorted() const {
    return sorted_.get([&] { return Order<O>(offsets(), span_, 0); });
  }
  const Order<O>& grouped() const {
    return grouped_.get([&] { return Order<O>(offsets(), span_, shift_of_order(scale_, span_)); });
  }

  // `plan`: sets slices by these tuples; the last update of a slice stays.
  const KeptWinners<O>& winners(const Plan& plan) const {
    return winners_.get([&] { return KeptWinners<O>(plan, offsets()); });
  }

  // Where each tuple stands in grouped().
  const O* ranks() const {
    return ranks_.get([&] { return Ranks(grouped(), n_); }).memory.data();
  }

  bool is_unique() const {
    return is_unique_.get([&] {
      if (n_ == 0) return true;
      return pays_by_bits(span_, n_) ? !has_repeats(offsets(), span_) : grouped().is_unique();
    });
  }

  size_t bytes() const {
    size_t result = offsets().size_bytes();
    for (const Lazy<Order<O>>* lazy : {&sorted_, &grouped_}) {
      if (const Order<O>* const order = lazy->peek()) result += order->bytes();
    }
    if (const KeptWinners<O>* const winners = winners_.peek()) result += winners->bytes();
    return result + (ranks_.peek() != nullptr ? n_ * sizeof(O) : 0);
  }

 private:
  struct Ranks {
    Ranks(const Order<O>& order, size_t n) : memory(n) { find_ranks(order, {memory.data(), n}); }
    Buffer<O> memory;
  };

  size_t n_;
  int64_t scale_;
  uint64_t span_;
  bool ascends_;
  Buffer<O> offsets_;
  Lazy<Order<O>> sorted_, grouped_;
  Lazy<Ranks> ranks_;
  Lazy<KeptWinners<O>> winners_;
  Lazy<bool> is_unique_;
};

// Turns offsets into a packed table into offsets into a table with the strides of `plan`.
class Translator {
 public:
  // `units` and `wide`: as in the plan of the packed table, whose dimensions have these `sizes`.
  Translator(const Dims& units, bool wide, const Plan& plan, std::span<const int64_t> sizes)
      : sizes_(sizes),
        units_(plan.units),
        start_(static_cast<uint64_t>(-plan.bias / plan.scale)),
        wide_(plan.wide),
        needed_(plan.bias != 0 || plan.wide != wide || !same_shape(plan.units, units)) {}

  bool needed() const { return needed_; }

  // Calls f with the offsets into the other table, as uint32_t* or uint64_t*.
  template <class From, class F>
  void translate(std::span<const From> offsets, F f) const {
    return wide_ ? translate_to<uint64_t>(offsets, f) : translate_to<uint32_t>(offsets, f);
  }

 private:
  template <class To, class From, class F>
  void translate_to(std::span<const From> offsets, F f) const {
    const auto n = static_cast<int64_t>(offsets.size());
    const Buffer<To> there(offsets.size());
    const auto bytes = int64_t{sizeof(To)} * 2 * (units_.size() + 1);  // a division a dimension
    parallel_for(n, grain_for(bytes), 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        there.data()[t] = translate<To>(offsets[static_cast<size_t>(t)]);
      }
    });
    f(there.data());
  }

  template <class To, class From>
  To translate(From offset) const {
    if (offset == kNoSlice<From>) return kNoSlice<To>;
    auto rest = uint64_t{offset};
    uint64_t result = start_;
    for (int i = units_.size() - 1; i >= 0; --i) {
      const auto size = static_cast<uint64_t>(sizes_[static_cast<size_t>(i)]);
      result += rest % size * static_cast<uint64_t>(units_[i]);
      rest /= size;
    }
    return static_cast<To>(result);
  }

  std::span<const int64_t> sizes_;
  Dims units_;
  uint64_t start_;
  bool wide_, needed_;
};

}  // namespace gathernd

// What an IndexPlan holds, and how it fits a table of other strides.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>

#include "cpu/buffer.hpp"
#include "cpu/order.hpp"
#include "cpu/resolve.hpp"
#include "cpu/scatter.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// An order that is made when it is first asked for.
template <class O>
class LazyOrder {
 public:
  const Order<O>& get(std::span<const O> offsets, uint64_t span, int shift) const {
    std::call_once(once_, [&] {
      order_.emplace(offsets, span, shift);
      bytes_ = order_->bytes();
    });
    return *order_;
  }
  size_t bytes() const { return bytes_; }

 private:
  mutable std::once_flag once_;
  mutable std::optional<Order<O>> order_;
  mutable std::atomic<size_t> bytes_ = 0;
};

// The tuples of a plan as offsets into a packed table, and their orders.
template <class O>
class Resolved {
 public:
  Resolved(const Plan& plan, const std::byte* indices)
      : n_(static_cast<size_t>(plan.tuples)), scale_(plan.scale), span_(plan.span), offsets_(n_) {
    if (n_ > 0) resolve_all(plan, indices, offsets_.data());
    is_sorted_ = std::ranges::is_sorted(offsets());
  }

  std::span<const O> offsets() const { return {offsets_.data(), n_}; }
  bool is_sorted() const { return is_sorted_; }

  // By destination; and by parts of the table that a core's own cache holds.
  const Order<O>& sorted() const { return sorted_.get(offsets(), span_, 0); }
  const Order<O>& grouped() const {
    return grouped_.get(offsets(), span_, group_shift(scale_, span_));
  }

  // Of the tuples in grouped().
  const O* places() const {
    std::call_once(places_once_, [&] {
      places_.emplace(n_);
      find_places(grouped(), {places_->data(), n_});
      places_bytes_ = n_ * sizeof(O);
    });
    return places_->data();
  }

  bool is_unique() const {
    std::call_once(once_, [&] { is_unique_ = grouped().is_unique(); });
    return is_unique_;
  }

  size_t bytes() const {
    return offsets().size_bytes() + sorted_.bytes() + grouped_.bytes() + places_bytes_;
  }

 private:
  size_t n_;
  int64_t scale_;
  uint64_t span_;
  bool is_sorted_;
  Buffer<O> offsets_;
  LazyOrder<O> sorted_, grouped_;
  mutable std::once_flag places_once_;
  mutable std::optional<Buffer<O>> places_;
  mutable std::atomic<size_t> places_bytes_ = 0;
  mutable std::once_flag once_;
  mutable bool is_unique_;
};

// Offsets into a packed table as offsets into one with the strides of `plan`.
class Translator {
 public:
  Translator(const Plan& packed, const Plan& plan, std::span<const int64_t> sizes)
      : sizes_(sizes), start_(static_cast<uint64_t>(-plan.bias / plan.scale)) {
    for (int64_t unit : plan.units) units_.push_back(unit);
    needed_ = plan.bias != 0 || plan.wide != packed.wide ||
              !same_shape({plan.units.begin(), plan.units.end()},
                          {packed.units.begin(), packed.units.end()});
  }

  bool needed() const { return needed_; }

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

 private:
  std::span<const int64_t> sizes_;
  Dims units_;
  uint64_t start_;
  bool needed_;
};

}  // namespace gathernd

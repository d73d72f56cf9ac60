// What an IndexPlan holds, and how it fits a table of other strides.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "cpu/buffer.hpp"
#include "cpu/order.hpp"
#include "cpu/resolve.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// The tuples of a plan as offsets into a packed table; their order is worked out when asked for.
template <class O>
class Resolved {
 public:
  Resolved(const Plan& plan, const std::byte* indices)
      : n_(plan.tuples), offsets_(static_cast<size_t>(plan.tuples)) {
    if (n_ > 0) resolve_all(plan, indices, offsets_.data());
  }

  std::span<const O> offsets() const { return {offsets_.data(), static_cast<size_t>(n_)}; }

  std::span<const Destination<O>> sorted() const {
    std::call_once(once_, [&] { sorted_ = sort_by_destination(offsets_.data(), n_); });
    return sorted_;
  }

  size_t bytes() const {
    return offsets().size_bytes() + sorted_.capacity() * sizeof(Destination<O>);
  }

 private:
  int64_t n_;
  Buffer<O> offsets_;
  mutable std::once_flag once_;
  mutable std::vector<Destination<O>> sorted_;
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

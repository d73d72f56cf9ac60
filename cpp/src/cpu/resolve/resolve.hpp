// Tuples to offsets: the one place that reads index values and checks them.
#pragma once

#include <algorithm>
#include <vector>

#include "core/first_bad.hpp"
#include "cpu/kernels/kernels.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

// Resolves the tuples of one call. An index may be read again, but the value that is used is always
// one that was checked.
template <class O>
class Resolver {
 public:
  Resolver(const Plan& plan, const Indices& indices);

  // Writes the offsets of the tuples [first, first + n). Returns false if one of them is out of
  // range and the mode does not allow that; then *bad is the first such tuple, and the offsets must
  // not be used.
  bool resolve(int64_t first, int64_t n, O* offsets, BadTuple* bad) const;

  // The same if several threads share the tuples. Also returns false if a bad tuple comes earlier.
  bool resolve(int64_t first, int64_t n, O* offsets, FirstBad* first_bad) const {
    BadTuple bad;
    if (first_bad->is_before(first)) return false;
    if (resolve(first, n, offsets, &bad)) return true;
    first_bad->report(bad);
    return false;
  }

  // Calls f(at, n, offsets) for the tuples [begin, end), block by block, until one is bad.
  template <class F>
  void for_each_block(int64_t begin, int64_t end, FirstBad* first_bad, F f) const {
    O offsets[kBlock<O>];
    for (int64_t at = begin; at < end; at += kBlock<O>) {
      const int64_t n = std::min(kBlock<O>, end - at);
      if (!resolve(at, n, offsets, first_bad)) return;
      f(at, n, static_cast<const O*>(offsets));
    }
  }

  // Resolves and moves at once, as GatherShortFn. Returns how many of the tuples
  // [first, first + n) are done, maybe none. `rows` begins with the row of tuple `first`.
  int64_t gather_short(int64_t first, int64_t n, ShortRows rows) const;

 private:
  // One component. If it `accumulates`, its offsets are added to those that are there.
  Resolver(const Plan& plan, const std::byte* indices, bool accumulates);
  bool resolve_components(int64_t first, int64_t n, O* offsets, BadTuple* bad) const;
  // Whether kernels can read the components where they lie: each packed, and all of one type.
  bool lie_apart() const;
  const std::byte* component(size_t k) const;
  int64_t gather_apart(int64_t first, int64_t n, ShortRows rows) const;
  // If `index` is broadcast and it pays, resolves each of its distinct indices once. No offset is a
  // hole then.
  void keep_distinct(const Tensor& index);
  void add_distinct(int64_t first, int64_t n, O* offsets) const;

  template <class I>
  void set_rule(TupleRule<I, O>* rule) const;
  // Calls f(at, count, tuples) with the tuples from first + at on, as lanes, until it returns
  // false.
  template <class I, class F>
  void for_each_batch(const TupleRule<I, O>& rule, int64_t first, int64_t n, F f) const;
  template <class I>
  bool resolve_lanes(const TupleRule<I, O>& rule, ResolveFn<I, O> kernel, int64_t first, int64_t n,
                     O* offsets, BadTuple* bad) const;

  const Plan& plan_;
  const std::byte* indices_;
  const KernelsOf<O>& kernels_;
  bool accumulates_ = false;
  bool fits_lanes32_;  // 32-bit lanes hold every index and every size
  bool fits_kernels_;  // the indices are of a type that the kernels read, and aligned
  bool direct_;        // the tuples lie in memory as the kernels want them
  bool batched_;
  bool apart_ = false;
  O base_;
  TupleRule<int32_t, O> rule32_;
  TupleRule<int64_t, O> rule64_;
  std::vector<O> distinct_;  // of a component that is broadcast: the offsets of its indices
  Walk distinct_walk_;
  std::vector<Resolver> components_;  // if not empty, these resolve, one per component
};

// Whether kernels can move rows as they resolve the tuples: short ones, without batches, by 32-bit
// offsets. Longer ones take so long that a processor looks ahead at too few of them.
bool are_tuples_fusible(const Plan& plan);

// Whether output may change before all tuples are resolved: nobody sees it after an error
// (`fresh`), or no tuple can be bad and no index is overwritten.
bool may_write_unchecked(const Plan& plan, const Indices& indices, const Tensor& output,
                         bool fresh);

// Resolves all tuples into offsets[0 .. plan.tuples) on all threads. Throws for a bad tuple.
template <class O>
void resolve_all(const Plan& plan, const Indices& indices, O* offsets);

// Throws for a bad tuple. For plans whose slices have no bytes.
template <class O>
void check_all(const Plan& plan, const Indices& indices);

}  // namespace gathernd

#include <algorithm>
#include <optional>
#include <span>

#include "core/layout.hpp"
#include "core/plan_rules.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/kernels/combine.hpp"
#include "cpu/kernels/kind_types.hpp"
#include "cpu/order/cut_table.hpp"
#include "cpu/order/order.hpp"
#include "cpu/order/run_parts.hpp"
#include "cpu/resolve/resolve.hpp"
#include "cpu/scatter/scatter.hpp"
#include "gathernd/winners.hpp"
#include "runtime/kept_memory.hpp"
#include "runtime/scratch_tensor.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// Makes the update at `position` the winner of those of `n` elements where it stays. Of two updates
// that stay, the later one wins.
using ReplaceFn = void (*)(int64_t* winners, const std::byte* result, const std::byte* update,
                           int64_t n, int64_t position);

void replace_all(int64_t* winners, const std::byte*, const std::byte*, int64_t n,
                 int64_t position) {
  std::fill_n(winners, n, position);
}

// There are no branches, because random numbers would mispredict them. Compilers can vectorise this
// form.
template <class T>
void replace_same(int64_t* winners, const std::byte* result, const std::byte* update, int64_t n,
                  int64_t position) {
  for (int64_t i = 0; i < n; ++i) {
    const auto at = i * static_cast<int64_t>(sizeof(T));
    const bool same = is_same(load<T>(result + at), load<T>(update + at));
    const int64_t mask = -static_cast<int64_t>(same);
    winners[i] = (winners[i] & ~mask) | (position & mask);
  }
}

ReplaceFn replace_fn(const Plan& plan) {
  if (plan.reduction == Reduction::kNone) return replace_all;
  return with_type(plan.dtype.kind, []<class T>(T) -> ReplaceFn { return replace_same<T>; });
}

// Of the updates that stay, the first is the winner; without a reduction, the last.
bool comes_backwards(const Plan& plan) {
  return plan.reduction != Reduction::kNone || plan.duplicates == Duplicates::kFirst;
}

template <class O>
class Replacer {
 public:
  Replacer(const Plan& plan, const Tensor& result, const Tensor& updates, int64_t* winners)
      : plan_(plan),
        replace_(replace_fn(plan)),
        table_(result.data),
        rows_(updates.data),
        winners_(winners) {}

  // The update of one tuple, in a part of its slice.
  void operator()(const SlicePart& part, O offset, int64_t position) const {
    const int64_t size = plan_.dtype.size;
    const int64_t table = plan_.bias + static_cast<int64_t>(offset) * plan_.scale;
    const int64_t row = offset_at(plan_.row_walk, position);
    for_each_chunk(part.slice, [&](int64_t table_at, int64_t row_at) {
      const int64_t to = table + part.table_offset + table_at;
      const int64_t from = row + part.row_offset + row_at;
      replace_(winners_ + to / size, table_ + to, rows_ + from, part.slice.chunk / size, position);
    });
  }

 private:
  const Plan& plan_;
  ReplaceFn replace_;
  const std::byte* table_;
  const std::byte* rows_;
  int64_t* winners_;
};

// Calls f(0) ... f(n - 1), or the same backwards.
template <class F>
void for_each_of(size_t n, bool backwards, F f) {
  for (size_t i = 0; i < n; ++i) f(backwards ? n - 1 - i : i);
}

// Only one thread writes each element. The threads take parts of every slice or, if slices are
// short, parts of the table; then each thread picks the tuples of its part.
template <class O>
void replace_in_order(const Plan& plan, std::span<const O> offsets, const Replacer<O>& replace) {
  const bool backwards = comes_backwards(plan);
  const auto run = [&](const SlicePart& part, O begin, O end) {
    for_each_of(offsets.size(), backwards, [&](size_t t) {
      const O offset = offsets[t];
      if (offset >= begin && offset < end) replace(part, offset, static_cast<int64_t>(t));
    });
  };
  if (const int64_t columns = count_columns(plan); columns > 1) {
    return run_parts(plan, columns, [&](int64_t p) {
      run(cut_slice(plan.slice, plan.dtype.size, p, columns), 0, static_cast<O>(plan.span));
    });
  }
  const int64_t parts = count_parts_of(plan);
  const auto cuts = cut_table(plan, take_sample<O>(plan, parts, kSamples, [&](int64_t t) {
                                return offsets[static_cast<size_t>(t)];
                              }));
  run_parts(plan, static_cast<int64_t>(cuts.size()) - 1, [&](int64_t p) {
    const auto at = static_cast<size_t>(p);
    run({plan.slice}, cuts[at], cuts[at + 1]);
  });
}

template <class O>
void resolve_and_replace(const Plan& plan, const Tensor& result, const Indices& indices,
                         const Tensor& updates, int64_t* winners, int64_t none) {
  // Called when no tuple can be bad any more.
  const auto clear = [&] { std::fill_n(winners, count_elements(result.shape), none); };
  if (plan.tuples == 0) return clear();
  if (plan.slice.bytes == 0 && plan.duplicates != Duplicates::kError) {
    check_all<O>(plan, indices);
    return clear();
  }
  const auto n = static_cast<size_t>(plan.tuples);
  const Buffer<O> offsets(n);
  resolve_all(plan, indices, offsets.data());
  if (plan.duplicates == Duplicates::kError) {
    check_duplicates<O>(plan, {offsets.data(), n});
  }
  clear();
  if (plan.slice.bytes == 0) return;
  const Replacer<O> replace(plan, result, updates, winners);
  replace_in_order<O>(plan, {offsets.data(), n}, replace);
}

// Elements without bytes all have the same offset. This plan has elements of one byte instead.
Plan plan_of_bytes(const Tensor& result, const Indices& indices, const Tensor& updates,
                   const PlanOptions& options, const Dims& positions) {
  const DType byte{Kind::kUInt8, 1};
  const Dims strides = c_strides(result.shape, 1), row_strides = c_strides(updates.shape, 1);
  const Tensor table{nullptr, byte, result.shape, strides};
  const Tensor rows{nullptr, byte, updates.shape, row_strides};
  return make_plan(Operator::kScatter, table, indices, rows, options, &positions);
}

}  // namespace

void find_winners(const Tensor& result, const Indices& indices, const Tensor& updates,
                  int64_t* winners, const ScatterOptions& options, int64_t none) {
  const Reduction reduction = options.reduction;
  check_has_winners(reduction);
  check_view(Operator::kScatter, result, "input");
  check_view(Operator::kScatter, updates, "updates");
  check_view(Operator::kScatter, indices.tuples(), "indices");
  const PlanOptions plan_options = plan_options_of(options);
  // The plan is that of a packed table, in which elements are counted as in winners.
  const Dims strides = c_strides(result.shape, result.dtype.size);
  const Tensor packed{nullptr, result.dtype, result.shape, strides};
  // No position is left out: if equal tuples have equal updates, it matters which of them stayed.
  const auto shape = indices.tuples().shape;
  const Dims positions(shape.first(shape.empty() ? 0 : shape.size() - 1));
  Plan plan = make_plan(Operator::kScatter, packed, indices, updates, plan_options, &positions);
  if (result.dtype.size == 0) {
    plan = plan_of_bytes(result, indices, updates, plan_options, positions);
  }
  // Then nothing wins, and tuples that a broadcast view repeats need no second look.
  if (plan.slice.bytes == 0) {
    plan = make_plan(Operator::kScatter, packed, indices, updates, plan_options);
  }
  again_with_released([&] {
    std::optional<ScratchTensor> copy;
    const bool reads = reduction != Reduction::kNone && !same_shape(result.strides, strides);
    if (reads) copy_tensor(result, copy.emplace(result).tensor());
    const Tensor& table = reads ? copy->tensor() : result;
    plan.wide ? resolve_and_replace<uint64_t>(plan, table, indices, updates, winners, none)
              : resolve_and_replace<uint32_t>(plan, table, indices, updates, winners, none);
  });
}

}  // namespace gathernd

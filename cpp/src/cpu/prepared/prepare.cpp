#include "cpu/prepared/prepare.hpp"

#include "core/tuple_restorer.hpp"
#include "cpu/gather/gather.hpp"
#include "cpu/prepared/resolved.hpp"
#include "cpu/scatter/scatter.hpp"
#include "cpu/scatter/scatter_updates.hpp"

namespace gathernd {
namespace {

template <class O>
class CpuTuples final : public PreparedTuples {
 public:
  CpuTuples(const Plan& plan, const Indices& indices)
      : restorer_(plan), units_(plan.units), resolved_(plan, indices) {}

  void gather(const Plan& plan, const Tensor& input, const Tensor& output,
              const std::byte* fill_value, bool) override {
    const auto offsets = resolved_.offsets();
    const Translator translator = translate_for(plan);
    if (!translator.needed()) {
      return gather_resolved(plan, input, offsets.data(), output, fill_value);
    }
    translator.translate(
        offsets, [&](auto* there) { gather_resolved(plan, input, there, output, fill_value); });
  }

  void scatter(const Plan& plan, const Tensor& input, const Tensor& updates, const Tensor& output,
               bool) override {
    if (plan.duplicates == Duplicates::kError && !is_unique()) {
      check_duplicates(plan, resolved_.sorted());
    }
    const Translator translator = translate_for(plan);
    if (!translator.needed()) {
      const ScatterUpdates rows(
          plan, updates, output,
          {.is_resolved = true, .can_keep = true, .ascends = resolved_.ascends()});
      const ScatterStrategy& strategy = rows.strategy();
      return scatter_resolved(rows.plan(), strategy, input, kept_for(strategy, rows.plan()),
                              rows.read(), output);
    }
    const ScatterUpdates rows(plan, updates, output, {.is_resolved = true});
    translator.translate(resolved_.offsets(), [&]<class To>(To* there) {
      scatter_resolved<To>(rows.plan(), rows.strategy(), input, {there}, rows.read(), output);
    });
  }

  const uint32_t* narrow_offsets() const override {
    if constexpr (sizeof(O) == sizeof(uint32_t)) return resolved_.offsets().data();
    return nullptr;
  }
  bool is_unique() const override { return resolved_.is_unique(); }
  bool is_sorted() const override { return resolved_.is_sorted(); }
  size_t bytes() const override { return sizeof(*this) + resolved_.bytes(); }

  void restore(std::span<int64_t> to) const override {
    if (to.empty()) return;
    const O* const offsets = resolved_.offsets().data();
    const auto slice = [&](int64_t t) {
      return offsets[t] == kNoSlice<O> ? TupleRestorer::kNoSlice : uint64_t{offsets[t]};
    };
    const int depth = restorer_.depth();
    parallel_for(std::ssize(to) / depth, grain_for(8 * std::ssize(restorer_.sizes())), 1,
                 [&](int64_t begin, int64_t end) {
                   restorer_.restore(begin, end, slice, to.data() + begin * depth);
                 });
  }

 private:
  Translator translate_for(const Plan& plan) const {
    return Translator(units_, sizeof(O) == sizeof(uint64_t), plan, restorer_.sizes());
  }

  // What the strategy needs of the tuples, made if no call has needed it before.
  KnownTuples<O> kept_for(const ScatterStrategy& strategy, const Plan& plan) const {
    KnownTuples<O> result{resolved_.offsets().data()};
    if (strategy.kept == Kept::kOrder || strategy.kept == Kept::kRanks) {
      const bool by_slice = strategy.way == ScatterWay::kRuns;
      result.order = by_slice ? &resolved_.sorted() : &resolved_.grouped();
    }
    if (strategy.kept == Kept::kRanks) result.ranks = resolved_.ranks();
    if (strategy.kept == Kept::kWinners) result.winners = &resolved_.winners(plan);
    return result;
  }

  TupleRestorer restorer_;
  Dims units_;  // of the packed table
  Resolved<O> resolved_;
};

}  // namespace

std::unique_ptr<PreparedTuples> prepare(const Plan& plan, const Indices& indices) {
  if (plan.wide) return std::make_unique<CpuTuples<uint64_t>>(plan, indices);
  return std::make_unique<CpuTuples<uint32_t>>(plan, indices);
}

}  // namespace gathernd

#include "d3d12/operators/few.hpp"

#include <algorithm>

#include "d3d12/operators/arithmetic.hpp"
#include "d3d12/operators/operators.hpp"

namespace gathernd::d3d12 {
namespace {

constexpr uint32_t kShare = 8, kBlock = 32;  // as in few.hlsli

struct FewSums {
  const Shader* shader = nullptr;
  uint32_t item = 4;  // bytes
};

FewSums sums_for(const Plan& plan) {
  if (op_for(plan.reduction) != kAdd) return {};
  switch (plan.dtype.kind) {
    case Kind::kFloat32:
    case Kind::kComplex64:
      return {&shaders::reduce_few_sum_4};
    case Kind::kFloat16:
    case Kind::kBFloat16:
      return {&shaders::reduce_few_sum_half_4};
    case Kind::kFloat64:
    case Kind::kComplex128:
      return {&shaders::reduce_few_sum_8, 8};
    default:
      return {};
  }
}

class FewTuples final : public ScatterRun {
 public:
  explicit FewTuples(const ScatterCall& call) : ScatterRun(call) {}

  void prepare() override {
    if (call_.operands.source != nullptr) copy_source(call_.gpu, call_.operands);
  }

  // The dispatch is the only one that changes the table, and it looks for bad tuples first.
  void record() override { call_.plan.reduction == Reduction::kNone ? put() : reduce(); }

 private:
  void put() {
    const Slots slots = find_slots();
    const uint32_t width = width_of(4);
    const PutFewParameters parameters = {
        .tuples = slots.tuples,
        .count = count(),
        .width = width,
        .share = share_of(width),
        .first_wins = call_.plan.duplicates == Duplicates::kFirst,
    };
    run(call_.gpu, shaders::put_few, parameters, {slots.view, rows_view(Format::kWord)},
        {table_view(), resolver_.status_view()}, groups_for(count(), parameters.share),
        each(look_cost() + kGroupSize * costs::kUnit));
  }

  void reduce() {
    const FewSums sums = sums_for(call_.plan);
    const Arithmetic arithmetic = arithmetic_for(call_.plan, geometry(), false);
    const Slots slots = find_slots();
    const uint32_t width = width_of(sums.item);
    const ReduceFewParameters parameters = {
        .tuples = slots.tuples,
        .count = count(),
        .width = width,
        .share = share_of(width),
        .kind = arithmetic.parameters.kind,
        .complement = arithmetic.parameters.complement,
        .complement_high = arithmetic.parameters.complement_high,
    };
    // One row may have all tuples.
    const double steps = width * arithmetic.step;
    run(call_.gpu, *sums.shader, parameters,
        {slots.view, rows_view(sums.item == 8 ? Format::kPair : Format::kWord)},
        {table_view(), resolver_.status_view()}, groups_for(count(), parameters.share),
        {look_cost() + parameters.share * steps, look_cost() + count() * steps});
  }

  const Geometry& geometry() const { return resolver_.geometry(); }
  Slots find_slots() { return resolver_.find_slots(0, call_.strategy.windows.front()); }

  View table_view() const {
    const uint64_t bytes = geometry().rows * geometry().row_bytes;
    return sub_view(call_.operands.table, Format::kWord, 0, bytes, 4).view;
  }
  View rows_view(Format format) const {
    const uint64_t bytes = geometry().tuples * geometry().row_bytes;
    return sub_view(call_.operands.rows, format, 0, bytes, 4).view;
  }

  uint32_t count() const { return static_cast<uint32_t>(geometry().tuples); }
  uint32_t width_of(uint32_t item) const {
    return static_cast<uint32_t>(geometry().row_bytes / item);
  }
  // A thread an item.
  static uint32_t share_of(uint32_t width) { return std::min(kGroupSize / width, kShare); }
  // Of a group.
  double look_cost() const {
    return costs::kGroup + kMostFew * resolver_.index_cost() + kGroupSize * kBlock;
  }
};

}  // namespace

bool has_few(const Plan& plan, const Geometry& g) {
  if (g.tuples > kMostFew || g.row_bytes % 4 != 0 || g.row_bytes > kGroupSize * 4 ||
      !has_direct_tuples(plan, g)) {
    return false;
  }
  if (plan.reduction == Reduction::kNone) return plan.duplicates != Duplicates::kError;
  return sums_for(plan).shader != nullptr;
}

std::unique_ptr<ScatterRun> by_few(const ScatterCall& call) {
  return std::make_unique<FewTuples>(call);
}

}  // namespace gathernd::d3d12

#include "d3d12/operators/few.hpp"

#include <algorithm>

#include "d3d12/operators/arithmetic.hpp"
#include "d3d12/operators/operators.hpp"

namespace gathernd::d3d12 {
namespace {

// Null if there is none. Sums of float64 have none: in this shader NVIDIA's driver 580 cannot
// compile their integer arithmetic.
const Shader* sums_for(const Plan& plan) {
  if (op_for(plan.reduction) != kAdd) return nullptr;
  switch (plan.dtype.kind) {
    case Kind::kFloat32:
    case Kind::kComplex64:
      return &shaders::reduce_few_sum_4;
    case Kind::kFloat16:
    case Kind::kBFloat16:
      return &shaders::reduce_few_sum_half_4;
    default:
      return nullptr;
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
    const uint32_t width = row_words();
    const PutFewParameters parameters = {
        .tuples = slots.tuples,
        .count = count(),
        .width = width,
        .share = share_of(width),
        .first_wins = call_.plan.duplicates == Duplicates::kFirst,
    };
    run(call_.gpu, shaders::put_few, parameters, {slots.view, rows_view()},
        {table_view(), resolver_.status_view()}, groups_for(count(), parameters.share),
        each(look_cost() + kGroupSize * costs::kUnit));
  }

  void reduce() {
    const Arithmetic arithmetic = arithmetic_for(call_.plan, geometry(), false);
    const Slots slots = find_slots();
    const uint32_t width = row_words();
    const ReduceFewParameters parameters = {
        .tuples = slots.tuples,
        .count = count(),
        .width = width,
        .share = share_of(width),
        .kind = arithmetic.parameters.kind,
        .complement = arithmetic.parameters.complement,
    };
    // One row may have all tuples.
    const double steps = width * arithmetic.step;
    run(call_.gpu, *sums_for(call_.plan), parameters, {slots.view, rows_view()},
        {table_view(), resolver_.status_view()}, groups_for(count(), parameters.share),
        {look_cost() + parameters.share * steps, look_cost() + count() * steps});
  }

  const Geometry& geometry() const { return resolver_.geometry(); }
  Slots find_slots() { return resolver_.find_slots(0, call_.strategy.windows.front()); }

  View table_view() const {
    const uint64_t bytes = geometry().rows * geometry().row_bytes;
    return sub_view(call_.operands.table, Format::kWord, 0, bytes, 4).view;
  }
  View rows_view() const {
    const uint64_t bytes = geometry().tuples * geometry().row_bytes;
    return sub_view(call_.operands.rows, Format::kWord, 0, bytes, 4).view;
  }

  uint32_t count() const { return static_cast<uint32_t>(geometry().tuples); }
  uint32_t row_words() const { return static_cast<uint32_t>(geometry().row_bytes / 4); }
  // A thread a word.
  static uint32_t share_of(uint32_t width) { return std::min(kGroupSize / width, kFewShare); }
  // Of a group.
  double look_cost() const {
    return costs::kGroup + kMostFew * resolver_.index_cost() + kGroupSize * kFewBlock;
  }
};

}  // namespace

bool has_few(const Plan& plan, const Geometry& g) {
  if (g.tuples > kMostFew || g.row_bytes % 4 != 0 || g.row_bytes > kGroupSize * 4 ||
      !has_direct_tuples(plan, g)) {
    return false;
  }
  if (plan.reduction == Reduction::kNone) return plan.duplicates != Duplicates::kError;
  return sums_for(plan) != nullptr;
}

std::unique_ptr<ScatterRun> by_few(const ScatterCall& call) {
  return std::make_unique<FewTuples>(call);
}

}  // namespace gathernd::d3d12

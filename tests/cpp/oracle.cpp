#include "oracle.hpp"

#include <map>

#include "elements.hpp"
#include "reference.hpp"

namespace gathernd::test {
namespace {

// The coordinates of the slice that a tuple addresses: batch and indexed dimensions.
struct Target {
  Outcome::What what;
  Dims at;
};

// The Plan is used for messages only: of all positions, as this file numbers them.
Plan plan_of(const Call& call) {
  const bool gathers = call.op == Operator::kGather;
  Plan plan = make_plan(call.op, call.input.tensor(), call.indices.tensor(),
                        (gathers ? call.output : call.updates).tensor(), call.options);
  plan.positions = plan.given_positions;
  return plan;
}

Target find_target(const Call& call, int64_t position, BadTuple* bad) {
  const Dims outer = call.indices.shape;
  const int depth = static_cast<int>(outer.back());
  const auto outer_shape = span(outer).first(static_cast<size_t>(outer.size() - 1));
  Dims at = unravel(position, outer_shape);
  const auto batch = static_cast<size_t>(call.options.batch_dims);
  Target target{Outcome::kIndex, Dims(span(at).first(batch))};
  at.push_back(0);
  for (int k = 0; k < depth; ++k) {
    at.back() = k;
    const __int128 value = load_index(call.indices.at(at), call.indices.dtype);
    const int64_t size = call.input.shape[target.at.size()];
    const Outcome outcome =
        settle(value, size, call.options.mode, call.options.wrap_negative_indices);
    if (outcome.what != Outcome::kIndex) {
      *bad = {position, k, static_cast<int64_t>(value)};
      return {outcome.what, {}};
    }
    target.at.push_back(outcome.index);
  }
  return target;
}

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Answer gather(const Call& call, int64_t tuples, int64_t slice) {
  const auto size = static_cast<size_t>(call.input.dtype.size);
  Answer result;
  for (int64_t t = 0; t < tuples; ++t) {
    BadTuple bad;
    const Target target = find_target(call, t, &bad);
    if (target.what == Outcome::kError) {
      result.error = message_of([&] { throw_bad_tuple(plan_of(call), bad); });
      return result;
    }
    const auto slice_shape = span(call.input.shape).subspan(static_cast<size_t>(target.at.size()));
    for (int64_t e = 0; e < slice; ++e) {
      const std::byte* from = call.fill.data();
      if (target.what == Outcome::kIndex) {
        Dims at = target.at;
        at.append(span(unravel(e, slice_shape)));
        from = call.input.at(at);
      }
      result.elements.insert(result.elements.end(), from, from + size);
    }
  }
  return result;
}

Answer scatter(const Call& call, int64_t tuples, int64_t slice) {
  const Array& input = call.input;
  Totals table(input.dtype.kind, input.dtype.size, call.options.reduction, input.pack());
  std::map<int64_t, int64_t> seen;  // slices, and the first tuple of each
  std::string repeated;
  for (int64_t t = 0; t < tuples; ++t) {
    BadTuple bad;
    const Target target = find_target(call, t, &bad);
    if (target.what == Outcome::kError) {
      return {message_of([&] { throw_bad_tuple(plan_of(call), bad); }), {}};
    }
    if (target.what == Outcome::kHole) continue;
    int64_t place = 0;
    for (int i = 0; i < target.at.size(); ++i) place = place * call.input.shape[i] + target.at[i];
    const auto& [entry, fresh] = seen.insert({place, t});
    const int64_t first = entry->second;
    if (!fresh && repeated.empty() && call.options.duplicates == Duplicates::kError) {
      repeated = message_of([&] { throw_duplicate(plan_of(call), first, t); });
    }
    if (!fresh && call.options.duplicates == Duplicates::kFirst) continue;
    for (int64_t e = 0; e < slice; ++e) {
      table.update(place * slice + e, call.updates.at(t * slice + e));
    }
  }
  if (!repeated.empty()) return {repeated, {}};
  return {{}, table.elements()};
}

}  // namespace

Answer answer(const Call& call) {
  const Dims& indices = call.indices.shape;
  const int64_t tuples = count(span(indices).first(static_cast<size_t>(indices.size() - 1)));
  const auto indexed = static_cast<size_t>(call.options.batch_dims + indices.back());
  const int64_t slice = count(span(call.input.shape).subspan(indexed));
  return call.op == Operator::kGather ? gather(call, tuples, slice) : scatter(call, tuples, slice);
}

}  // namespace gathernd::test

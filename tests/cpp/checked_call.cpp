#include "checked_call.hpp"

#include <algorithm>
#include <utility>

#include "elements.hpp"
#include "gathernd/index_plan.hpp"

namespace gathernd::test {
namespace {

// Whether the output holds the elements that it should.
bool holds(const Call& call, const std::vector<std::byte>& expected) {
  const std::vector<std::byte> found = call.output.pack();
  if (call.options.reduction == Reduction::kNone) return found == expected;
  const auto size = static_cast<size_t>(call.output.dtype.size);
  for (size_t i = 0; i < found.size(); i += size) {
    if (!same_element(call.output.dtype.kind, &found[i], &expected[i])) return false;
  }
  return found.size() == expected.size();
}

// Puts the bytes between the fields of records back into elements that a call was to write.
void keep_gaps(const DType& dtype, const std::vector<std::byte>& before,
               std::vector<std::byte>* elements) {
  if (dtype.fields == nullptr) return;
  const std::vector<std::byte> written = std::exchange(*elements, before);
  const auto size = static_cast<size_t>(dtype.size);
  for (size_t i = 0; i < written.size(); i += size) {
    for (const ByteRun& run : *dtype.fields) {
      std::copy_n(written.data() + i + run.offset, run.size, elements->data() + i + run.offset);
    }
  }
}

// A message; what an IndexPlan finds before it is used does not name the function.
std::string what(const std::string& error, Way way) {
  return way == Way::kIndexPlan ? error.substr(error.find(':') + 1) : error;
}

}  // namespace

void run(const Call& call, Way way, Backend* backend) {
  const PlanOptions& o = call.options;
  const Tensor input = call.input.tensor(), tuples = call.indices.tensor();
  std::vector<Tensor> components;
  for (const Array& component : call.components) components.push_back(component.tensor());
  const Indices indices = components.empty() ? Indices(tuples) : Indices(components);
  const Tensor updates = call.updates.tensor(), output = call.output.tensor();
  const bool gathers = call.op == Operator::kGather, fresh = way == Way::kScratch;
  if (way == Way::kIndexPlan) {
    const IndexPlan plan(input.shape, indices, o.batch_dims, o.mode, backend,
                         o.wrap_negative_indices);
    if (gathers) return plan.gather(input, output, call.fill.data());
    return plan.scatter(input, updates, output, o.reduction, o.duplicates);
  }
  if (gathers) {
    return gather_nd(
        input, indices, output,
        {o.batch_dims, o.mode, call.fill.data(), fresh, backend, o.wrap_negative_indices});
  }
  scatter_nd(
      input, indices, updates, output,
      {o.batch_dims, o.mode, o.reduction, o.duplicates, fresh, backend, o.wrap_negative_indices});
}

Snapshot::Snapshot(const Call& call) {
  for (const Array* array : {&call.input, &call.indices, &call.updates, &call.output}) {
    before_.insert({array->memory, array->memory->bytes()});
  }
  for (const Array& component : call.components) {
    before_.insert({component.memory, component.memory->bytes()});
  }
}

void Snapshot::accept(const Array& array) {
  std::vector<std::byte>& before = before_.at(array.memory);
  for (int64_t p = 0; p < array.elements(); ++p) {
    const std::byte* from = array.at(p);
    std::memcpy(before.data() + (from - array.memory->data()), from,
                static_cast<size_t>(array.dtype.size));
  }
}

void Snapshot::restore() const {
  for (const auto& [memory, before] : before_) std::ranges::copy(before, memory->data());
}

bool Snapshot::unchanged() const {
  return std::ranges::all_of(before_, [](const auto& entry) {
    const auto& [memory, before] = entry;
    const size_t size = memory->size();
    return memory->guards_intact() && before.size() == size &&
           (size == 0 || std::memcmp(before.data(), memory->data(), size) == 0);
  });
}

std::string failure_of(const Call& call, const Answer& expected, Way way, Backend* backend) {
  Snapshot snapshot(call);
  std::vector<std::byte> elements = expected.elements;
  const bool writes = expected.error.empty() && way != Way::kScratch;
  if (writes) keep_gaps(call.output.dtype, call.output.pack(), &elements);
  std::string error;
  try {
    run(call, way, backend);
  } catch (const Error& caught) {
    error = caught.what();
  }
  if (what(error, way) != what(expected.error, way)) {
    return "the error \"" + error + "\" where \"" + expected.error + "\" is right";
  }
  if (error.empty() && !holds(call, elements)) return "other elements in the output";
  if (error.empty() || way == Way::kScratch) snapshot.accept(call.output);
  return snapshot.unchanged() ? "" : "bytes changed that are not the output's";
}

}  // namespace gathernd::test

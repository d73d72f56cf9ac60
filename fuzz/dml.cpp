// Makes DirectML's descs from the input. They must be refused, or be compiled and give the results
// of plain loops on buffers. Gaps in the output, and the bytes around it, must not change.
#include "gathernd/dml.hpp"

#include "checked_call.hpp"
#include "fuzz.hpp"
#include "reference.hpp"

namespace gathernd::fuzz {
namespace {

using dml::TensorDesc;
using test::Random;

constexpr uint64_t kMostBytes = 1 << 14;

uint32_t random_number(Random& random) {
  return random.one_in(30) ? static_cast<uint32_t>(random.bits())
                           : static_cast<uint32_t>(random(1, 4));
}

TensorDesc random_tensor(Random& random, dml::DataType type, std::vector<uint32_t> sizes) {
  TensorDesc desc{type, std::move(sizes)};
  if (random.one_in(30)) desc.data_type = static_cast<dml::DataType>(random(0, 12));
  if (random.one_in(30) && !desc.sizes.empty()) {
    desc.sizes[static_cast<size_t>(random(0, std::ssize(desc.sizes) - 1))] = random_number(random);
  }
  if (random.one_in(3)) {
    desc.strides.emplace(desc.sizes.size());
    uint32_t stride = 1;
    for (size_t i = desc.sizes.size(); i-- > 0; stride *= desc.sizes[i]) {
      if (random.one_in(4)) stride += static_cast<uint32_t>(random(0, 3));
      (*desc.strides)[i] = random.one_in(8) ? random_number(random) - 1 : stride;
    }
  }
  if (random.one_in(8)) desc.total_tensor_size_in_bytes = random.bits() >> random(0, 63);
  if (random.one_in(8)) desc.flags = static_cast<uint32_t>(random(0, 2));
  if (random.one_in(8)) desc.guaranteed_base_offset_alignment = 1u << random(0, 31);
  return desc;
}

std::vector<uint32_t> padded(Random& random, std::vector<uint32_t> sizes, size_t rank) {
  while (sizes.size() < rank) sizes.insert(sizes.begin(), random.one_in(30) ? 2 : 1);
  return sizes;
}

dml::OperatorDesc random_desc(Random& random) {
  const int64_t which = random(0, 2);
  const auto type = static_cast<dml::DataType>(random(1, 11));
  const auto index_type =
      static_cast<dml::DataType>(random.one_of({dml::DataType::kUInt32, dml::DataType::kInt32,
                                                dml::DataType::kUInt64, dml::DataType::kInt64}));
  const auto sizes = [&](int64_t most) {
    std::vector<uint32_t> some;
    for (int64_t rank = random(0, most); rank > 0; --rank) some.push_back(random_number(random));
    return some;
  };
  const auto append = [](std::vector<uint32_t> a, const std::vector<uint32_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const std::vector<uint32_t> batch = which == 1 ? sizes(2) : std::vector<uint32_t>();
  std::vector<uint32_t> indexed = sizes(2);
  indexed.push_back(random_number(random));
  const std::vector<uint32_t> outer = sizes(2), slice = sizes(2);
  const auto table = append(batch, append(indexed, slice));
  const auto tuples = append(append(batch, outer), {static_cast<uint32_t>(indexed.size())});
  const auto rows = append(append(batch, outer), slice);
  const size_t rank =
      std::max({table.size(), tuples.size(), rows.size()}) + static_cast<size_t>(random(0, 1));
  const auto tensor = [&](dml::DataType t, const std::vector<uint32_t>& s) {
    return random_tensor(random, t, padded(random, s, rank));
  };
  const auto number = [&](size_t right) {
    return random.one_in(30) ? random_number(random) : static_cast<uint32_t>(right);
  };
  const TensorDesc a = tensor(type, table), b = tensor(index_type, tuples), c = tensor(type, rows);
  const uint32_t table_rank = number(table.size()), tuples_rank = number(tuples.size());
  if (which == 0) return dml::GatherNDOperatorDesc{a, b, c, table_rank, tuples_rank};
  if (which == 1) {
    return dml::GatherND1OperatorDesc{a, b, c, table_rank, tuples_rank, number(batch.size())};
  }
  return dml::ScatterNDOperatorDesc{a, b, c, tensor(type, table), table_rank, tuples_rank};
}

// A buffer of the layout with random bytes, and with random indices if `most_index` is 0 or more.
test::Array buffer(Random& random, const dml::Layout& layout, int64_t most_index) {
  test::Array array{layout.dtype, Dims(layout.shape()),
                    Dims(std::span(layout.strides.begin(), layout.strides.end())
                             .subspan(static_cast<size_t>(layout.ignored))),
                    nullptr, nullptr};
  array.memory = std::make_shared<test::GuardedBuffer>(layout.bytes);
  random.fill(*array.memory);
  array.origin = array.memory->data();
  for (int64_t p = 0; most_index >= 0 && p < array.elements(); ++p) {
    const int64_t value = random(random.one_in(9) ? -most_index : 0, most_index);
    test::store_index(array.at(p), array.dtype, value);
  }
  return array;
}

void run(Random& random, const dml::CompiledOperator& op) {
  const bool scatters = op.op() == Operator::kScatter;
  const auto& fourth = scatters ? op.updates() : op.output();
  for (const auto& layout : {op.input(), op.indices(), op.output(), fourth}) {
    if (layout.bytes > kMostBytes) return;
  }
  test::Call call;
  call.op = op.op();
  call.input = buffer(random, op.input(), -1);
  call.indices = buffer(random, op.indices(), 4);
  call.output = buffer(random, op.output(), -1);
  call.updates = scatters ? buffer(random, op.updates(), -1) : call.output;
  // A compiled gather does not tell its batch dimensions, so they are computed from the shapes.
  if (!scatters) {
    const auto rest = call.input.shape.size() - call.indices.shape.back();
    call.options.batch_dims = call.indices.shape.size() - 1 + rest - call.output.shape.size();
  }
  const test::Answer expected = answer(call);
  test::Snapshot snapshot(call);
  const auto short_of = [&](const test::Array& array) {
    const auto view = array.memory->view();
    return random.one_in(30) ? view.first(view.size() / 2) : view;
  };
  const auto input = short_of(call.input), indices = short_of(call.indices);
  const auto updates = short_of(call.updates);
  const bool is_short = input.size() < op.input().bytes || indices.size() < op.indices().bytes ||
                        (scatters && updates.size() < op.updates().bytes);
  const std::string error = error_of([&] {
    op.run_buffers(input, indices, updates,
                   {call.output.memory->data(), call.output.memory->size()});
  });
  if (is_short) {
    check(!error.empty(), "a buffer that is too short was accepted");
  } else {
    check(error == expected.error, "the error \"" + error + "\", not \"" + expected.error + "\"");
  }
  if (error.empty()) {
    check(call.output.pack() == expected.elements, "wrong elements in the output");
    snapshot.accept(call.output);
  }
  check(snapshot.unchanged(), "bytes outside of the output changed");
}

}  // namespace
}  // namespace gathernd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace dml = gathernd::dml;
  gathernd::test::Random random(std::span(data, size));
  const auto level = random.one_of({dml::FeatureLevel::k6_4, dml::FeatureLevel::k6_4,
                                    dml::FeatureLevel::k3_0, dml::FeatureLevel::k2_1});
  const gathernd::test::Configured configured = gathernd::fuzz::random_configuration(random);
  const dml::OperatorDesc desc = gathernd::fuzz::random_desc(random);
  std::optional<dml::CompiledOperator> op;
  gathernd::fuzz::error_of([&] { op.emplace(desc, level); });
  if (op) gathernd::fuzz::run(random, *op);
  return 0;
}

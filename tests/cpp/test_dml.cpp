// gathernd/dml.hpp as C++ programs use it; tests/dml has the rules one by one.
#include <cstring>

#include "gathernd/dml.hpp"
#include "support.hpp"

namespace gathernd::test {
namespace {

using dml::DataType;
using dml::FeatureLevel;
using dml::TensorDesc;

template <class T>
std::vector<std::byte> bytes(const std::vector<T>& values) {
  std::vector<std::byte> all(values.size() * sizeof(T));
  std::memcpy(all.data(), values.data(), all.size());
  return all;
}

GuardedBuffer buffer(const std::vector<std::byte>& content) {
  GuardedBuffer guarded(content.size());
  std::memcpy(guarded.data(), content.data(), content.size());
  return guarded;
}

// Rows of two, padded to three elements in the output.
dml::GatherNDOperatorDesc gather() {
  const TensorDesc table{DataType::kFloat32, {2, 2}};
  TensorDesc padded = table;
  padded.strides = {3, 1};
  return {table, {DataType::kUInt32, {2, 1}}, padded, 2, 2};
}

dml::ScatterNDOperatorDesc scatter() {
  const TensorDesc table{DataType::kInt16, {8}};
  return {table, {DataType::kInt64, {2, 1}}, {DataType::kInt16, {2}}, table, 1, 2};
}

TEST_CASE("dml: a gather leaves the gaps of its output") {
  const dml::CompiledOperator op = dml::compile(gather());
  const GuardedBuffer input = buffer(bytes<float>({0, 1, 2, 3}));
  const GuardedBuffer indices = buffer(bytes<uint32_t>({1, 0}));
  GuardedBuffer output = buffer(bytes<float>({9, 9, 9, 9, 9}));
  op.run_buffers(input.view(), indices.view(), {}, {output.data(), output.size()});
  CHECK(output.bytes() == bytes<float>({2, 3, 9, 0, 1}));
  CHECK(output.guards_intact());
}

TEST_CASE("dml: a scatter takes negative indices, and none out of range") {
  const dml::CompiledOperator op = dml::compile(scatter());
  const GuardedBuffer input = buffer(bytes<int16_t>({1, 2, 3, 4, 5, 6, 7, 8}));
  const GuardedBuffer updates = buffer(bytes<int16_t>({-1, -2}));
  GuardedBuffer output = buffer(bytes<int16_t>({9, 9, 9, 9, 9, 9, 9, 9}));
  const auto run = [&](int64_t first, int64_t second) {
    const GuardedBuffer indices = buffer(bytes<int64_t>({first, second}));
    op.run_buffers(input.view(), indices.view(), updates.view(), {output.data(), output.size()});
  };
  CHECK_THROWS_AS(run(0, 8), Error);
  CHECK(output.bytes() == bytes<int16_t>({9, 9, 9, 9, 9, 9, 9, 9}));
  run(2, -1);
  CHECK(output.bytes() == bytes<int16_t>({1, 2, -1, 4, 5, 6, 7, -2}));
  CHECK(output.guards_intact());
}

TEST_CASE("dml: buffers that are too short are refused") {
  const dml::CompiledOperator op = dml::compile(gather());
  std::vector<std::byte> memory(64);
  const std::span<std::byte> all(memory);
  CHECK_NOTHROW(op.run_buffers(all, all.first(8), {}, all.first(20)));
  CHECK_THROWS_AS(op.run_buffers(all.first(15), all, {}, all), Error);
  CHECK_THROWS_AS(op.run_buffers(all, all.first(7), {}, all), Error);
  CHECK_THROWS_AS(op.run_buffers(all, all, {}, all.first(19)), Error);
}

TEST_CASE("dml: random descs are compiled or refused, whatever they hold") {
  Random random(31);
  const auto number = [&]() -> uint32_t {
    return random.one_in(9) ? static_cast<uint32_t>(random.bits())
                            : static_cast<uint32_t>(random(0, 4));
  };
  const auto tensor = [&] {
    TensorDesc desc;
    desc.data_type = static_cast<DataType>(random(0, 12));
    for (int64_t rank = random(0, 9); rank > 0; --rank) desc.sizes.push_back(number());
    if (random.one_in(2)) {
      desc.strides.emplace();
      for (size_t i = 0; i < desc.sizes.size(); ++i) desc.strides->push_back(number());
    }
    if (random.one_in(2)) desc.total_tensor_size_in_bytes = random.bits() >> random(0, 63);
    desc.flags = number() / 2;
    desc.guaranteed_base_offset_alignment = number();
    return desc;
  };
  for (int i = 0; i < 20'000; ++i) {
    dml::OperatorDesc desc;
    if (random.one_in(2)) {
      desc = dml::GatherND1OperatorDesc{tensor(), tensor(), tensor(), number(), number(), number()};
    } else {
      auto mutated = scatter();
      (random.one_in(2) ? mutated.indices_tensor : mutated.output_tensor) = tensor();
      desc = mutated;
    }
    try {
      dml::compile(desc, FeatureLevel::k6_4);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kValue);
    }
  }
}

TEST_CASE("dml: far and interleaved strides take neither memory nor time") {
  auto desc = gather();
  desc.output_tensor.strides = {4294967295u, 4294967294u};
  CHECK_NOTHROW(dml::compile(desc));
  desc.output_tensor.strides = {4294967295u, 4294967295u};
  CHECK_THROWS_AS(dml::compile(desc), Error);
}

}  // namespace
}  // namespace gathernd::test

// DirectML's GATHER_ND over buffers: the rows 1 and 0 of a 2 x 2 table.
#include <array>
#include <cstdint>
#include <iostream>
#include <span>

#include "gathernd/dml.hpp"

int main() {
  namespace dml = gathernd::dml;
  const dml::TensorDesc table{dml::DataType::kFloat32, {2, 2}};
  const dml::TensorDesc rows{dml::DataType::kUInt32, {2, 1}};
  const dml::GatherNDOperatorDesc desc{table, rows, table, 2, 2};
  const dml::CompiledOperator op = dml::compile(desc, dml::FeatureLevel::k4_1);

  const std::array<float, 4> input{0, 1, 2, 3};
  const std::array<uint32_t, 2> indices{1, 0};
  std::array<float, 4> output{};
  op.run_buffers(std::as_bytes(std::span(input)), std::as_bytes(std::span(indices)), {},
                 std::as_writable_bytes(std::span(output)));
  for (float element : output) std::cout << element << ' ';
  std::cout << '\n';
}

// Gathers three elements of a 2 x 3 array, then catches an index that is out of range.
#include <cstdint>
#include <iostream>
#include <vector>

#include "gathernd/gathernd.hpp"

namespace {

// A view of packed elements.
template <class T>
gathernd::Tensor view(std::vector<T>& elements, gathernd::Kind kind,
                      const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  return {reinterpret_cast<std::byte*>(elements.data()), {kind, sizeof(T)}, shape, strides};
}

}  // namespace

int main() {
  std::vector<float> input{0, 1, 2, 10, 11, 12}, output(3);
  std::vector<int32_t> indices{1, 2, 0, -1, 1, 0};
  const std::vector<int64_t> input_shape{2, 3}, input_strides{12, 4};
  const std::vector<int64_t> indices_shape{3, 2}, indices_strides{8, 4};
  const std::vector<int64_t> output_shape{3}, output_strides{4};
  const auto gather = [&] {
    gathernd::gather_nd(view(input, gathernd::Kind::kFloat32, input_shape, input_strides),
                        view(indices, gathernd::Kind::kInt32, indices_shape, indices_strides),
                        view(output, gathernd::Kind::kFloat32, output_shape, output_strides));
  };

  gather();
  if (output != std::vector<float>{12, 2, 10}) return 1;
  std::cout << "gathernd " << gathernd::kVersion << " on " << gathernd::cpu_target() << ": "
            << output[0] << ' ' << output[1] << ' ' << output[2] << '\n';

  indices[1] = 3;
  try {
    gather();
  } catch (const gathernd::Error& error) {
    std::cout << error.what() << '\n';
    return error.kind() == gathernd::ErrorKind::kIndex ? 0 : 1;
  }
  return 1;
}

#include "cpu/scatter/float_table.hpp"

#include <algorithm>
#include <bit>

#include "core/layout.hpp"
#include "cpu/common/slices.hpp"
#include "cpu/kernels/element.hpp"
#include "cpu/kernels/tiles.hpp"
#include "runtime/float_environment.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd {
namespace {

// The plan of the same call on a table of floats.
Plan on_floats(const Plan& plan) {
  Plan result = plan;
  result.scale *= int64_t{sizeof(float) / sizeof(Half)};
  return result;
}

// The bits of the float that stands for a half at first. Every NaN is one that is not quiet, and
// any update makes it quiet. So if the bits are as before, the half stays as it is.
template <class T>
uint32_t first_bits(T half) {
  constexpr uint32_t kInfinity = 0x7f800000u;
  const auto bits = std::bit_cast<uint32_t>(to_float(half));
  return (bits & 0x7fffffffu) > kInfinity ? kInfinity | 1u : bits;
}

// Calls f(T{}, begin, end) for ranges of the elements, T being the type of the halves.
template <class F>
void for_each_range(const Plan& plan, int64_t count, F f) {
  constexpr auto kBytes = int64_t{2 * sizeof(Half) + sizeof(uint32_t)};
  parallel_for(count, grain_for(kBytes), kTile, [&](int64_t begin, int64_t end) {
    const DefaultFloatEnvironment environment;
    if (plan.dtype.kind == Kind::kFloat16) {
      f(Half{}, begin, end);
    } else {
      f(BFloat16{}, begin, end);
    }
  });
}

}  // namespace

FloatTable::FloatTable(const Plan& plan, const Tensor& input, const Tensor& output)
    : plan_(on_floats(plan)),
      count_(count_elements(output.shape)),
      halves_(static_cast<size_t>(count_)),
      floats_(static_cast<size_t>(count_)),
      view_(output) {
  view_.data = reinterpret_cast<std::byte*>(halves_.data());
  copy_tensor(input, view_);
  view_.data = reinterpret_cast<std::byte*>(floats_.data());
  for_each_range(plan, count_, [&]<class T>(T, int64_t begin, int64_t end) {
    const T* const halves = reinterpret_cast<const T*>(halves_.data());
    for (int64_t i = begin; i < end; ++i) floats_.data()[i] = first_bits(halves[i]);
  });
}

void FloatTable::round_to(std::byte* table) const {
  for_each_range(plan_, count_, [&]<class T>(T, int64_t begin, int64_t end) {
    const T* const halves = reinterpret_cast<const T*>(halves_.data());
    uint32_t before[kTile], changed[kTile];
    for (int64_t first = begin; first < end; first += kTile) {
      const auto n = static_cast<uint32_t>(std::min(kTile, end - first));
      const uint32_t* const floats = floats_.data() + first;
      for (uint32_t i = 0; i < n; ++i) before[i] = first_bits(halves[first + i]);
      size_t count = 0;
      for (uint32_t i = 0; i < n; ++i) {
        changed[count] = i;
        count += floats[i] != before[i];
      }
      std::byte* const to = table + first * int64_t{sizeof(T)};
      for (size_t k = 0; k < count; ++k) {
        const uint32_t i = changed[k];
        store(narrowed(std::bit_cast<float>(floats[i]), T{}), to + i * sizeof(T));
      }
    }
  });
}

}  // namespace gathernd

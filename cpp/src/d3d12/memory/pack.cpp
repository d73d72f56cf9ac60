#include "d3d12/memory/pack.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/checked.hpp"
#include "core/layout.hpp"
#include "d3d12/gpu/failure.hpp"
#include "d3d12/gpu/tuning.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/settings.hpp"

namespace gathernd::d3d12 {
namespace {

// Copies `n` elements of kSize bytes each, or of `size` bytes if kSize is 0.
template <int64_t kSize>
void copy_strided(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride,
                  int64_t n, int64_t size) {
  const auto bytes = static_cast<size_t>(kSize == 0 ? size : kSize);
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, bytes);
}

void copy_run(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride,
              int64_t n, int64_t size) {
  if (from_stride == size && to_stride == size) {
    std::memcpy(to, from, static_cast<size_t>(n * size));
    return;
  }
  const auto copy = size == 1   ? copy_strided<1>
                    : size == 2 ? copy_strided<2>
                    : size == 4 ? copy_strided<4>
                    : size == 8 ? copy_strided<8>
                                : copy_strided<0>;
  copy(from, from_stride, to, to_stride, n, size);
}

// Calls f(begin, end) on several threads, for parts of `count` elements of `size` bytes.
template <class F>
void for_parts(int64_t count, int64_t size, F f) {
  constexpr int64_t kStep = 64;  // whole cache lines
  parallel_for(count, grain_or(std::max<int64_t>(tuning().pack_bytes / size, 1)), kStep, f);
}

}  // namespace

void pack(const Tensor& from, int64_t first, int64_t count, std::byte* to) {
  const int64_t size = from.dtype.size;
  const Walk walk = make_walk(from.shape, from.strides);
  for_parts(count, size, [&](int64_t begin, int64_t end) {
    std::byte* target = to + begin * size;
    for_each_run(walk, first + begin, end - begin, [&](int64_t offset, int64_t stride, int64_t n) {
      copy_run(from.data + offset, stride, target, size, n, size);
      target += n * size;
    });
  });
}

void unpack(const std::byte* from, int64_t first, int64_t count, const Tensor& to) {
  const int64_t size = to.dtype.size;
  const Walk walk = make_walk(to.shape, to.strides);
  for_parts(count, size, [&](int64_t begin, int64_t end) {
    const std::byte* source = from + begin * size;
    for_each_run(walk, first + begin, end - begin, [&](int64_t offset, int64_t stride, int64_t n) {
      copy_run(source, size, to.data + offset, stride, n, size);
      source += n * size;
    });
  });
}

void unpack_rows(const std::byte* from, std::span<const Region> regions,
                 std::span<const uint32_t> bits, uint64_t row_bytes, const Tensor& to) {
  const int64_t size = to.dtype.size;
  const uint64_t row = row_bytes / static_cast<uint64_t>(size);  // elements
  const Walk walk = make_walk(to.shape, to.strides);
  std::vector<uint64_t> starts;  // where each region starts in `from`
  uint64_t start = 0;
  for (const Region& region : regions) {
    starts.push_back(start);
    start += region.bytes;
  }
  const auto write = [&](uint64_t first, uint64_t count) {
    const auto after = std::ranges::upper_bound(regions, first * row_bytes, {}, &Region::first);
    const auto region = static_cast<size_t>(after - regions.begin()) - 1;
    const std::byte* source = from + starts[region] + (first * row_bytes - regions[region].first);
    const auto element = static_cast<int64_t>(first * row);
    const auto elements = static_cast<int64_t>(count * row);
    if (row_bytes >= tuning().unpack_row) return unpack(source, element, elements, to);
    for_each_run(walk, element, elements, [&](int64_t offset, int64_t stride, int64_t n) {
      copy_run(source, size, to.data + offset, stride, n, size);
      source += n * size;
    });
  };
  if (row_bytes >= tuning().unpack_row) return for_each_set_run(bits, 0, bits.size() * 32, write);
  const auto words = static_cast<int64_t>(bits.size());
  for_parts(words, static_cast<int64_t>(row_bytes * 32), [&](int64_t begin, int64_t end) {
    for_each_set_run(bits, static_cast<uint64_t>(begin) * 32, static_cast<uint64_t>(end) * 32,
                     write);
  });
}

void copy_bytes(const std::byte* from, uint64_t bytes, std::byte* to) {
  for_parts(static_cast<int64_t>(bytes), 1, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
  });
}

uint64_t packed_bytes(const Tensor& tensor) {
  constexpr int64_t kMax = int64_t{1} << 62;
  int64_t bytes = 0;
  if (!count_elements(tensor.shape, &bytes) || !checked_mul(bytes, tensor.dtype.size, &bytes) ||
      bytes > kMax) {
    throw LimitError("[d3d12] an array has more bytes than any device");
  }
  return static_cast<uint64_t>(bytes);
}

}  // namespace gathernd::d3d12

// Makes a DLPack tensor with numbers from the input. It must be refused, or be a view whose
// elements all lie in the address space, which is checked in 128 bits. Elements in real memory are
// gathered.
#include "dlpack_tensor.hpp"

#include <algorithm>
#include <optional>

#include "arrays.hpp"
#include "fuzz.hpp"

namespace gathernd::fuzz {
namespace {

using bindings::DLTensor;
using test::Random;
using Numbers = std::vector<int64_t>;

constexpr size_t kMemory = 512;
constexpr int64_t kMostBytes = 1 << 14;

int64_t random_size(Random& random) {
  if (!random.one_in(12)) return random(0, 5);
  const int64_t power = int64_t{1} << random(0, 62);
  return random.one_of<int64_t>({power, power - 1, -power, INT64_MAX, INT64_MIN});
}

int64_t random_stride(Random& random) {
  if (!random.one_in(12)) return random(-8, 8);
  const int64_t power = int64_t{1} << random(0, 62);
  return random.one_of<int64_t>(
      {power, -power, INT64_MAX, INT64_MIN, static_cast<int64_t>(random.bits())});
}

// The tensor's numbers, computed by plain loops; no value if they describe no tensor.
struct Exact {
  __int128 low = 0, high = 0;  // the addresses of the elements
  bool is_empty = false;
  bool is_huge = false;  // beyond what any machine can address: may be refused
};

std::optional<Exact> read(const DLTensor& tensor, const Numbers& shape, const Numbers& strides,
                          int64_t itemsize) {
  constexpr __int128 kHuge = __int128{1} << 56;
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank || (tensor.ndim > 0 && !tensor.shape)) return {};
  Exact exact;
  __int128 bytes = itemsize;
  for (const int64_t size : shape) {
    if (size < 0) return {};
    exact.is_empty |= size == 0;
    bytes *= std::max<int64_t>(size, 1);
    if (bytes > INT64_MAX) return {};
  }
  if (!tensor.data && !exact.is_empty) return {};
  __int128 low = 0, high = itemsize, step = itemsize;
  for (size_t i = shape.size(); i-- > 0;) {
    const __int128 stride = tensor.strides ? __int128{strides[i]} * itemsize : step;
    if (stride != static_cast<int64_t>(stride)) return {};
    const __int128 reach = stride * std::max<int64_t>(shape[i] - 1, 0);
    (reach < 0 ? low : high) += reach;
    exact.is_huge |= high > kHuge || low < -kHuge || stride > kHuge || stride < -kHuge;
    if (exact.is_huge) return exact;
    step *= shape[i];
  }
  if (exact.is_empty) low = high = 0;
  const __int128 start = __int128{reinterpret_cast<uintptr_t>(tensor.data)} + tensor.byte_offset;
  exact.low = start + low;
  exact.high = start + high;
  exact.is_huge |= tensor.byte_offset > kHuge;
  return exact;
}

// Gathers all elements of a view of readable memory at once. Strides of 0 may make many elements of
// a few.
void gather_whole(const bindings::DLView& view, int64_t itemsize) {
  const DType dtype{Kind::kOther, itemsize, true};
  const test::Array input{dtype, view.shape, view.strides, nullptr, view.data};
  if (input.elements() * itemsize > kMostBytes) return;
  std::vector<std::byte> found(static_cast<size_t>(input.elements() * itemsize));
  const Dims packed = [&] {
    Dims strides = view.shape;
    int64_t step = itemsize;
    for (int i = strides.size(); i-- > 0; step *= view.shape[i]) strides[i] = step;
    return strides;
  }();
  constexpr int64_t kShape[] = {0}, kStrides[] = {8};
  const Tensor no_index{nullptr, {Kind::kInt64, 8, true}, kShape, kStrides};
  gather_nd(input.tensor(), no_index,
            {found.data(), dtype, test::span(view.shape), test::span(packed)});
  check(found == input.pack(), "elements that are not the tensor's");
}

void run(Random& random) {
  const bindings::DLDataType type{static_cast<uint8_t>(random(0, 18)),
                                  random.one_of<uint8_t>({8, 16, 32, 64, 128, 4, 6, 0}),
                                  static_cast<uint16_t>(random.one_in(9) ? random(0, 4) : 1)};
  const bindings::ElementType known = bindings::element_type(type);
  const bool is_whole = type.lanes == 1 && type.bits >= 8 && type.bits % 8 == 0;
  check(!known.name || is_whole, "an element that does not consist of whole bytes");
  const int64_t itemsize = known.name ? type.bits / 8 : random(1, 16);

  test::GuardedBuffer memory(kMemory);
  random.fill(memory);
  Numbers shape, strides;
  const int64_t most = random.one_in(12) ? kMaxRank + 1 : 4;
  for (int64_t rank = random(0, most); rank > 0; --rank) {
    shape.push_back(random_size(random));
    strides.push_back(random_stride(random));
  }
  DLTensor tensor{};
  tensor.ndim = static_cast<int32_t>(shape.size());
  if (random.one_in(20)) {
    tensor.ndim = random.one_of<int32_t>({-1, INT32_MIN, INT32_MAX});
  }
  tensor.dtype = type;
  tensor.shape = random.one_in(20) ? nullptr : shape.data();
  tensor.strides = random.one_in(3) ? nullptr : strides.data();
  const auto begin = reinterpret_cast<uintptr_t>(memory.data());
  const uintptr_t address = random.one_in(12)   ? 0
                            : random.one_in(12) ? static_cast<uintptr_t>(random.bits())
                                                : begin;
  tensor.data = reinterpret_cast<void*>(address);
  tensor.byte_offset = random.one_in(12) ? random.bits() : static_cast<uint64_t>(random(0, 400));

  const std::optional<Exact> exact = read(tensor, shape, strides, itemsize);
  std::optional<bindings::DLView> view;
  try {
    view = view_of(tensor, itemsize);
  } catch (const bindings::BadTensor& error) {
    check(error.what()[0] != '\0', "an error without a message");
  }
  const bool lies = exact && exact->low >= 0 && exact->high <= __int128{UINTPTR_MAX};
  check(lies || !view || (exact && exact->is_huge), "a bad tensor was accepted");
  check(!lies || view || exact->is_huge, "a good tensor was refused");
  if (!lies || !view || exact->is_empty) return;
  check(std::ranges::equal(view->shape, shape), "another shape");
  if (exact->low >= begin && exact->high <= begin + kMemory && !exact->is_huge) {
    gather_whole(*view, itemsize);
  }
}

}  // namespace
}  // namespace gathernd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gathernd::test::Random random(std::span(data, size));
  gathernd::fuzz::run(random);
  return 0;
}

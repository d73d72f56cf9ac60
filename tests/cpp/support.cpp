#include "support.hpp"

#include <algorithm>
#include <utility>

#include "cpu/common/tuning.hpp"
#include "pages.hpp"
#include "runtime/settings.hpp"

namespace gathernd::test {
namespace {

constexpr std::byte kSentinel{0xa5};
constexpr size_t kBefore = 128;

void use_grain(int64_t items) {
  set_grain(items);
  set_tuning(items > 0 ? Tuning::small() : Tuning{});
}

}  // namespace

GuardedBuffer::GuardedBuffer(size_t size, size_t slack) : size_(size) {
  const size_t page = page_size();
  const size_t usable = (kBefore + size + slack + page - 1) / page * page;
  mapped_ = usable + page;
  pages_ = reserve_pages(mapped_);
  REQUIRE(pages_ != nullptr);
  REQUIRE(open_pages(pages_, usable));
  data_ = pages_ + (usable - slack - size);
  std::fill(pages_, pages_ + usable, kSentinel);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)),
      mapped_(other.mapped_),
      data_(other.data_),
      size_(other.size_) {}

GuardedBuffer::~GuardedBuffer() {
  if (pages_) release_pages(pages_, mapped_);
}

bool GuardedBuffer::guards_intact() const {
  const size_t page = page_size();
  const auto sentinels = [](std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte b) { return b == kSentinel; });
  };
  return sentinels({pages_, data_}) && sentinels({data_ + size_, pages_ + mapped_ - page});
}

Configured::Configured(std::string_view target, int threads, int64_t grain)
    : target_(cpu_target()), threads_(num_threads()), grain_(gathernd::grain()) {
  set_cpu_target(target);
  set_num_threads(threads);
  use_grain(grain);
}

Configured::~Configured() {
  set_cpu_target(target_);
  set_num_threads(threads_);
  use_grain(grain_);
}

Dims unravel(int64_t position, std::span<const int64_t> shape) {
  Dims at(shape);
  for (int i = at.size() - 1; i >= 0; --i) {
    const int64_t size = at[i];
    at[i] = position % size;
    position /= size;
  }
  return at;
}

int64_t offset_of(const Dims& at, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (int i = 0; i < at.size(); ++i) offset += at[i] * strides[static_cast<size_t>(i)];
  return offset;
}

}  // namespace gathernd::test

#include "d3d12/gpu/device_buffers.hpp"

#include <string>
#include <utility>

#include "d3d12/gpu/gpu.hpp"
#include "gathernd/error.hpp"

namespace gathernd::d3d12 {

void DeviceBuffers::add(Buffer& buffer) {
  const std::lock_guard lock(mutex_);
  buffer.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &buffer;
  first_ = &buffer;
}

void DeviceBuffers::remove(Buffer& buffer) {
  const std::lock_guard lock(mutex_);
  (buffer.previous_ != nullptr ? buffer.previous_->next_ : first_) = buffer.next_;
  if (buffer.next_ != nullptr) buffer.next_->previous_ = buffer.previous_;
}

void DeviceBuffers::lose(std::exception_ptr why) {
  const std::lock_guard lock(mutex_);
  if (loss_ == nullptr) loss_ = std::move(why);
}

std::exception_ptr DeviceBuffers::loss() const {
  const std::lock_guard lock(mutex_);
  return loss_;
}

void DeviceBuffers::drop() {
  const std::lock_guard lock(mutex_);
  for (Buffer* buffer = first_; buffer != nullptr; buffer = buffer->next_) buffer->drop();
}

void throw_elsewhere(const DeviceBuffers& home) {
  std::string why = "is on another device";
  try {
    if (const std::exception_ptr loss = home.loss()) std::rethrow_exception(loss);
  } catch (const std::exception& loss) {
    constexpr std::string_view kPrefix = "[d3d12] ";
    const std::string_view what = loss.what();
    why = "was lost with its device: ";
    why += what.substr(what.starts_with(kPrefix) ? kPrefix.size() : 0);
  }
  throw Error(ErrorKind::kDevice, "[d3d12] the array or plan " + why);
}

}  // namespace gathernd::d3d12

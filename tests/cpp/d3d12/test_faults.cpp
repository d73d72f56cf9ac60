#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "answers.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd::testing {
namespace {

constexpr auto kOutOfMemory = static_cast<int32_t>(0x8007000e);
constexpr auto kRemoved = static_cast<int32_t>(0x887a0005);

// The call fails with a message that names the D3D12 call, its output is as before, and the next
// call works.
void check_fault(const std::string& call, int32_t result, const char* says) {
  CAPTURE(call);
  // More than what earlier calls left: new memory is taken.
  static int64_t length = 100000;
  length += length / 2;
  Case c{.outer = {7}, .indexed = {3}, .slice = {length}};
  Arrays arrays(c);
  inject_device_fault(call, result);
  const Answer answer = device_gather(c, arrays);
  CHECK(answer.error.find(call) != std::string::npos);
  CHECK(answer.error.find(says) != std::string::npos);
  CHECK(answer.error.find("was written") == std::string::npos);
  CHECK(check_gather(c));
  c.slice = {3};
  CHECK(check_scatter(c));
}

TEST_CASE("faults: out of memory, calls that fail") {
  inject_device_fault("ID3D12Resource::Map", kOutOfMemory);  // it tries twice
  check_fault("ID3D12Resource::Map", kOutOfMemory, "0x8007000e");
  inject_device_fault("ID3D12Device::CreateCommittedResource", kOutOfMemory);
  check_fault("ID3D12Device::CreateCommittedResource", kOutOfMemory,
              " bytes failed: HRESULT 0x8007000e (out of memory)");
  check_fault("ID3D12GraphicsCommandList::Close", kOutOfMemory, "0x8007000e");
  check_fault("ID3D12CommandQueue::Signal", kRemoved, "0x887a0005");
}

TEST_CASE("faults: a device that is removed, or that never ends") {
  check_fault("ID3D12Device::GetDeviceRemovedReason", kRemoved, "0x887a0005 (device removed)");
  check_fault("ID3D12Fence::GetCompletedValue", -1, "did not finish in time");
}

TEST_CASE("faults: a device that is removed, as a call shows that does not say so") {
  Array small({Kind::kFloat32, 4}, {7}), large({Kind::kFloat32, 4}, {5 << 20});
  const DeviceMemoryPtr memory = d3d12_api().backend(0).upload(small.tensor());
  inject_device_fault("ID3D12Device::CreateCommittedResource", kRemoved);
  inject_device_fault("ID3D12Device::GetDeviceRemovedReason", kRemoved);
  CHECK_THROWS_AS(d3d12_api().backend(0).upload(large.tensor()), Error);
  CHECK_THROWS_WITH_AS(
      d3d12_api().backend(0).download(*memory, small.tensor(), false),
      "[d3d12] the array or plan was lost with its device: "
      "ID3D12Device::GetDeviceRemovedReason failed: HRESULT 0x887a0005 (device removed)",
      Error);
  CHECK(d3d12_api().backend(0).upload(large.tensor())->bytes() == 20 << 20);
}

TEST_CASE("faults: no device can be opened, and then one can") {
  check_fault("ID3D12GraphicsCommandList::Reset", kRemoved, "0x887a0005");
  // The device above is lost: the next call opens one.
  inject_device_fault("ID3D12Fence::GetCompletedValue", -1);
  Case c{.outer = {7}, .indexed = {3}, .slice = {2}};
  Arrays arrays(c);
  device_gather(c, arrays);
  inject_device_fault("D3D12CreateDevice", kRemoved);
  CHECK(device_gather(c, arrays).error.find("D3D12CreateDevice") != std::string::npos);
  CHECK(check_gather(c));
}

TEST_CASE("faults: no adapter of that number") {
  CHECK_THROWS_WITH_AS(d3d12_api().backend(15).open(), "[d3d12] there is no device d3d12:15",
                       Error);
  CHECK_THROWS_AS(d3d12_api().backend(-1), Error);
}

}  // namespace
}  // namespace gathernd::testing

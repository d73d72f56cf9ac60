// The backend: one session per call.
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "core/layout.hpp"
#include "d3d12/gpu/adapters.hpp"
#include "d3d12/gpu/failure.hpp"
#include "d3d12/memory/device_memory.hpp"
#include "d3d12/memory/pack.hpp"
#include "d3d12/operators/match.hpp"
#include "d3d12/operators/sent_indices.hpp"
#include "d3d12/operators/strategy.hpp"
#include "d3d12/runtime/process.hpp"
#include "d3d12/session/calls.hpp"
#include "d3d12/session/host_rules.hpp"
#include "d3d12/session/prepared.hpp"
#include "d3d12/session/session.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"

namespace gathernd {
namespace d3d12 {
namespace {

constexpr int kMaxDevices = 16;

std::string name_of(int index) { return "d3d12:" + std::to_string(index); }

class D3D12Backend final : public DeviceBackend {
 public:
  explicit D3D12Backend(int index) : device_(index), name_(name_of(index)) {}

  // Releases nothing and returns 0 if the device is at work, also for a call of this thread.
  uint64_t release() {
    if (is_forked() || device_.owner == std::this_thread::get_id()) return 0;
    const AtWork at_work;
    const std::unique_lock lock(device_.mutex, std::try_to_lock);
    return lock ? device_.release() : 0;
  }

  void open() override { Session(device_).done(); }
  std::string name() const override { return name_; }

  void gather(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& output,
              const std::byte* fill_value, bool fresh) override {
    const auto run = [&] {
      Session session(device_);
      const SentIndices sent(session.gpu(), session.memory(), plan, indices);
      gather_on_host(session, sent.plan(), sent.operands(), input, output, fill_value, fresh);
    };
    rules_before_limits(run, [&] { check_tuples(plan, indices); });
  }

  void scatter(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& updates,
               const Tensor& output, bool fresh) override {
    if (!has_tuples(plan, input, indices, updates, output)) return;
    if (only_finds_duplicates(plan)) return check_tuples(plan, indices);
    const auto run = [&] {
      Session session(device_);
      const SentIndices sent(session.gpu(), session.memory(), plan, indices);
      scatter_on_host(session, sent.plan(), sent.operands(), input, updates, output, fresh);
    };
    rules_before_limits(run, [&] { check_tuples(plan, indices); });
  }

  DeviceMemoryPtr upload(const Tensor& from) override {
    Session session(device_);
    const uint64_t bytes = packed_bytes(from);
    BufferPtr buffer = allocate(session, bytes);
    session.memory().upload(*buffer, from);
    session.memory().finish();
    session.done();
    return std::make_shared<D3D12Memory>(std::move(buffer), bytes);
  }

  void download(DeviceMemory& from, const Tensor& to, bool fresh) override {
    Session session(device_);
    session.memory().download(*buffer_of(from, packed_bytes(to)), to, fresh);
    session.done();
  }

  DeviceMemoryPtr gather(const Plan& plan, DeviceMemory& input, DeviceMemory& indices,
                         const std::byte* fill_value) override {
    Session session(device_);
    const auto run = [&] {
      return gather_on_device(session, plan, {.indices = indices_of(plan, indices)}, input,
                              fill_value);
    };
    return rules_before_limits(run,
                               [&] { check_instead(session, plan, *indices_of(plan, indices)); });
  }

  DeviceMemoryPtr scatter(const Plan& plan, const DeviceMemoryPtr& input, DeviceMemory& indices,
                          DeviceMemory& updates, bool in_place) override {
    check_supported(plan);
    Session session(device_);
    const Plan rest = find_duplicates(session, plan, *indices_of(plan, indices));
    const auto run = [&] {
      return scatter_on_device(session, rest, {.indices = indices_of(plan, indices)}, input,
                               updates, in_place);
    };
    return rules_before_limits(run,
                               [&] { check_instead(session, plan, *indices_of(plan, indices)); });
  }

  DeviceMemoryPtr gather(const Plan& plan, DeviceMemory& input, const Indices& indices,
                         const std::byte* fill_value) override {
    const auto run = [&] {
      Session session(device_);
      const SentIndices sent(session.gpu(), session.memory(), plan, indices);
      return gather_on_device(session, sent.plan(), sent.operands(), input, fill_value);
    };
    return rules_before_limits(run, [&] { check_tuples(plan, indices); });
  }

  DeviceMemoryPtr scatter(const Plan& plan, const DeviceMemoryPtr& input, const Indices& indices,
                          DeviceMemory& updates, bool in_place) override {
    check_supported(plan);
    Plan rest = plan;
    if (only_finds_duplicates(plan)) {
      check_tuples(plan, indices);
      rest.duplicates = Duplicates::kLast;
    }
    const auto run = [&] {
      Session session(device_);
      const SentIndices sent(session.gpu(), session.memory(), rest, indices);
      return scatter_on_device(session, sent.plan(), sent.operands(), input, updates, in_place);
    };
    return rules_before_limits(run, [&] { check_tuples(plan, indices); });
  }

  DeviceMemoryPtr match(DType dtype, DeviceMemory& a, DeviceMemory& b, int64_t rows,
                        int64_t width) override {
    Session session(device_);
    const auto bytes = static_cast<uint64_t>(rows * width) * sizeof(int64_t);
    BufferPtr positions = allocate(session, bytes);
    const auto needed = static_cast<uint64_t>(rows * width * dtype.size);
    d3d12::match(session.gpu(), dtype, buffer_of(a, needed), buffer_of(b, needed), positions,
                 static_cast<uint64_t>(rows), static_cast<uint64_t>(width));
    session.memory().finish();
    session.done();
    return std::make_shared<D3D12Memory>(std::move(positions), bytes);
  }

  std::unique_ptr<PreparedTuples> prepare(const Plan& plan, const Indices& indices) override {
    Session session(device_);
    const SentIndices sent(session.gpu(), session.memory(), plan, indices);
    return prepare(session, sent.plan(), sent.operands());
  }

  std::unique_ptr<PreparedTuples> prepare(const Plan& plan, DeviceMemory& indices) override {
    Session session(device_);
    return prepare(session, plan, {.indices = indices_of(plan, indices)});
  }

 private:
  std::unique_ptr<PreparedTuples> prepare(Session& session, const Plan& plan,
                                          const Operands& operands) {
    auto result = std::make_unique<D3D12Tuples>(device_, session, plan, operands);
    session.done();
    return result;
  }

  Device device_;
  std::string name_;
};

// Never destroyed: at exit the runtime may be unloaded first. No lock: in a forked child it could
// be held by a thread that does not exist there.
constinit std::array<std::atomic<D3D12Backend*>, kMaxDevices> backends{};

class D3D12Api final : public DeviceApi {
 public:
  const char* name() const override { return "d3d12"; }

  std::vector<DeviceInfo> devices() override {
    const AtWork at_work;
    return adapters();
  }

  std::vector<UnusableDevice> unusable_devices() override {
    const AtWork at_work;
    return unusable_adapters();
  }

  DeviceBackend& backend(int index) override {
    if (index < 0 || index >= kMaxDevices) {
      throw Error(ErrorKind::kDevice, "[d3d12] there is no device " + name_of(index));
    }
    auto& backend = backends[static_cast<size_t>(index)];
    D3D12Backend* existing = backend;
    if (existing != nullptr) return *existing;
    auto fresh = std::make_unique<D3D12Backend>(index);
    if (!backend.compare_exchange_strong(existing, fresh.get())) return *existing;
    return *fresh.release();
  }

  uint64_t release_memory() noexcept override {
    uint64_t bytes = 0;
    try {
      for (const auto& backend : backends) {
        if (D3D12Backend* const used = backend) bytes += used->release();
      }
    } catch (const Error&) {
      // The devices were stopped, because the process is ending.
    }
    return bytes;
  }

  void stop() override { d3d12::stop(); }
};

constinit D3D12Api api;

}  // namespace
}  // namespace d3d12

DeviceApi& d3d12_api() { return d3d12::api; }

void inject_device_fault(const std::string& call, int32_t result, int after) {
  d3d12::inject_fault(call, result, after);
}

void force_device_gather(std::string_view way) { d3d12::force_gather(way); }
void force_device_scatter(std::string_view way) { d3d12::force_scatter(way); }

}  // namespace gathernd

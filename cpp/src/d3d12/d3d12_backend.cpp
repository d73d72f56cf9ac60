// The backend: host memory goes up, through the operators, and back; device memory stays.
#include <array>
#include <string>

#include "adapters.hpp"
#include "cpu/slices.hpp"
#include "device_memory.hpp"
#include "failure.hpp"
#include "gathernd/device.hpp"
#include "gathernd/error.hpp"
#include "operators.hpp"
#include "pack.hpp"
#include "prepared.hpp"
#include "session.hpp"

namespace gathernd {
namespace d3d12 {
namespace {

constexpr int kMaxDevices = 16;

BufferPtr upload(Session& session, const Tensor& from) {
  BufferPtr buffer = session.memory().take(packed_bytes(from));
  session.memory().upload(*buffer, from);
  return buffer;
}

// Memory that stays with the caller. To allocate is dear beside a small call; what is large goes
// back to the device when it is freed.
BufferPtr allocate(Session& session, uint64_t bytes) {
  constexpr uint64_t kSmall = uint64_t{16} << 20;
  if (bytes > kSmall) return session.memory().allocate(bytes);
  return session.memory().take(bytes);
}

class D3D12Backend final : public DeviceBackend {
 public:
  explicit D3D12Backend(int index) : device_(index) {}

  void open() override { Session(device_).done(); }

  void gather(const Plan& plan, const Tensor& input, const Tensor& indices, const Tensor& output,
              const std::byte* fill_value, bool fresh) override {
    Session session(device_);
    const Operands operands = {.indices = d3d12::upload(session, indices)};
    gather(session, plan, operands, input, output, fill_value, fresh);
  }

  void gather(const Plan& plan, const Tensor& input, DeviceTuples& tuples, const Tensor& output,
              const std::byte* fill_value, bool fresh) override {
    Session session(device_);
    PreparedTuples& prepared = prepared_of(tuples);
    gather(session, prepared.refer(plan), prepared.operands(), input, output, fill_value, fresh);
  }

  void scatter(const Plan& plan, const Tensor& input, const Tensor& indices, const Tensor& updates,
               const Tensor& output, bool fresh) override {
    if (!has_tuples(plan, input, output)) return;
    Session session(device_);
    const Operands operands = {.indices = d3d12::upload(session, indices)};
    scatter(session, plan, operands, input, updates, output, fresh);
  }

  void scatter(const Plan& plan, const Tensor& input, DeviceTuples& tuples, const Tensor& updates,
               const Tensor& output, bool fresh) override {
    if (!has_tuples(plan, input, output)) return;
    Session session(device_);
    PreparedTuples& prepared = prepared_of(tuples);
    scatter(session, prepared.refer(plan), prepared.operands(), input, updates, output, fresh);
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
    session.memory().download(*buffer_of(from), to, fresh);
    session.done();
  }

  DeviceMemoryPtr gather(const Plan& plan, DeviceMemory& input, DeviceMemory& indices,
                         const std::byte* fill_value) override {
    Session session(device_);
    return gather(session, plan, {.indices = buffer_of(indices)}, input, fill_value);
  }

  DeviceMemoryPtr gather(const Plan& plan, DeviceMemory& input, DeviceTuples& tuples,
                         const std::byte* fill_value) override {
    Session session(device_);
    PreparedTuples& prepared = prepared_of(tuples);
    return gather(session, prepared.refer(plan), prepared.operands(), input, fill_value);
  }

  DeviceMemoryPtr scatter(const Plan& plan, const DeviceMemoryPtr& input, DeviceMemory& indices,
                          DeviceMemory& updates, bool in_place) override {
    check_supported(plan);
    Session session(device_, in_place ? Interrupt::Throws::kAtEnd : Interrupt::Throws::kAtOnce);
    return scatter(session, plan, {.indices = buffer_of(indices)}, input, updates, in_place);
  }

  DeviceMemoryPtr scatter(const Plan& plan, const DeviceMemoryPtr& input, DeviceTuples& tuples,
                          DeviceMemory& updates, bool in_place) override {
    check_supported(plan);
    Session session(device_, in_place ? Interrupt::Throws::kAtEnd : Interrupt::Throws::kAtOnce);
    PreparedTuples& prepared = prepared_of(tuples);
    return scatter(session, prepared.refer(plan), prepared.operands(), input, updates, in_place);
  }

  DeviceTuplesPtr prepare(const Plan& plan, DeviceMemory& indices) override {
    Session session(device_);
    auto result =
        std::make_shared<PreparedTuples>(session.gpu(), session.memory(), plan, buffer_of(indices));
    session.done();
    return result;
  }

 private:
  // The operands have the indices only.
  static void gather(Session& session, const Plan& plan, Operands operands, const Tensor& input,
                     const Tensor& output, const std::byte* fill_value, bool fresh) {
    operands.table = d3d12::upload(session, input);
    operands.rows = session.memory().take(packed_bytes(output));
    Resolver resolver = d3d12::gather(session.gpu(), session.memory(), plan, operands, fill_value);
    finish(session, resolver, *operands.rows, output, fresh);
  }

  static DeviceMemoryPtr gather(Session& session, const Plan& plan, Operands operands,
                                DeviceMemory& input, const std::byte* fill_value) {
    const auto bytes = static_cast<uint64_t>(plan.tuples * plan.slice.bytes);
    operands.table = buffer_of(input);
    operands.rows = allocate(session, bytes);
    if (plan.tuples != 0) {
      check(d3d12::gather(session.gpu(), session.memory(), plan, operands, fill_value));
    }
    session.done();
    return std::make_shared<D3D12Memory>(operands.rows, bytes);
  }

  static void scatter(Session& session, const Plan& plan, Operands operands, const Tensor& input,
                      const Tensor& updates, const Tensor& output, bool fresh) {
    operands.table = d3d12::upload(session, input);
    operands.rows = d3d12::upload(session, updates);
    Resolver resolver = d3d12::scatter(session.gpu(), session.memory(), plan, operands);
    finish(session, resolver, *operands.table, output, fresh);
  }

  static DeviceMemoryPtr scatter(Session& session, const Plan& plan, Operands operands,
                                 const DeviceMemoryPtr& input, DeviceMemory& updates,
                                 bool in_place) {
    operands.table = buffer_of(*input);
    operands.rows = buffer_of(updates);
    operands.in_place = in_place;
    if (!in_place) {
      operands.source = operands.table;
      operands.table = allocate(session, input->bytes());
    }
    if (plan.tuples != 0) {
      check(d3d12::scatter(session.gpu(), session.memory(), plan, operands));
    } else if (!in_place) {
      copy_source(session.gpu(), operands);
    }
    session.memory().finish();
    session.done();
    if (in_place) return input;
    return std::make_shared<D3D12Memory>(operands.table, input->bytes());
  }

  // Where there are none, the output becomes the input.
  static bool has_tuples(const Plan& plan, const Tensor& input, const Tensor& output) {
    check_supported(plan);
    if (plan.tuples == 0 && output.data != input.data) copy_tensor(input, output);
    return plan.tuples != 0;
  }

  static PreparedTuples& prepared_of(DeviceTuples& tuples) {
    return static_cast<PreparedTuples&>(tuples);
  }

  static void finish(Session& session, Resolver& resolver, Buffer& result, const Tensor& output,
                     bool fresh) {
    const Memory::Status status = {*resolver.status(), resolver.status_words(),
                                   [&](const uint32_t* words) { resolver.check(words); }};
    session.memory().download(result, output, fresh, &status);
    session.done();
  }

  static void check(Resolver resolver) {
    if (!resolver.is_checked()) resolver.read_status();
  }

  Device device_;
};

// Never destroyed: at exit the runtime may be gone before they are.
DeviceBackend& backend(int index) {
  static auto* backends = new std::array<std::unique_ptr<D3D12Backend>, kMaxDevices>;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  auto& result = (*backends)[static_cast<size_t>(index)];
  if (result == nullptr) result = std::make_unique<D3D12Backend>(index);
  return *result;
}

}  // namespace
}  // namespace d3d12

DeviceBackend& d3d12_backend(int index) {
  if (index < 0 || index >= d3d12::kMaxDevices) {
    throw Error(ErrorKind::kDevice, "[d3d12] there is no adapter " + std::to_string(index));
  }
  return d3d12::backend(index);
}

std::vector<DeviceInfo> d3d12_devices() {
  const d3d12::AtWork at_work;
  return d3d12::adapters();
}

void inject_device_fault(const std::string& call, int32_t result, int after) {
  d3d12::inject_fault(call, result, after);
}

}  // namespace gathernd

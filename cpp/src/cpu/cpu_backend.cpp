// The CPU backend: picks the width of the offsets.
#include "core/lazy.hpp"
#include "cpu/gather/gather.hpp"
#include "cpu/prepared/prepare.hpp"
#include "cpu/scatter/scatter.hpp"
#include "gathernd/backend.hpp"

namespace gathernd {
namespace {

class CpuBackend final : public Backend {
 public:
  void gather(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& output,
              const std::byte* fill_value, bool fresh) override {
    const auto run = plan.wide ? gathernd::gather<uint64_t> : gathernd::gather<uint32_t>;
    run(plan, input, indices, output, fill_value, fresh);
  }

  void scatter(const Plan& plan, const Tensor& input, const Indices& indices, const Tensor& updates,
               const Tensor& output, bool fresh) override {
    const auto run = plan.wide ? gathernd::scatter<uint64_t> : gathernd::scatter<uint32_t>;
    run(plan, input, indices, updates, output, fresh);
  }

  std::unique_ptr<PreparedTuples> prepare(const Plan& plan, const Indices& indices) override {
    return gathernd::prepare(plan, indices);
  }
};

// Made at its first use, because a program's static objects may call.
constinit ForeverShared<CpuBackend> the;

}  // namespace

Backend& cpu_backend() { return the.get(); }

}  // namespace gathernd

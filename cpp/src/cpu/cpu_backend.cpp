// The CPU backend: picks the width of the offsets.
#include "cpu/gather.hpp"
#include "cpu/scatter.hpp"
#include "gathernd/backend.hpp"

namespace gathernd {
namespace {

class CpuBackend final : public Backend {
 public:
  void gather(const Plan& plan, const Tensor& input, const Tensor& indices, const Tensor& output,
              const std::byte* fill_value, bool fresh) override {
    const auto run = plan.wide ? gathernd::gather<uint64_t> : gathernd::gather<uint32_t>;
    run(plan, input, indices, output, fill_value, fresh);
  }

  void scatter(const Plan& plan, const Tensor& input, const Tensor& indices, const Tensor& updates,
               const Tensor& output, bool fresh) override {
    const auto run = plan.wide ? gathernd::scatter<uint64_t> : gathernd::scatter<uint32_t>;
    run(plan, input, indices, updates, output, fresh);
  }
};

}  // namespace

Backend& cpu_backend() {
  static auto& backend = *new CpuBackend;  // as in kernels.cpp
  return backend;
}

}  // namespace gathernd

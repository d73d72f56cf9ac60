// A table of halves as float32 while updates are reduced into it.
#pragma once

#include <utility>

#include "d3d12/memory/kernels.hpp"

namespace gathernd::d3d12 {

class HalvesInFloats {
 public:
  // `bytes`: the size of the halves. `format`: their kind, as in reduce.hlsli.
  HalvesInFloats(Gpu& gpu, BufferPtr floats, const SubView& halves, uint64_t bytes, uint32_t format)
      : gpu_(gpu),
        halves_(halves.view),
        parameters_{static_cast<uint32_t>(bytes / 2), halves.first, format},
        groups_(groups_for(groups_for(halves.first + bytes / 2, 2))),
        floats_(std::move(floats)) {
    run(gpu_, shaders::to_float, parameters_, {halves_}, {view()}, groups_);
  }
  void round() { run(gpu_, shaders::to_half, parameters_, {view()}, {halves_}, groups_); }
  View view() const { return words(floats_, parameters_.total); }

 private:
  Gpu& gpu_;
  View halves_;
  ConvertHalvesParameters parameters_;
  uint64_t groups_;
  BufferPtr floats_;
};

}  // namespace gathernd::d3d12

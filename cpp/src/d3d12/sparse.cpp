#include "sparse.hpp"

namespace gathernd::d3d12 {

bool is_sparse(const Operands& operands, const Resolver& resolver, const Window& first) {
  const std::vector<Chunk>& chunks = resolver.chunks();
  return operands.source == nullptr && chunks.size() == 1 &&
         first.rows > limits().sparse * chunks.front().count;
}

Slots clear_slots(Gpu& gpu, Resolver& resolver, const Window& window, const View& words) {
  resolver.resolve(0, window);
  const struct {
    uint32_t count, rows;
  } parameters = {resolver.chunks().front().count, window.rows};
  const View slots = resolver.slots(0);
  run(gpu, shaders::clear_slots, parameters, {slots}, {words}, groups_for(parameters.count));
  return {slots, {}, false};
}

}  // namespace gathernd::d3d12

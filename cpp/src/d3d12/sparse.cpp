#include "sparse.hpp"

namespace gathernd::d3d12 {

bool is_sparse(const Operands& operands, const Resolver& resolver, const Window& first) {
  const std::vector<Chunk>& chunks = resolver.chunks();
  return operands.source == nullptr && chunks.size() == 1 &&
         first.rows > limits().sparse * chunks.front().count;
}

}  // namespace gathernd::d3d12

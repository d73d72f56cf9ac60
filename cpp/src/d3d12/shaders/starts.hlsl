// As bounds, but also for slots without tuples: the run of a slot ends where that of the next starts.
// A thread a slot, and one more, searches the sorted pairs.
#include "common.hlsli"

cbuffer Constants : register(b0)
{
  BoundsParameters p;
};
Buffer<uint2> pairs : register(t0);  // (slot, tuple)
RWBuffer<uint> starts : register(u0);
RWBuffer<uint> tuples : register(u1);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint i = group_of(group) * GROUP + thread.x;
  if (i < p.count) tuples[i] = pairs[i].y;
  if (i > p.rows) return;
  uint first = 0u, n = p.count;  // the start is one of the places [first, first + n]
  [loop] while (n != 0u) {
    uint middle = n / 2u;
    bool is_before = pairs[first + middle].x < i;
    first = is_before ? first + middle + 1u : first;
    n = is_before ? n - middle - 1u : middle;
  }
  starts[i] = first + 1u;
}

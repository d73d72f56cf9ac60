// The tuples of the sorted pairs, and the run of each slot: the places [starts[slot] - 1, ends[slot] - 1);
// starts stays 0 where there is none.
#include "common.hlsli"

cbuffer Constants : register(b0)
{
  BoundsParameters p;
};
Buffer<uint2> pairs : register(t0);  // (slot, tuple)
RWBuffer<uint> starts : register(u0);
RWBuffer<uint> ends : register(u1);
RWBuffer<uint> tuples : register(u2);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint i = group_of(group) * GROUP + thread.x;
  if (i >= p.count) return;
  uint2 pair = pairs[i];
  uint slot = pair.x;
  tuples[i] = pair.y;
  if (slot >= p.rows) return;
  if (i == 0u || pairs[i - 1u].x != slot) starts[slot] = i + 1u;
  if (i == p.count - 1u || pairs[i + 1u].x != slot) ends[slot] = i + 2u;
}

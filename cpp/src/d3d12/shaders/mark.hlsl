// ranks[row] of each row that reduce has listed: its place in the list. The others' stay.
#include "common.hlsli"

cbuffer Constants : register(b0)
{
  MarkParameters p;
};
Buffer<uint> longs : register(t0);
RWBuffer<uint> ranks : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint i = group_of(group) * GROUP + thread.x;
  if (i < p.listed) ranks[longs[i]] = i;
}

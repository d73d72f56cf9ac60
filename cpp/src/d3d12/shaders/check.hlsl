// Reports bad tuples, and does nothing else.
#include "common.hlsli"
#include "tuples.hlsli"

cbuffer Constants : register(b0)
{
  CheckParameters p;
};
Buffer<uint> indices : register(t0);
RWStructuredBuffer<uint> status : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint4 t = group_of(group) * (GROUP * 4u) + thread.x + kFour * GROUP;
  slots_of(p.tuples, indices, status, t, t < p.count);
}

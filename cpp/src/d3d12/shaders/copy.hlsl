// to = from, four units of 16 bytes a thread.
#include "common.hlsli"

cbuffer Constants : register(b0)
{
  CopyParameters p;
};
Buffer<uint4> from : register(t0);
RWBuffer<uint4> to : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint4 e = group_of(group) * (GROUP * 4u) + thread.x + kFour * GROUP;
  uint4 unit[4];
  uint u;
  [unroll] for (u = 0u; u < 4u; u++) unit[u] = from[e[u]];
  [unroll] for (u = 0u; u < 4u; u++) if (e[u] < p.total) to[e[u]] = unit[u];
}

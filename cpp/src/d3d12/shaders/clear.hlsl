// Sets every chunk of 16 bytes.
#include "common.hlsli"

cbuffer Constants : register(b0)
{
  ClearParameters p;
};
RWBuffer<uint4> target : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint first = group_of(group) * (GROUP * 4u) + thread.x;
  [unroll] for (uint u = 0u; u < 4u; u++) {
    uint e = first + u * GROUP;
    if (e < p.total) target[e] = uint4(p.value, p.value, p.value, p.value);
  }
}

// Writes one component of packed tuples: each index, which one or more tuples share.
#include "common.hlsli"
#include "int64.hlsli"

cbuffer Constants : register(b0)
{
  StackParameters p;
};
Buffer<uint> indices : register(t0);
RWBuffer<uint> tuples : register(u0);

#include "index.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint t = group_of(group) * GROUP + thread.x;
  if (t >= p.count) return;
  uint2 value = load_index(p.index_first + (p.start + t) / p.repeats % p.period);
  if (p.is_limited != 0u && value.y >= 0x80000000u) {
    if (p.wraps != 0u) value = mod64(value, p.axis);
    else value = uint2(NONE, 0x7fffffffu);
  }
  uint to = p.tuples_first + (t * p.depth + p.component) * p.index_words;
  tuples[to] = value.x;
  if (p.index_words == 2u) tuples[to + 1u] = value.y;
}

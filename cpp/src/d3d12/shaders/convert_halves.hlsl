// A window of float16 or bfloat16 elements to float32, or back: a thread two elements.
#include "common.hlsli"
#include "half.hlsli"

cbuffer Constants : register(b0)
{
  ConvertHalvesParameters p;
};
#if TO_FLOAT
Buffer<uint> halves : register(t0);
RWBuffer<uint> floats : register(u0);
#else
Buffer<uint> floats : register(t0);
RWBuffer<uint> halves : register(u0);
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint at = group_of(group) * GROUP + thread.x;
  if (at * 2u >= p.halves_first + p.total) return;
  uint word = halves[at];
  [unroll] for (uint s = 0u; s < 2u; s++) {
    uint e = at * 2u + s - p.halves_first;  // below 0: huge
    if (e < p.total) {
#if TO_FLOAT
      floats[e] = half_to_float((word >> (s * 16u)) & 0xffffu, p.format);
#else
      word = (word & ~(0xffffu << (s * 16u))) | (float_to_half(floats[e], p.format) << (s * 16u));
#endif
    }
  }
#if !TO_FLOAT
  halves[at] = word;
#endif
}

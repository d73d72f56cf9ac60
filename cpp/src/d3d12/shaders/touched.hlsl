// Sets the bit of each slot that a tuple has. Most are looked at first: atomics on one word are slow.
#include "common.hlsli"
#include "tuples.hlsli"

cbuffer Constants : register(b0)
{
  TouchedParameters p;
};
Buffer<uint> indices : register(t0);
RWStructuredBuffer<uint> bits : register(u0);
RWStructuredBuffer<uint> status : register(u1);

void touch(uint slot)
{
  if (slot >= p.rows) return;
  uint at = (p.first + slot) >> 5, bit = 1u << ((p.first + slot) & 31u);
  if ((bits[at] & bit) == 0u) InterlockedOr(bits[at], bit);
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint4 t = group_of(group) * (GROUP * 4u) + thread.x + kFour * GROUP;
  uint4 slot = slots_of(p.tuples, indices, status, t, t < p.count);
  touch(slot.x);
  touch(slot.y);
  touch(slot.z);
  touch(slot.w);
}

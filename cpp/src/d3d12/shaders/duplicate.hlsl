// The first tuple whose slot an earlier one has: `winners` holds the first of each slot.
#include "common.hlsli"

cbuffer Constants : register(b0)
{
  DuplicateParameters p;
};
Buffer<uint> slots : register(t0);
Buffer<uint> winners : register(t1);
RWStructuredBuffer<uint> status : register(u0);

#include "entries.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint t = group_of(group) * GROUP + thread.x;
  if (t >= p.count) return;
  uint slot = slots[t];
  if (slot < p.rows && tuple_of(winners[slot]) != t) InterlockedMin(status[p.second_at], p.base + t);
}

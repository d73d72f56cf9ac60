// The first tuple whose slot an earlier one has: `winners` holds the first of each slot.
#include "common.hlsli"

cbuffer Parameters : register(b0)
{
  uint count;  // tuples
  uint base;   // position of the first
  uint rows;   // slots
  uint second_at;
  uint code;   // as in winner.hlsl
  uint falls;
};
Buffer<uint> slots : register(t0);
Buffer<uint> winners : register(t1);
RWStructuredBuffer<uint> status : register(u0);

#include "codes.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint t = group_of(group) * GROUP + thread.x;
  if (t >= count) return;
  uint slot = slots[t];
  if (slot < rows && tuple_of(winners[slot]) != t) InterlockedMin(status[second_at], base + t);
}

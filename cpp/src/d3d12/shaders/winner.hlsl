// winners[slot] = the largest code of the slot's tuples: position + 1 where the last wins, ~position
// where the first does; 0 stays where there is none. Tuples of one slot in a group meet in groupshared
// memory first: many atomics on one word are slow.
#include "common.hlsli"
#include "tuples.hlsli"
#define BINS_LOG 11
#define ITEMS 4u  // tuples a thread
#include "bins.hlsli"

cbuffer Parameters : register(b0)
{
  Tuples tuples;
  uint count;  // tuples
  uint base;   // position of the first
  uint rows;   // slots
  uint first_wins;
};
Buffer<uint> indices : register(t0);
RWStructuredBuffer<uint> winners : register(u0);
RWStructuredBuffer<uint> status : register(u1);
groupshared uint owner[BINS];
groupshared uint best[BINS];

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint first = group_of(group) * (GROUP * ITEMS) + thread.x, u;
  uint4 t = first + kFour * GROUP;
  uint4 slot = slots_of(tuples, indices, status, t, t < count);
  uint4 code = first_wins != 0u ? ~(base + t) : base + t + 1u;
  [unroll] for (u = 0u; u < BINS / GROUP; u++) {
    owner[u * GROUP + thread.x] = 0u;
    best[u * GROUP + thread.x] = 0u;
  }
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++)
    if (slot[u] < rows) InterlockedMax(owner[bin_of(slot[u])], slot[u] + 1u);
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++)
    if (slot[u] < rows && owner[bin_of(slot[u])] == slot[u] + 1u) InterlockedMax(best[bin_of(slot[u])], code[u]);
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++)
    if (slot[u] < rows && (owner[bin_of(slot[u])] != slot[u] + 1u || best[bin_of(slot[u])] == code[u]))
      InterlockedMax(winners[slot[u]], code[u]);
}

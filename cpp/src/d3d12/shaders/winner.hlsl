// winners[slot] = the largest entry of the slot's tuples; where there is none, an earlier pass's stays.
// Tuples of one slot in a group meet in groupshared memory first: many atomics on one word are slow.
#include "common.hlsli"
#include "tuples.hlsli"
#define BINS_LOG 11
#define ITEMS 4u  // tuples a thread
#include "bins.hlsli"

cbuffer Constants : register(b0)
{
  WinnerParameters p;
};
Buffer<uint> indices : register(t0);
RWStructuredBuffer<uint> winners : register(u0);
RWStructuredBuffer<uint> status : register(u1);
#include "entries.hlsli"
groupshared uint owner[BINS];
groupshared uint best[BINS];

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint first = group_of(group) * (GROUP * ITEMS) + thread.x, u;
  uint4 t = first + kFour * GROUP;
  uint4 slot = slots_of(p.tuples, indices, status, t, t < p.count), entries = entries_of(t);
  [unroll] for (u = 0u; u < BINS / GROUP; u++) {
    owner[u * GROUP + thread.x] = 0u;
    best[u * GROUP + thread.x] = 0u;
  }
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++)
    if (slot[u] < p.rows) InterlockedMax(owner[bin_of(slot[u])], slot[u] + 1u);
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++)
    if (slot[u] < p.rows && owner[bin_of(slot[u])] == slot[u] + 1u) InterlockedMax(best[bin_of(slot[u])], entries[u]);
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++)
    if (slot[u] < p.rows && (owner[bin_of(slot[u])] != slot[u] + 1u || best[bin_of(slot[u])] == entries[u]))
      InterlockedMax(winners[slot[u]], entries[u]);
}

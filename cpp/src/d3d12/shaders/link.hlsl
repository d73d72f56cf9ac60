// Each slot's tuples as a linked list, in no order: nexts[t] is the place of a tuple + 1, or 0 at the
// end; heads[slot] the same above the floor. Tuples of one slot in a group are chained in groupshared
// memory first, so that one of them meets the slot's atomic.
#include "common.hlsli"
#include "tuples.hlsli"
#define BINS_LOG 10
#define ITEMS 8u  // tuples a thread
#include "bins.hlsli"

cbuffer Constants : register(b0)
{
  LinkParameters p;
};
Buffer<uint> indices : register(t0);
RWStructuredBuffer<uint> heads : register(u0);
RWStructuredBuffer<uint> status : register(u1);
RWBuffer<uint> nexts : register(u2);
groupshared uint owner[BINS];
groupshared uint chain[BINS];

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint first = group_of(group) * (GROUP * ITEMS) + thread.x, u;
  uint slot[ITEMS], before[ITEMS];
  [unroll] for (u = 0u; u < ITEMS; u += 4u) {
    uint4 t = first + (u + kFour) * GROUP;
    uint4 four = slots_of(p.tuples, indices, status, t, t < p.count);
    slot[u] = four.x;
    slot[u + 1u] = four.y;
    slot[u + 2u] = four.z;
    slot[u + 3u] = four.w;
  }
  [unroll] for (u = 0u; u < BINS / GROUP; u++) {
    owner[u * GROUP + thread.x] = 0u;
    chain[u * GROUP + thread.x] = 0u;
  }
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++)
    if (slot[u] < p.rows) InterlockedMax(owner[bin_of(slot[u])], slot[u] + 1u);
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++) {
    before[u] = 0u;
    if (slot[u] < p.rows && owner[bin_of(slot[u])] == slot[u] + 1u)
      InterlockedExchange(chain[bin_of(slot[u])], first + u * GROUP + 1u, before[u]);
  }
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++) {
    if (slot[u] < p.rows) {
      if (before[u] == 0u) {  // the end of its chain, or a tuple without one
        uint head = first + u * GROUP + 1u;
        if (owner[bin_of(slot[u])] == slot[u] + 1u) head = chain[bin_of(slot[u])];
        InterlockedExchange(heads[slot[u]], p.floor + head, before[u]);
        before[u] = before[u] > p.floor ? before[u] - p.floor : 0u;
      }
      nexts[first + u * GROUP] = before[u];
    }
  }
}

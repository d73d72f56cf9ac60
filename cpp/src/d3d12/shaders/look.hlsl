// Lists the units of updates, of four elements of 32 bits that only grow, that may make the table's grow, and
// reports bad tuples. A thread takes a unit of each of its tuples. Once there are more than `most`, groups no
// longer look: the list is of no use.
#include "common.hlsli"
#include "tuples.hlsli"
#include "ops.hlsli"
#define ITEMS 4u  // tuples a thread, a quarter of all apart

cbuffer Constants : register(b0)
{
  GrowParameters p;
};
Buffer<uint> indices : register(t0);
Buffer<uint4> rows : register(t1);
Buffer<uint4> table : register(t2);
RWStructuredBuffer<uint> status : register(u0);
RWBuffer<uint> listed : register(u1);
groupshared uint is_full, growing, begin;

#include "keys32.hlsli"
#include "may_grow.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint share = p.width / 4u, quarter = (p.count + 3u) / 4u, place = 0u, count = 0u, u;
  uint i = group_of(group) * GROUP + thread.x, first = i / share, column = i - first * share;
  uint4 t = first + kFour * quarter;
  if (thread.x == 0u) {
    InterlockedAdd(status[p.counter], 0u, count);  // a load could be of a cache that no other group writes to
    is_full = count + 1u > p.most ? 1u : 0u;
    growing = 0u;
  }
  uint4 slot = slots_of(p.tuples, indices, status, t, first < quarter && t < p.count);
  uint4 from = min(t, p.count - 1u) * share + column;
  GroupMemoryBarrierWithGroupSync();
  bool4 grows = slot < p.slots_end && is_full == 0u;
  [branch] if (any(grows)) {
    uint4 at = grows ? slot * share + column : (uint4)0u, v[ITEMS], before[ITEMS];
    [unroll] for (u = 0u; u < ITEMS; u++) v[u] = rows[from[u]];
    [unroll] for (u = 0u; u < ITEMS; u++) before[u] = table[at[u]];
    [unroll] for (u = 0u; u < ITEMS; u++) grows[u] = grows[u] && may_grow(before[u], v[u]);
    uint4 ones = grows ? (uint4)1u : (uint4)0u;
    uint here = ones.x + ones.y + ones.z + ones.w;
    [branch] if (here != 0u) InterlockedAdd(growing, here, place);
  }
  GroupMemoryBarrierWithGroupSync();
  if (growing == 0u) return;
  if (thread.x == 0u) InterlockedAdd(status[p.counter], growing, begin);
  GroupMemoryBarrierWithGroupSync();
  place += begin + 1u;
  [unroll] for (u = 0u; u < ITEMS; u++) {
    if (grows[u] && place < p.most) listed[place] = from[u];
    place += grows[u] ? 1u : 0u;
  }
}

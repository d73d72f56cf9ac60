// table = rows combined into it, in any order, where that cannot be told from the result. PAIRS 0: words,
// of 32-bit elements, or for and, or, xor of any; 1: sums of 64-bit integers. MERGES: the items of a group
// that go to one place meet in groupshared memory first, for many atomics on one word are slow. Nothing is
// written if one of the `stops` names a bad tuple.
#include "common.hlsli"
#include "tuples.hlsli"
#include "ops.hlsli"
#define BINS_LOG 11  // MERGES 1: a row has no more items than there are bins
#include "bins.hlsli"
#define ITEMS 4u  // a thread: of one column, a quarter of all tuples apart

cbuffer Constants : register(b0)
{
  AtomicParameters p;
};
#if PAIRS
#define ITEM uint2
#else
#define ITEM uint
#endif
Buffer<uint> indices : register(t0);
Buffer<ITEM> rows : register(t1);
RWStructuredBuffer<uint> table : register(u0);
RWStructuredBuffer<uint> status : register(u1);
RWStructuredBuffer<int> table_signed : register(u2);  // the table
groupshared uint owner[BINS];                         // slot + 1
groupshared uint low[BINS];                           // what has met
groupshared uint high[BINS];

#include "bad.hlsli"
#if PAIRS
#include "atomic64.hlsli"
#else
#include "atomic32.hlsli"
#endif

#if MERGES
// One of the items of a place becomes all of them, the others none.
void meet(uint thread, uint4 slot, uint column, inout bool4 live, inout ITEM v[ITEMS])
{
  uint4 bin;
  bool4 meets = false;
  uint u;
  [unroll] for (u = 0u; u < ITEMS; u++) bin[u] = (bin_of(slot[u]) * (BINS / p.width) >> BINS_LOG) * p.width + column;
  [unroll] for (u = 0u; u < BINS / GROUP; u++) {
    owner[u * GROUP + thread] = 0u;
    low[u * GROUP + thread] = 0u;
    if (PAIRS) high[u * GROUP + thread] = 0u;
  }
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++) if (live[u]) InterlockedMax(owner[bin[u]], slot[u] + 1u);
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++) {
    meets[u] = live[u] && owner[bin[u]] == slot[u] + 1u;
    if (meets[u]) merge(bin[u], v[u]);
  }
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (u = 0u; u < ITEMS; u++) {
    if (meets[u]) {
      uint before;
      InterlockedExchange(owner[bin[u]], 0u, before);
      live[u] = before != 0u;
      v[u] = merged(bin[u], v[u]);
    }
  }
}
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint bad = first_bad();
  uint i = group_of(group) * GROUP + thread.x, quarter = (p.count + 3u) / 4u, u;
  uint first = i / p.width, column = i - first * p.width;
  uint4 t = first + kFour * quarter;
  uint4 slot = slots_of(p.tuples, indices, status, t, first < quarter && t < p.count);
  uint4 from = p.rows_first + min(t, p.count - 1u) * p.width + column;
  ITEM v[ITEMS];
  [unroll] for (u = 0u; u < ITEMS; u++) v[u] = prepare(rows[from[u]]);
  bool4 live = slot < p.slots_end && is_good(bad);
  uint4 at = p.table_first + (live ? slot * p.width + column : (uint4)0u);
#if !PAIRS
  // What only grows is looked at first, for which what is read need not be the latest.
  [branch] if (p.op == MAX || p.op == OR) {
    uint before[ITEMS];
    [unroll] for (u = 0u; u < ITEMS; u++) before[u] = table[at[u]];
    [unroll] for (u = 0u; u < ITEMS; u++) live[u] = live[u] && !is_kept(prepare(before[u]), v[u]);
  }
#endif
#if MERGES
  meet(thread.x, slot, column, live, v);
#endif
  [unroll] for (u = 0u; u < ITEMS; u++) if (live[u]) combine(at[u], v[u]);
}

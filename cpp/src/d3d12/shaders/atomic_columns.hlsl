// As atomic, of elements of 32 bits that only grow, in rows of 4 n of them: a thread takes four columns,
// n apart, of its tuples. All are looked at together, and most need no atomic.
#include "common.hlsli"
#include "tuples.hlsli"
#include "ops.hlsli"
#define MERGES 0
#define ITEMS 4u    // of a column: a quarter of all tuples apart
#define COLUMNS 4u  // a thread

cbuffer Constants : register(b0)
{
  AtomicParameters p;
};
Buffer<uint> indices : register(t0);
Buffer<uint> rows : register(t1);
RWStructuredBuffer<uint> table : register(u0);
RWStructuredBuffer<uint> status : register(u1);
RWStructuredBuffer<int> table_signed : register(u2);  // the table

#include "bad.hlsli"
#include "atomic32.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint bad = first_bad(), share = p.width / COLUMNS;
  uint i = group_of(group) * GROUP + thread.x, quarter = (p.count + 3u) / 4u, u, c;
  uint first = i / share, column = i - first * share;
  uint4 t = first + kFour * quarter;
  uint4 slot = slots_of(p.tuples, indices, status, t, first < quarter && t < p.count);
  uint4 from = p.rows_first + min(t, p.count - 1u) * p.width + column;
  uint4 v[ITEMS], before[ITEMS];
  [unroll] for (u = 0u; u < ITEMS; u++)
    [unroll] for (c = 0u; c < COLUMNS; c++) v[u][c] = rows[from[u] + c * share];
  bool4 live = slot < p.slots_end && is_good(bad);
  uint4 at = p.table_first + (live ? slot * p.width + column : (uint4)0u);
  [unroll] for (u = 0u; u < ITEMS; u++)
    [unroll] for (c = 0u; c < COLUMNS; c++) before[u][c] = table[at[u] + c * share];
  [unroll] for (u = 0u; u < ITEMS; u++) {
    [unroll] for (c = 0u; c < COLUMNS; c++) {
      uint most = prepare(v[u][c]);
      if (live[u] && !is_kept(prepare(before[u][c]), most)) combine(at[u] + c * share, most);
    }
  }
}

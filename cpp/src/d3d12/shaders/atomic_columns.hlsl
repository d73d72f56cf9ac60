// As atomic, of elements of 32 bits that only grow, in rows of 4 n of them: a thread takes four neighbours of
// each of its tuples. All are looked at together, and most need no atomic.
#include "common.hlsli"
#include "tuples.hlsli"
#include "ops.hlsli"
#define MERGES 0
#define ITEMS 4u  // tuples a thread, a quarter of all apart

cbuffer Constants : register(b0)
{
  AtomicParameters p;
};
Buffer<uint> indices : register(t0);
Buffer<uint4> rows : register(t1);
RWStructuredBuffer<uint> table : register(u0);
RWStructuredBuffer<uint> status : register(u1);
RWStructuredBuffer<int> table_signed : register(u2);  // the table

#include "bad.hlsli"
#include "atomic32.hlsli"

// Signed numbers that order as the elements do, except NaNs.
int4 order(uint4 v)
{
  uint flip = p.kind == FLOAT ? ~SIGN : 0u, bias = p.kind == SIGNED || p.kind == FLOAT ? 0u : SIGN;
  return asint(v ^ (asuint(asint(v) >> 31) & flip) ^ (bias ^ p.complement));
}

// Whether one of the elements may grow: with few operations.
bool may_grow(uint4 before, uint4 v)
{
  [branch] if (p.op == OR) return any(((v ^ p.complement) & ~(before ^ p.complement)) != 0u);
  uint magnitude = p.kind == FLOAT ? ~SIGN : 0u;
  return any(order(v) > order(before) || (v & magnitude) > INFINITY);
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint bad = first_bad(), share = p.width / 4u;
  uint i = group_of(group) * GROUP + thread.x, quarter = (p.count + 3u) / 4u, u, c;
  uint first = i / share, column = i - first * share;
  uint4 t = first + kFour * quarter;
  uint4 slot = slots_of(p.tuples, indices, status, t, first < quarter && t < p.count);
  uint4 from = min(t, p.count - 1u) * share + column, v[ITEMS], before[ITEMS];
  [unroll] for (u = 0u; u < ITEMS; u++) v[u] = rows[from[u]];
  bool4 live = slot < p.slots_end && is_good(bad);
  uint4 at = live ? (slot * share + column) * 4u : (uint4)0u;
  [unroll] for (u = 0u; u < ITEMS; u++)
    [unroll] for (c = 0u; c < 4u; c++) before[u][c] = table[at[u] + c];
  [unroll] for (u = 0u; u < ITEMS; u++) {
    [branch] if (live[u] && may_grow(before[u], v[u])) {
      [unroll] for (c = 0u; c < 4u; c++) {
        uint most = prepare(v[u][c]);
        if (!is_kept(prepare(before[u][c]), most)) combine(at[u] + c, most);
      }
    }
  }
}

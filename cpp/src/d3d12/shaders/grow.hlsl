// answer = whether much grows: 1 if more than `most` units were counted, else 0. If not, and if no tuple was bad, it
// applies the units that look has listed, by atomics.
#include "common.hlsli"
#include "tuples.hlsli"
#include "ops.hlsli"
#define MERGES 0

cbuffer Constants : register(b0)
{
  GrowParameters p;
};
Buffer<uint> indices : register(t0);
Buffer<uint4> rows : register(t1);
Buffer<uint> listed : register(t2);
RWStructuredBuffer<uint> table : register(u0);
RWStructuredBuffer<uint> status : register(u1);
RWStructuredBuffer<int> table_signed : register(u2);  // the table
RWBuffer<uint> answer : register(u3);                 // a number of 64 bits

#include "bad.hlsli"
#include "atomic32.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint bad = first_bad(), i = group_of(group) * GROUP + thread.x, count = status[p.counter] + 1u;
  if (i == 0u) {
    answer[0] = count > p.most ? 1u : 0u;
    answer[1] = 0u;
  }
  if (i >= count || count > p.most || !is_good(bad)) return;
  uint share = p.width / 4u, unit = listed[i], t = unit / share, column = unit - t * share;
  uint slot = slots_of(p.tuples, indices, status, (uint4)t, (bool4)true).x;
  if (slot >= p.slots_end) return;
  uint4 v = rows[unit];
  [unroll] for (uint c = 0u; c < 4u; c++) {
    uint at = (slot * share + column) * 4u + c, most = prepare(v[c]);
    if (!is_kept(prepare(table[at]), most)) combine(at, most);
  }
}

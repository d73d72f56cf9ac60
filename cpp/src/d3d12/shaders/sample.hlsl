// answer = whether much grows: 1 if the part of a sample that may grow, taken of all units, is more than `most`, else
// 0. If it is, the counter says so too, and look is left out. One group takes a unit of each of 512 tuples, which are
// spread over all.
#include "common.hlsli"
#include "tuples.hlsli"
#include "ops.hlsli"
#define THREADS 128u
#define ITEMS 4u  // tuples a thread

cbuffer Constants : register(b0)
{
  GrowParameters p;
};
Buffer<uint> indices : register(t0);
Buffer<uint4> rows : register(t1);
Buffer<uint4> table : register(t2);
RWStructuredBuffer<uint> status : register(u0);
RWBuffer<uint> answer : register(u1);  // a number of 64 bits
groupshared uint growing;

#include "keys32.hlsli"
#include "may_grow.hlsli"

[numthreads(THREADS, 1, 1)]
void main(uint3 thread : SV_GroupThreadID)
{
  uint share = p.width / 4u, stride = max(p.count / (THREADS * ITEMS), 1u), here = 0u, u;
  if (thread.x == 0u) growing = 0u;
  uint4 number = kFour * THREADS + thread.x, random = (number + 1u) * 2654435761u >> 7;
  uint4 t = number * stride + random % stride, column = random % share;
  uint4 slot = slots_of(p.tuples, indices, status, t, t < p.count);
  bool4 live = slot < p.slots_end;
  uint4 from = min(t, p.count - 1u) * share + column, at = live ? slot * share + column : (uint4)0u;
  uint4 v[ITEMS], before[ITEMS];
  [unroll] for (u = 0u; u < ITEMS; u++) v[u] = rows[from[u]];
  [unroll] for (u = 0u; u < ITEMS; u++) before[u] = table[at[u]];
  [unroll] for (u = 0u; u < ITEMS; u++) here += live[u] && may_grow(before[u], v[u]) ? 1u : 0u;
  GroupMemoryBarrierWithGroupSync();
  if (here != 0u) InterlockedAdd(growing, here);
  GroupMemoryBarrierWithGroupSync();
  if (thread.x == 0u) {
    bool is_much = growing * stride * share > p.most;
    if (is_much) status[p.counter] = p.most;
    answer[0] = is_much ? 1u : 0u;
    answer[1] = 0u;
  }
}

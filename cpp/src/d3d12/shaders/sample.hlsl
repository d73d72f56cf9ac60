// answer = whether elements that only grow still do: 1 if more than `most` of a sample would, else 0. One
// group looks at an element of each of 512 tuples, which are spread over all.
#include "common.hlsli"
#include "tuples.hlsli"
#include "ops.hlsli"
#define THREADS 128u
#define ITEMS 4u  // tuples a thread

cbuffer Constants : register(b0)
{
  SampleParameters p;
};
Buffer<uint> indices : register(t0);
Buffer<uint> rows : register(t1);
Buffer<uint> table : register(t2);
RWBuffer<uint> answer : register(u0);  // a number of 64 bits
RWStructuredBuffer<uint> status : register(u1);
groupshared uint growing;

#include "keys32.hlsli"

[numthreads(THREADS, 1, 1)]
void main(uint3 thread : SV_GroupThreadID)
{
  uint stride = max(p.count / (THREADS * ITEMS), 1u), grow = 0u, u;
  if (thread.x == 0u) growing = 0u;
  uint4 sample = kFour * THREADS + thread.x, random = (sample + 1u) * 2654435761u >> 7;
  uint4 t = sample * stride + random % stride, column = random % p.width;
  uint4 slot = slots_of(p.tuples, indices, status, t, t < p.count);
  bool4 live = slot < p.slots_end;
  uint4 v = load(rows, min(t, p.count - 1u) * p.width + column);
  uint4 before = load(table, live ? slot * p.width + column : (uint4)0u);
  [unroll] for (u = 0u; u < ITEMS; u++) if (live[u] && !is_kept(prepare(before[u]), prepare(v[u]))) grow++;
  GroupMemoryBarrierWithGroupSync();
  if (grow != 0u) InterlockedAdd(growing, grow);
  GroupMemoryBarrierWithGroupSync();
  if (thread.x == 0u) {
    answer[0] = growing > p.most ? 1u : 0u;
    answer[1] = 0u;
  }
}

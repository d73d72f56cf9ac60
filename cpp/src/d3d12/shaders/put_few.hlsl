// table[slot of t] = rows[t] for each of few tuples that is its slot's last, or first; rows are words.
// Nothing is written if a tuple is bad.
#include "common.hlsli"
#include "tuples.hlsli"

cbuffer Constants : register(b0)
{
  PutFewParameters p;
};
Buffer<uint> indices : register(t0);
Buffer<uint> rows : register(t1);
RWBuffer<uint> table : register(u0);
RWStructuredBuffer<uint> status : register(u1);

#include "few.hlsli"

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint first = group_of(group) * p.share, s = thread.x / p.width, column = thread.x - s * p.width;
  bool moves = s < p.share && first + s < p.count;
  uint word = 0u;
  if (moves) word = rows[first * p.width + thread.x];  // is on its way while tuples are looked at
  resolve_few(p.tuples, p.count, indices, status, thread.x);
  compare_few(p.count, p.share, thread.x, first);
  if (!moves || few_bad != 0u) return;
  uint slot = few_slots[place_of(first + s)], others = few_after[s];
  if (p.first_wins != 0u) others = few_before[s];
  if (slot != NONE && others == 0u) table[slot * p.width + column] = word;
}

// The rank, of the listed rows, of each tuple's row; NONE where it is not listed. Other rows' ranks
// are any number.
#include "common.hlsli"
#include "tuples.hlsli"

cbuffer Constants : register(b0)
{
  RankParameters p;
};
Buffer<uint> indices : register(t0);
Buffer<uint> ranks : register(t1);
Buffer<uint> longs : register(t2);
RWBuffer<uint> keys : register(u0);
RWStructuredBuffer<uint> status : register(u1);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint4 t = group_of(group) * (GROUP * 4u) + thread.x + kFour * GROUP;
  uint4 slot = slots_of(p.tuples, indices, status, t, t < p.count);
  bool4 known = slot < p.rows;
  uint4 rank = load(ranks, known ? slot : (uint4)0u);
  uint4 row = load(longs, rank);
  rank = known && rank < p.listed && row == slot ? rank : (uint4)NONE;
  if (t.x < p.count) keys[t.x] = rank.x;
  if (t.y < p.count) keys[t.y] = rank.y;
  if (t.z < p.count) keys[t.z] = rank.z;
  if (t.w < p.count) keys[t.w] = rank.w;
}

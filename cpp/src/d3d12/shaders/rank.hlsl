// The rank, of the listed rows, of each tuple's row; NONE where it is not listed. Other rows' ranks
// are any number.
#include "common.hlsli"
#include "tuples.hlsli"

cbuffer Parameters : register(b0)
{
  Tuples tuples;
  uint count;   // tuples
  uint rows;    // slots
  uint listed;  // rows
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
  uint4 slot = slots_of(tuples, indices, status, t, t < count);
  bool4 known = slot < rows;
  uint4 rank = load(ranks, known ? slot : (uint4)0u);
  uint4 row = load(longs, rank);
  rank = known && rank < listed && row == slot ? rank : (uint4)NONE;
  if (t.x < count) keys[t.x] = rank.x;
  if (t.y < count) keys[t.y] = rank.y;
  if (t.z < count) keys[t.z] = rank.z;
  if (t.w < count) keys[t.w] = rank.w;
}

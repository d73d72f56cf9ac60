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
  uint first = group_of(group) * (GROUP * 4u) + thread.x;
  [unroll] for (uint u = 0u; u < 4u; u++) {
    uint t = first + u * GROUP;
    if (t < count) {
      uint slot = slot_of(tuples, indices, status, t), rank = NONE;
      if (slot < rows) rank = ranks[slot];
      if (rank < listed && longs[rank] != slot) rank = NONE;
      keys[t] = rank;
    }
  }
}

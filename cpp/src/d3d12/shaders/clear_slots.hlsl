// words[slot of t] = 0 for every tuple: of few tuples sooner than all the words.
#include "common.hlsli"

cbuffer Parameters : register(b0)
{
  uint count;  // tuples
  uint rows;   // slots
};
Buffer<uint> slots : register(t0);
RWBuffer<uint> words : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint t = group_of(group) * GROUP + thread.x;
  if (t < count && slots[t] < rows) words[slots[t]] = 0u;
}

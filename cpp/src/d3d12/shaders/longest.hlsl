// The tuples of the longest run, counted down from NONE.
#include "common.hlsli"

cbuffer Constants : register(b0)
{
  LongestParameters p;
};
Buffer<uint> starts : register(t0);  // as in reduce_long
Buffer<uint> ends : register(t1);
RWStructuredBuffer<uint> status : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint i = group_of(group) * GROUP + thread.x;
  if (i >= p.runs || starts[i] == 0u) return;
  InterlockedMin(status[p.longest_at], NONE - (ends[p.ends_first + i] - starts[i]));
}

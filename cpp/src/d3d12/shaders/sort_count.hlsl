// Step 1 of a pass: how often each digit comes in each block.
#include "common.hlsli"
#include "sort.hlsli"
RWBuffer<uint> counts : register(u0);
groupshared uint bins[kBins];

[numthreads(SORT_THREADS, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint block = group_of(group), i;
  if (block >= p.blocks) return;
  if (thread.x < kBins) bins[thread.x] = 0u;
  GroupMemoryBarrierWithGroupSync();
  [loop] for (i = 0u; i < ITEMS; i++) {
    uint at = block * kSortedKeys + i * SORT_THREADS + thread.x;
    if (at < p.count) InterlockedAdd(bins[digit(load_pair(at).x)], 1u);
  }
  GroupMemoryBarrierWithGroupSync();
  if (thread.x < kBins) counts[block * kBins + thread.x] = bins[thread.x];
}

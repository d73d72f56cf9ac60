// Step 2: for each digit, the keys in the blocks before, and in all. Eight digits a group.
#include "common.hlsli"
#include "sort.hlsli"
#define PARTS 128u
#define SCAN_THREADS 1024
Buffer<uint> counts : register(t2);
RWBuffer<uint> before : register(u0);
RWBuffer<uint> totals : register(u1);
groupshared uint sums[SCAN_THREADS];

[numthreads(SCAN_THREADS, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint bin = group_of(group) * kScannedBins + thread.x % kScannedBins, part = thread.x / kScannedBins;
  uint per_part = (p.blocks + PARTS - 1u) / PARTS;
  uint first = min(part * per_part, p.blocks), last = min(first + per_part, p.blocks);
  uint sum = 0u, i;
  [loop] for (i = first; i < last; i++) sum += counts[i * kBins + bin];
  uint running = sum;
  sums[thread.x] = running;
  GroupMemoryBarrierWithGroupSync();
  [loop] for (uint step = 1u; step < PARTS; step *= 2u) {
    uint other = part >= step ? sums[thread.x - step * kScannedBins] : 0u;
    GroupMemoryBarrierWithGroupSync();
    running += other;
    sums[thread.x] = running;
    GroupMemoryBarrierWithGroupSync();
  }
  running -= sum;
  [loop] for (i = first; i < last; i++) {
    before[i * kBins + bin] = running;
    running += counts[i * kBins + bin];
  }
  if (part == PARTS - 1u) totals[bin] = running;
}

// Step 3: each key to its place. 32 consecutive keys, a lane each, meet in a mask a digit: the set bits
// below one's own are the equal digits before it. The block is put in order in groupshared memory
// first: scattered stores are slow.
#include "common.hlsli"
#include "sort.hlsli"
#define LANES 32u
#define WARPS (SORT_THREADS / 32)
#define SEEN (WARPS * kBins)  // in `words`: masks, then counts; later keys, then tuples
Buffer<uint> before : register(t2);
Buffer<uint> totals : register(t3);
RWBuffer<uint2> sorted : register(u0);
groupshared uint words[2 * kSortedKeys];
groupshared uint bases[kBins];
groupshared uint sums[SORT_THREADS];

// The sum over the threads up to this one.
uint scan(uint value, uint l)
{
  sums[l] = value;
  GroupMemoryBarrierWithGroupSync();
  [loop] for (uint step = 1u; step < kBins; step *= 2u) {
    uint other = l >= step ? sums[l - step] : 0u;
    GroupMemoryBarrierWithGroupSync();
    value += other;
    sums[l] = value;
    GroupMemoryBarrierWithGroupSync();
  }
  return value;
}

[numthreads(SORT_THREADS, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint block = group_of(group), l = thread.x, i, w;
  if (block >= p.blocks) return;
  uint warp = l / LANES, lane = l % LANES;
  uint first = block * kSortedKeys + warp * (LANES * ITEMS) + lane;
  uint keys[ITEMS], tuples[ITEMS], places[ITEMS];
  [unroll] for (i = 0u; i < ITEMS; i++) {
    uint2 pair = load_pair(min(first + i * LANES, p.count - 1u));
    keys[i] = pair.x;
    tuples[i] = pair.y;
  }
  [loop] for (i = l; i < 2 * SEEN; i += SORT_THREADS) words[i] = 0u;
  uint total = l < kBins ? totals[l] : 0u;
  uint start = scan(total, l) - total;
  if (l < kBins) bases[l] = start + before[block * kBins + l];
  GroupMemoryBarrierWithGroupSync();
  // The place of each key among its warp's of the same digit.
  [unroll] for (i = 0u; i < ITEMS; i++) {
    uint mask = warp * kBins + digit(keys[i]);
    bool there = first + i * LANES < p.count;
    if (there) InterlockedOr(words[mask], 1u << lane);
    GroupMemoryBarrierWithGroupSync();
    uint bits = words[mask], seen = words[SEEN + mask];
    uint below = countbits(bits & ((1u << lane) - 1u));
    places[i] = seen + below;
    GroupMemoryBarrierWithGroupSync();
    if (there && below == 0u) {
      words[mask] = 0u;
      words[SEEN + mask] = seen + countbits(bits);
    }
    GroupMemoryBarrierWithGroupSync();
  }
  // The place of each warp's first key of a digit in the block.
  uint sum = 0u;
  if (l < kBins) [loop] for (w = 0u; w < WARPS; w++) sum += words[SEEN + w * kBins + l];
  start = scan(sum, l) - sum;
  if (l < kBins) {
    bases[l] -= start;
    [loop] for (w = 0u; w < WARPS; w++) {
      uint at = SEEN + w * kBins + l, seen = words[at];
      words[at] = start;
      start += seen;
    }
  }
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (i = 0u; i < ITEMS; i++) places[i] += words[SEEN + warp * kBins + digit(keys[i])];
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (i = 0u; i < ITEMS; i++) {
    if (first + i * LANES < p.count) {
      words[places[i]] = keys[i];
      words[kSortedKeys + places[i]] = tuples[i];
    }
  }
  GroupMemoryBarrierWithGroupSync();
  [loop] for (i = l; i < kSortedKeys; i += SORT_THREADS) {
    if (block * kSortedKeys + i < p.count) {
      uint key = words[i];
      sorted[bases[digit(key)] + i] = uint2(key, words[kSortedKeys + i]);
    }
  }
}

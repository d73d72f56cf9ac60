// table = rows reduced into it, in the order of their tuples, of few tuples. The group of a slot's first
// tuple lists the later ones and fetches their updates, which a thread a word then reduces. Nothing is
// written if a tuple is bad.
#include "common.hlsli"
#include "tuples.hlsli"
#define PARAMETERS ReduceFewParameters
#include "reduce.hlsli"
#define LOADS 8u
#define STAGE (LOADS * GROUP)  // words

Buffer<uint> indices : register(t0);
Buffer<WORDS> rows : register(t1);
RWBuffer<uint> table : register(u0);
RWStructuredBuffer<uint> status : register(u1);

#include "few.hlsli"

groupshared uint few_list[kMostFew];            // the later tuples of all slots, one slot's after the other's
groupshared UPDATE staged[STAGE + GROUP];  // each column's one after the other, and one unused

#include "apply_all.hlsli"

// Where the later tuples of the group's s-th begin in the list. Only a slot's first tuple has any.
uint begin_of(uint s)
{
  uint begin = 0u;
  [unroll] for (uint i = 0u; i < kFewShare; i++) if (i < s && few_before[i] == 0u) begin += few_after[i];
  return begin;
}

void list_few(uint thread)
{
  uint s = thread % kFewShare, block = thread / kFewShare, later = few_later[thread];
  [branch] if (later != 0u && few_before[s] == 0u) {
    uint at = begin_of(s);
    [loop] for (uint b = 0u; b < block; b++) at += countbits(few_later[b * kFewShare + s]);
    [loop] for (; later != 0u; later &= later - 1u) few_list[at++] = block * kFewBlock + firstbitlow(later);
  }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint first = group_of(group) * p.share, s = thread.x / p.width, column = thread.x - s * p.width, u;
  bool reduces = s < p.share && first + s < p.count;
  ITEM own = (ITEM)0, before = (ITEM)0;
  if (reduces) own = rows[first * p.width + thread.x];  // is on its way while tuples are looked at
  resolve_few(p.tuples, p.count, indices, status, thread.x);
  uint slot = NONE;
  if (reduces) slot = few_slots[place_of(first + s)];
  reduces = slot != NONE && few_bad == 0u;
  uint target = slot * p.width + column;
  if (reduces) before = table[target];
  compare_few(p.count, p.share, thread.x, first);
  list_few(thread.x);
  reduces = reduces && few_before[s] == 0u;
  uint begin = begin_of(s), end = begin, listed = begin_of(kFewShare);
  if (reduces) end += few_after[s];
  if (few_bad != 0u) listed = 0u;
  GroupMemoryBarrierWithGroupSync();
  ACC acc = apply(load_acc(before), prepare(own));
  uint tuples = STAGE / p.width, stride = tuples | 1u;  // of a stage; from a column's updates to the next's
  [loop] for (uint at = 0u; at < listed; at += tuples) {
    ITEM fetched[LOADS];
    [unroll] for (u = 0u; u < LOADS; u++) {
      uint i = u * GROUP + thread.x, k = i / p.width;
      fetched[u] = rows[few_list[min(at + k, listed - 1u)] * p.width + (i - k * p.width)];
    }
    [unroll] for (u = 0u; u < LOADS; u++) {
      uint i = u * GROUP + thread.x, k = i / p.width;
      if (k < tuples) staged[(i - k * p.width) * stride + k] = prepare(fetched[u]);
    }
    GroupMemoryBarrierWithGroupSync();
    uint from = max(at, begin), to = min(at + tuples, end);
    if (from < to) acc = apply_all(acc, column * stride + (from - at), to - from);
    GroupMemoryBarrierWithGroupSync();
  }
  if (reduces) table[target] = store_acc(acc);
}

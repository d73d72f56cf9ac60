// A scatter of up to kMostFew tuples, in one dispatch. Each group resolves all of them, so that it knows
// whether one is bad, and which others have the slots of its own tuples: up to kFewShare of them, from
// `first` on.
#define BLOCK_STRIDE (kFewBlock + 1u)  // so that threads read from different banks

groupshared uint few_slots[kMostFew / kFewBlock * BLOCK_STRIDE];  // NONE: left out
groupshared uint few_bad;                                // whether a tuple is bad
groupshared uint few_before[kFewShare];                          // whether an earlier tuple has the slot
groupshared uint few_after[kFewShare];                           // how many later ones do
groupshared uint few_later[GROUP];  // which do, of a block: its number * kFewShare + the group's tuple

uint place_of(uint t) { return t / kFewBlock * BLOCK_STRIDE + t % kFewBlock; }

// Fills few_slots and few_bad.
void resolve_few(TupleParameters tuples, uint count, Buffer<uint> indices, RWStructuredBuffer<uint> status, uint thread)
{
  if (thread < kFewShare) few_before[thread] = few_after[thread] = 0u;
  if (thread == 0u) few_bad = 0u;
  GroupMemoryBarrierWithGroupSync();
  uint4 t = thread + kFour * GROUP;
  bool4 live = t < count;
  uint4 slot = slots_of(tuples, indices, status, t, live);
  if (tuples.mode <= CLIP && any(live && slot == NONE)) few_bad = 1u;
  [unroll] for (uint u = 0u; u < 4u; u++) few_slots[place_of(t[u])] = slot[u];
  GroupMemoryBarrierWithGroupSync();
}

// Fills the rest. The group has `share` tuples.
void compare_few(uint count, uint share, uint thread, uint first)
{
  uint s = thread % kFewShare, block = thread / kFewShare, own = first + s, later = 0u;
  uint slot = s < share && own < count ? few_slots[place_of(own)] : NONE;
  [branch] if (slot != NONE) {
    uint same = 0u;
    [unroll] for (uint j = 0u; j < kFewBlock; j++) same |= few_slots[block * BLOCK_STRIDE + j] == slot ? 1u << j : 0u;
    uint own_block = own / kFewBlock, own_bit = 1u << (own % kFewBlock);
    uint before = block < own_block ? NONE : block == own_block ? own_bit - 1u : 0u;
    if ((same & before) != 0u) few_before[s] = 1u;
    later = same & ~(block == own_block ? before | own_bit : before);
    if (later != 0u) InterlockedAdd(few_after[s], countbits(later));
  }
  few_later[thread] = later;
  GroupMemoryBarrierWithGroupSync();
}

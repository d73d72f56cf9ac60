// A scatter of up to FEW tuples, in one dispatch. Each group resolves all of them, so that it knows whether
// one is bad, and which others have the slots of its own tuples: up to SHARE of them, from `first` on.
#define FEW 1024u
#define SHARE 8u
#define BLOCK 32u                  // tuples that a thread compares with one of the group's
#define BLOCK_STRIDE (BLOCK + 1u)  // so that threads read from different banks

groupshared uint few_slots[FEW / BLOCK * BLOCK_STRIDE];  // NONE: left out
groupshared uint few_bad;                                // whether a tuple is bad
groupshared uint few_before[SHARE];                      // whether an earlier tuple has the slot
groupshared uint few_after[SHARE];                       // how many later ones do
groupshared uint few_later[GROUP];                       // which do, of a block: its number * SHARE + the group's tuple

uint place_of(uint t) { return t / BLOCK * BLOCK_STRIDE + t % BLOCK; }

// Fills few_slots and few_bad.
void resolve_few(TupleParameters tuples, uint count, Buffer<uint> indices, RWStructuredBuffer<uint> status, uint thread)
{
  if (thread < SHARE) few_before[thread] = few_after[thread] = 0u;
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
  uint s = thread % SHARE, block = thread / SHARE, own = first + s, later = 0u;
  uint slot = s < share && own < count ? few_slots[place_of(own)] : NONE;
  [branch] if (slot != NONE) {
    uint same = 0u;
    [unroll] for (uint j = 0u; j < BLOCK; j++) same |= few_slots[block * BLOCK_STRIDE + j] == slot ? 1u << j : 0u;
    uint own_block = own / BLOCK, own_bit = 1u << (own % BLOCK);
    uint before = block < own_block ? NONE : block == own_block ? own_bit - 1u : 0u;
    if ((same & before) != 0u) few_before[s] = 1u;
    later = same & ~(block == own_block ? before | own_bit : before);
    if (later != 0u) InterlockedAdd(few_after[s], countbits(later));
  }
  few_later[thread] = later;
  GroupMemoryBarrierWithGroupSync();
}

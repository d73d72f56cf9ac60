// The slot of a tuple. DIRECT 0: resolve has worked it out. DIRECT 1: from the indices themselves,
// for up to 4 of 32 or 64 bits a tuple, in the device's byte order, into fewer than 2**31 rows, in
// every mode but wrap; each value is read once and checked before it is used.
#define CLIP_MODE 1u
#define FILL_MODE 3u

struct Tuples
{
  uint depth;
  uint index_words;  // 32-bit words an index: 1 or 2
  uint is_signed;
  uint mode;
  uint index_first;  // index of the view that this dispatch begins with
  uint per_batch;    // tuples a batch; NONE: all are in one
  uint batch_rows;
  uint base;         // slots before this dispatch's first batch
  uint bad_at;       // the word of `status` for the first bad tuple
  uint3 unused;
  uint4 dims[2];     // of each component: size, rows a step
};

#if DIRECT
uint slot_of(Tuples tuples, Buffer<uint> indices, RWStructuredBuffer<uint> status, uint t)
{
  uint slot = tuples.base;
  if (tuples.per_batch != NONE) slot += t / tuples.per_batch * tuples.batch_rows;
  bool good = true;
  [loop] for (uint k = 0u; k < tuples.depth; k++) {
    uint at = (tuples.index_first + t * tuples.depth + k) * tuples.index_words;
    uint value = indices[at], top = indices[at + tuples.index_words - 1u];
    uint4 dims = tuples.dims[k >> 1];
    uint2 dim = (k & 1u) != 0u ? dims.zw : dims.xy;
    bool negative = tuples.is_signed != 0u && (int)top < 0;
    bool fits = tuples.index_words == 1u || top == (negative ? NONE : 0u);
    if (negative) value += dim.x;
    if (!fits || value >= dim.x) {
      if (tuples.mode == CLIP_MODE && dim.x != 0u) value = negative ? 0u : dim.x - 1u;
      else good = false;
    }
    slot += value * dim.y;
  }
  if (good) return slot;
  if (tuples.mode <= CLIP_MODE) InterlockedMin(status[tuples.bad_at], t);
  return tuples.mode == FILL_MODE ? FILL : NONE;
}
#else
uint slot_of(Tuples tuples, Buffer<uint> slots, RWStructuredBuffer<uint> status, uint t)
{
  return slots[t];
}
#endif

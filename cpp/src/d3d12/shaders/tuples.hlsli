// The slots of four tuples, whose loads are under way together. Not `direct`: resolve has worked them
// out. `direct`: they come from the indices themselves, up to 4 per tuple of 32 or 64 bits in the
// device's byte order, into fewer than 2**31 rows, in every mode but wrap. What is read is checked
// before it is used, and not read again.

uint4 load(Buffer<uint> from, uint4 at) { return uint4(from[at.x], from[at.y], from[at.z], from[at.w]); }

// Where the batches of the tuples begin.
uint4 first_slots(TupleParameters tuples, uint4 t)
{
  uint4 slot = tuples.base;
  [branch] if (tuples.per_batch != NONE) slot += t / tuples.per_batch * tuples.batch_rows;
  return slot;
}

// Goes on to component k of the tuples, with these indices (`high`: their last words, which may be all).
void step(TupleParameters tuples, uint k, uint4 low, uint4 high, inout uint4 slot, inout bool4 good)
{
  uint4 dims = k < 2u ? tuples.dims_01 : tuples.dims_23;
  uint2 dim = (k & 1u) != 0u ? dims.zw : dims.xy;
  bool4 negative = (high & (tuples.is_signed != 0u ? 0x80000000u : 0u)) != 0u;
  uint4 sign = negative ? (uint4)NONE : (uint4)0u;
  bool4 fits = tuples.index_words == 1u || high == sign;
  low += sign & dim.x;
  bool4 inside = fits && low < dim.x;
  if (tuples.mode == CLIP && dim.x != 0u) {
    low = inside ? low : ~sign & (dim.x - 1u);
    inside = true;
  }
  good = good && inside;
  slot += low * dim.y;
}

// Reports the bad ones of the tuples that are `live`.
void report(TupleParameters tuples, RWStructuredBuffer<uint> status, uint4 t, bool4 live, bool4 good)
{
  if (all(good || !live) || tuples.mode > CLIP) return;
  if (live.x && !good.x) InterlockedMin(status[tuples.bad_at], t.x);
  if (live.y && !good.y) InterlockedMin(status[tuples.bad_at], t.y);
  if (live.z && !good.z) InterlockedMin(status[tuples.bad_at], t.z);
  if (live.w && !good.w) InterlockedMin(status[tuples.bad_at], t.w);
}

// `indices`: of the tuples, or their slots. NONE where a tuple is not `live`.
uint4 slots_of(TupleParameters tuples, Buffer<uint> indices, RWStructuredBuffer<uint> status, uint4 t, bool4 live)
{
  uint4 slot, other = (uint4)NONE;
  bool4 good = live;
  [branch] if (tuples.direct == 0u) {
    slot = load(indices, t);
  } else {
    slot = first_slots(tuples, t);
    [loop] for (uint k = 0u; k < tuples.depth; k++) {
      uint4 at = (tuples.index_first + t * tuples.depth + k) * tuples.index_words;
      uint4 low = load(indices, at), high = low;
      if (tuples.index_words == 2u) high = load(indices, at + 1u);
      step(tuples, k, low, high, slot, good);
    }
    report(tuples, status, t, live, good);
    other = live && tuples.mode == FILL_MODE ? (uint4)FILL : (uint4)NONE;
  }
  return good ? slot : other;
}

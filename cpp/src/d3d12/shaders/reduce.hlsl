// table = rows reduced into it, in the order of their tuples: a thread a unit of the table. Rows of
// more than LONG tuples are only counted and listed in `longs`. Nothing is written if a tuple was bad.
#include "common.hlsli"
#include "reduce.hlsli"
#define LONG 32u

Buffer<WORDS> rows : register(t0);
Buffer<uint2> pairs : register(t1);   // (slot, place of the tuple) in order, where not `lists`
Buffer<uint> heads : register(t2);    // of a slot: its first pair's place or tuple of its list, + 1; 0: none
Buffer<uint> nexts : register(t3);    // of a slot: the place after its last pair; of a tuple: the next + 1
Buffer<WORDS> source : register(t4);
RWBuffer<WORDS> table : register(u0);
RWStructuredBuffer<uint> status : register(u1);
RWStructuredBuffer<uint> longs : register(u2);
RWBuffer<uint> table_words : register(u3);  // the table: wider units cannot be read as such

WORDS load_row(uint t, uint column)
{
  uint i = rows_first + t * width + column;
  return LOAD_UNIT(rows, i);
}

#if UNIT != 1
WORDS load_table(uint e)
{
  if (copies != 0u) return source[e];
#if UNIT == 16
  return uint4(table_words[e * 4u], table_words[e * 4u + 1u], table_words[e * 4u + 2u], table_words[e * 4u + 3u]);
#elif UNIT == 8
  return uint2(table_words[e * 2u], table_words[e * 2u + 1u]);
#else
  return table[e];
#endif
}
#endif

// Keeps the four smallest in order.
uint4 insert(uint4 least, uint v) { return min(least, max(uint4(0u, least.xyz), uint4(v, v, v, v))); }

// The place of the tuple after `last` in the row's order, which is the k-th.
uint next_tuple(uint head, uint k, uint last)
{
  if (lists == 0u) return pairs[head - 1u + k].y;
  uint next = NONE;
  [loop] for (uint p = head; p != 0u; p = nexts[p - 1u]) if (p > last) next = min(next, p);
  return next - 1u;
}

#define STEP(updates) \
  { \
    [unroll] for (uint j = 0u; j < ITEMS; j++) { \
      acc[j] = quick(acc[j], prepare(ITEM_OF(updates, j))); \
      watched = watch(watched, acc[j]); \
    } \
  }

// Whether the unit at e of the window gets a new value. UNIT 1: from its old one.
bool reduce(uint e, inout WORDS unit)
{
  uint row = e / width, column = e - row * width, head = heads[row], n = 0u, i;
  if (head == 0u) return false;
#if UNIT != 1
  unit = load_table(table_first + e);
#endif
  uint4 first = uint4(NONE, NONE, NONE, NONE);  // the row's first tuples + 1
  if (lists != 0u) {
    [loop] for (uint p = head; p != 0u && n <= LONG; p = nexts[p - 1u]) {
      first = insert(first, p);
      n++;
    }
  } else {
    uint at = head - 1u, last = nexts[row] - 1u;
    n = last - at + 1u;
    first = uint4(pairs[at].y, pairs[min(at + 1u, last)].y, pairs[min(at + 2u, last)].y, pairs[min(at + 3u, last)].y) + 1u;
  }
  if (n > LONG) {
    if (column == 0u) {
      uint before;
      InterlockedAdd(status[counter], 1u, before);
      longs[before + 1u] = row;
    }
    return false;
  }
  // Up to four updates are on their way together.
  WORDS u0 = load_row(first.x - 1u, column), u1 = u0, u2 = u0, u3 = u0;
  if (n > 1u) {
    u1 = load_row(first.y - 1u, column);
    u2 = load_row((n > 2u ? first.z : first.x) - 1u, column);
    u3 = load_row((n > 3u ? first.w : first.x) - 1u, column);
  }
  matrix<uint, ITEMS, ACC_WORDS> acc;  // no array: devices would keep that in memory
  uint k = 0u;
#if QUICK
  if (n <= 4u) {
    WATCH watched = SURE;
    [unroll] for (i = 0u; i < ITEMS; i++) acc[i] = load_acc(ITEM_OF(unit, i));
    STEP(u0)
    if (n > 1u) STEP(u1)
    if (n > 2u) STEP(u2)
    if (n > 3u) STEP(u3)
    if (is_sure(watched)) k = n;
  }
#endif
  if (k == 0u) {
    [unroll] for (i = 0u; i < ITEMS; i++) acc[i] = load_acc(ITEM_OF(unit, i));
    uint last = QUICK != 0 ? 0u : first.w;  // quick ways do not keep the first updates
    [loop] for (; k < n; k++) {
      if (QUICK != 0 || k >= 4u) {
        uint t = next_tuple(head, k, last);
        u0 = load_row(t, column);
        last = t + 1u;
      }
      [unroll] for (i = 0u; i < ITEMS; i++) acc[i] = apply(acc[i], prepare(ITEM_OF(u0, i)));
      u0 = u1;
      u1 = u2;
      u2 = u3;
    }
  }
  [unroll] for (i = 0u; i < ITEMS; i++) ITEM_OF(unit, i) = store_acc(acc[i]);
  return true;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  [loop] for (uint s = 0u; s < stops; s++) if (status[s] != NONE) return;
  uint e = group_of(group) * GROUP + thread.x;
  if (e >= total) return;
#if UNIT == 1
  // A word may hold elements of several rows, and of other windows.
  uint word, per_word = 32u / bits;
  if (copies != 0u) word = source[e];
  else word = table[e];
  [loop] for (uint i = 0u; i < per_word; i++) {
    uint at = e * per_word + i - table_first, mask = (1u << bits) - 1u;  // below 0: huge
    if (at < end) {
      uint unit = (word >> (i * bits)) & mask;
      if (reduce(at, unit)) word = (word & ~(mask << (i * bits))) | ((unit & mask) << (i * bits));
    }
  }
  table[e] = word;
#else
  WORDS unit;
  if (reduce(e, unit)) table[table_first + e] = unit;
  else if (copies != 0u) table[table_first + e] = source[table_first + e];
#endif
}

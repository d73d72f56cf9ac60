// table = rows reduced into it, in the order of their tuples: `share` threads a row of the table, each
// of which looks up the row's tuples once; where UNIT is 1, a thread a word. Of a table with many more
// rows than tuples as many threads a tuple, or where UNIT is 1 a thread an element, and one tuple's
// reduce the row. Long rows are only listed. Nothing is written if a tuple was bad.
#include "common.hlsli"
#include "reduce.hlsli"
#ifndef LISTS
#define LISTS 0
#endif
#include "row_tuples.hlsli"

Buffer<WORDS> rows : register(t0);
Buffer<WORDS> source : register(t4);
RWBuffer<WORDS> table : register(u0);
#if UNIT == 1
RWStructuredBuffer<uint> table_words : register(u3);  // the table
#else
RWBuffer<uint> table_words : register(u3);  // the table: wider units cannot be read as such
#endif

WORDS load_row(uint t, uint column)
{
  uint i = p.rows_first + t * p.width + column;
  return LOAD_UNIT(rows, i);
}

#if UNIT != 1
WORDS load_table(uint e)
{
  WORDS unit;
  [branch] if (p.copies != 0u) unit = source[e];
  else [unroll] for (uint w = 0u; w < UNIT_WORDS; w++) unit[w] = table_words[e * UNIT_WORDS + w];
  return unit;
}
#endif

#define STEP(updates) \
  { \
    [unroll] for (uint j = 0u; j < ITEMS; j++) { \
      ACC before = acc[j]; \
      UPDATE update = prepare(ITEM_OF(updates, j)); \
      acc[j] = quick(before, update); \
      watched = watch_step(watched, before, update, acc[j]); \
    } \
  }

#if QUICK
// As reduce(), step by step as IEEE 754 has it: where quick() may be wrong.
WORDS reduce_exactly(WORDS unit, Found found, uint column)
{
  matrix<uint, ITEMS, ACC_WORDS> acc;
  uint i, last = 0u;
  [unroll] for (i = 0u; i < ITEMS; i++) acc[i] = load_acc(ITEM_OF(unit, i));
  [loop] for (uint k = 0u; k < found.count; k++) {
    uint t = next_tuple(found.head, k, last);
    WORDS update = load_row(t, column);
    last = t + 1u;
    [unroll] for (i = 0u; i < ITEMS; i++) acc[i] = apply(acc[i], prepare(ITEM_OF(update, i)));
  }
  [unroll] for (i = 0u; i < ITEMS; i++) ITEM_OF(unit, i) = store_acc(acc[i]);
  return unit;
}
#endif

// A unit of a row that has tuples, after their updates.
WORDS reduce(WORDS unit, Found found, uint column)
{
  uint n = found.count, i;
  // Up to four updates are on their way together.
  WORDS u0 = load_row(found.first.x - 1u, column), u1 = (WORDS)0, u2 = (WORDS)0, u3 = (WORDS)0;
  [branch] if (n > 1u) {
    u1 = load_row(found.first.y - 1u, column);
    [branch] if (n > 2u) {
      u2 = load_row(found.first.z - 1u, column);
      u3 = load_row((n > 3u ? found.first.w : found.first.z) - 1u, column);
    }
  }
  matrix<uint, ITEMS, ACC_WORDS> acc;  // no array: devices would keep that in memory
  [unroll] for (i = 0u; i < ITEMS; i++) acc[i] = load_acc(ITEM_OF(unit, i));
  uint last = found.first.w;
#if QUICK
  WATCH watched = SURE;
  STEP(u0)
  if (n > 1u) STEP(u1)
  if (n > 2u) STEP(u2)
  if (n > 3u) STEP(u3)
  [loop] for (uint k = 4u; k < n; k++) {
    uint t = next_tuple(found.head, k, last);
    u0 = load_row(t, column);
    last = t + 1u;
    STEP(u0)
  }
  [branch] if (!is_sure(watched)) return reduce_exactly(unit, found, column);
#else
  [loop] for (uint k = 0u; k < n; k++) {
    if (k >= 4u) {
      uint t = next_tuple(found.head, k, last);
      u0 = load_row(t, column);
      last = t + 1u;
    }
    [unroll] for (i = 0u; i < ITEMS; i++) acc[i] = apply(acc[i], prepare(ITEM_OF(u0, i)));
    u0 = u1;
    u1 = u2;
    u2 = u3;
  }
#endif
  [unroll] for (i = 0u; i < ITEMS; i++) ITEM_OF(unit, i) = store_acc(acc[i]);
  return unit;
}

#if UNIT == 1
// One element, of whose word others write the other elements.
void reduce_element(uint row, uint column, uint bad)
{
  if (row == NONE) return;
  Found found = look_up(row, bad, column == 0u);
  if (found.count == 0u) return;
  uint per_word = 32u / p.bits, e = p.table_first + row * p.width + column, bit = e % per_word * p.bits;
  uint before = table_words[e / per_word] >> bit, mask = (1u << p.bits) - 1u;
  uint changed = (reduce(before & mask, found, column) ^ before) & mask;
  if (is_good(bad)) InterlockedXor(table_words[e / per_word], changed << bit);
}
#endif

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint bad = first_bad();
  uint t = group_of(group) * GROUP + thread.x;
  if (t >= p.total) return;
#if UNIT == 1
  [branch] if (p.sparse_rows != 0u) {
    reduce_element(row_begun_by(t / p.width), t % p.width, bad);
    return;
  }
  // A word may hold elements of several rows, and of other windows.
  uint word, per_word = 32u / p.bits;
  if (p.copies != 0u) word = source[t];
  else word = table[t];
  [loop] for (uint i = 0u; i < per_word; i++) {
    uint e = t * per_word + i - p.table_first, mask = (1u << p.bits) - 1u;  // below 0: huge
    if (e < p.end) {
      uint row = e / p.width, column = e - row * p.width;
      Found found = look_up(row, bad, column == 0u);
      if (found.count != 0u) {
        uint unit = reduce((word >> (i * p.bits)) & mask, found, column);
        word = (word & ~(mask << (i * p.bits))) | ((unit & mask) << (i * p.bits));
      }
    }
  }
  if (is_good(bad)) table[t] = word;
#else
  uint row = t / p.share, column = t - row * p.share;
  [branch] if (p.sparse_rows != 0u) row = row_begun_by(row);
  if (row == NONE) return;
  Found found = look_up(row, bad, column == 0u);
  if (found.count == 0u && p.copies == 0u) return;
  [loop] for (; column < p.width; column += p.share) {
    uint e = p.table_first + row * p.width + column;
    WORDS unit = load_table(e);
    [branch] if (found.count != 0u) unit = reduce(unit, found, column);
    if (is_good(bad)) table[e] = unit;
  }
#endif
}

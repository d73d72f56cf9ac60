// The rows that reduce has listed: a group a row and block of columns. All threads fetch the next
// updates while a few of them reduce the present ones.
#include "common.hlsli"
#include "reduce.hlsli"
#define STAGE 1024u  // units
#define LOADS (STAGE / GROUP)
#define SOME 16u    // steps between two doubts

Buffer<WORDS> rows : register(t0);
Buffer<uint2> pairs : register(t1);  // (slot, place of the tuple) in order
Buffer<uint> starts : register(t2);  // of a slot: its first pair's place + 1
Buffer<uint> ends : register(t3);    // of a slot: the place after its last pair
Buffer<uint> longs : register(t4);
Buffer<uint> status : register(t5);
#if UNIT == 1
RWStructuredBuffer<uint> table : register(u0);
#else
RWBuffer<uint> table : register(u0);
#endif
groupshared UPDATE staged[STAGE * ITEMS];

// The place of the tuple whose update goes to unit i of the stage that begins with pair `first`.
uint tuple_of(uint i, uint first, uint end_pair) { return pairs[min(first + i / columns, end_pair - 1u)].y; }

WORDS load_row(uint t, uint column)
{
  uint i = rows_first + t * width + min(column, width - 1u);
  return LOAD_UNIT(rows, i);
}

#if ITEM_BYTES == 16
ITEM load_table(uint i) { return uint4(table[i * 4u], table[i * 4u + 1u], table[i * 4u + 2u], table[i * 4u + 3u]); }
void store_table(uint i, ITEM value, ITEM before)
{
  [unroll] for (uint w = 0u; w < 4u; w++) table[i * 4u + w] = value[w];
}
#elif ITEM_BYTES == 8
ITEM load_table(uint i) { return uint2(table[i * 2u], table[i * 2u + 1u]); }
void store_table(uint i, ITEM value, ITEM before)
{
  table[i * 2u] = value.x;
  table[i * 2u + 1u] = value.y;
}
#elif UNIT == 1
ITEM load_table(uint i) { return LOAD_UNIT(table, i); }
void store_table(uint i, ITEM value, ITEM before)  // others write the word's other elements
{
  uint changed = (value ^ before) & ((1u << bits) - 1u);
  InterlockedXor(table[i / (32u / bits)], changed << (i * bits & 31u));
}
#else
ITEM load_table(uint i) { return table[i]; }
void store_table(uint i, ITEM value, ITEM before) { table[i] = value; }
#endif

// Updates at, at + step ...: `count` of them.
ACC apply_all(ACC acc, uint at, uint step, uint count)
{
  uint k = 0u;
#if QUICK
  [loop] for (; k + SOME <= count; k += SOME) {
    ACC before = acc;
    bool doubtful = false;
    [unroll] for (uint u = 0u; u < SOME; u++) {
      acc = quick(acc, staged[at + (k + u) * step]);
      doubtful = doubtful || doubt(acc);
    }
    if (doubtful) {
      acc = before;
      [loop] for (uint v = 0u; v < SOME; v++) acc = apply(acc, staged[at + (k + v) * step]);
    }
  }
#endif
  [loop] for (; k < count; k++) acc = apply(acc, staged[at + k * step]);
  return acc;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint blocks = (width + columns - 1u) / columns, tuples = STAGE / columns, step = columns * ITEMS;
  uint work = (status[counter] + 1u) * blocks, l = thread.x, u, i;
  [loop] for (uint w = group_of(group); w < work; w += total) {
    uint row = longs[w / blocks], column = w % blocks * columns;
    uint first = starts[row] - 1u, end_pair = ends[row];
    first = min(first + done, end_pair);
    end_pair = min(end_pair, first + limit);
    bool reduces = l < step && column * ITEMS + l < width * ITEMS && first < end_pair;
    uint target = (table_first + row * width + column) * ITEMS + l;
    ITEM before = (ITEM)0;
    if (reduces) before = load_table(target);
    ACC acc = load_acc(before);
    WORDS fetched[LOADS];
    uint next[LOADS];  // the tuples of the stage after
    [unroll] for (u = 0u; u < LOADS; u++) {
      i = u * GROUP + l;
      fetched[u] = load_row(tuple_of(i, first, end_pair), column + i % columns);
      next[u] = tuple_of(i, first + tuples, end_pair);
    }
    [loop] for (; first < end_pair; first += tuples) {
      [unroll] for (u = 0u; u < LOADS; u++)
        [unroll] for (i = 0u; i < ITEMS; i++)
          staged[(u * GROUP + l) * ITEMS + i] = prepare(ITEM_OF(fetched[u], i));
      GroupMemoryBarrierWithGroupSync();
      if (first + tuples < end_pair) {
        [unroll] for (u = 0u; u < LOADS; u++) {
          i = u * GROUP + l;
          fetched[u] = load_row(next[u], column + i % columns);
          next[u] = tuple_of(i, first + 2u * tuples, end_pair);
        }
      }
      if (reduces) acc = apply_all(acc, l, step, min(tuples, end_pair - first));
      GroupMemoryBarrierWithGroupSync();
    }
    if (reduces) store_table(target, store_acc(acc), before);
  }
}

// The rows that reduce has listed: a group takes some of them, each a block of columns. The last
// threads reduce what the others have fetched, while those fetch the next updates. Of all updates of
// a group, one row's after the other's, a dispatch takes those from `done` on, up to `limit`.
#include "common.hlsli"
#include "reduce.hlsli"
#if HALVES
#define LOADS 2
#else
#define LOADS 4
#endif
#define STAGE (LOADS * GROUP)  // units
#define THREADS 288            // GROUP and 32 that reduce

Buffer<WORDS> rows : register(t0);
Buffer<uint> tuples : register(t1);  // by slot
Buffer<uint> starts : register(t2);  // of a slot: the place of its run in `tuples`, + 1
Buffer<uint> ends : register(t3);    // of a slot: the place after its run, + 1, `ends_first` words on
Buffer<uint> longs : register(t4);
Buffer<uint> status : register(t5);
#if UNIT == 1
RWStructuredBuffer<uint> table : register(u0);
#else
RWBuffer<uint> table : register(u0);
#endif
groupshared UPDATE staged[(STAGE + kColumns) * ITEMS];  // each item's one after the other, and one unused

// The tuple whose update goes to unit i of the stage that begins at place `first`.
uint tuple_of(uint i, uint first, uint end) { return tuples[min(first + i / p.columns, end - 1u)]; }

WORDS load_row(uint t, uint column)
{
  uint i = p.rows_first + t * p.width + min(column, p.width - 1u);
  return LOAD_UNIT(rows, i);
}

#if UNIT == 1
ITEM load_table(uint i) { return LOAD_UNIT(table, i); }
void store_table(uint i, ITEM value, ITEM before)  // others write the word's other elements
{
  uint changed = (value ^ before) & ((1u << p.bits) - 1u);
  InterlockedXor(table[i / (32u / p.bits)], changed << (i * p.bits & 31u));
}
#else
ITEM load_table(uint i)
{
  vector<uint, ITEM_WORDS> words;
  [unroll] for (uint w = 0u; w < ITEM_WORDS; w++) words[w] = table[i * ITEM_WORDS + w];
  return words;
}
void store_table(uint i, ITEM value, ITEM before)
{
  vector<uint, ITEM_WORDS> words = value;
  [unroll] for (uint w = 0u; w < ITEM_WORDS; w++) table[i * ITEM_WORDS + w] = words[w];
}
#endif

#include "apply_all.hlsli"

[numthreads(THREADS, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint blocks = (p.width + p.columns - 1u) / p.columns, step = STAGE / p.columns, u, i;
  uint work = (status[p.counter] + 1u) * blocks;
  uint l = thread.x, item = l - GROUP;  // that a thread fetches first, or reduces
  uint stride = step + 1u;              // from an item's updates to the next's
  bool fetches = l < GROUP;
  vector<uint, LOADS> places;           // of a unit's first item, in `staged`
  [unroll] for (u = 0u; u < LOADS; u++) {
    i = u * GROUP + l;
    places[u] = i % p.columns * ITEMS * stride + i / p.columns;
  }
  uint begin = 0u;  // of the row's updates among the group's
  [loop] for (uint w = group_of(group); w < work; w += p.total) {
    uint row = longs[w / blocks], column = w % blocks * p.columns;
    uint run = p.ranked != 0u ? w / blocks : row;
    uint start = starts[run] - 1u, count = ends[p.ends_first + run] - 1u - start;
    uint first = start + min(max(p.done, begin) - begin, count);
    uint end = start + min(max(p.done + p.limit, begin) - begin, count);
    begin += count;
    bool reduces = item < min(p.columns, p.width - column) * ITEMS && first < end;
    uint target = (p.table_first + row * p.width + column) * ITEMS + item;
    ITEM before = (ITEM)0;
    if (reduces) before = load_table(target);
    ACC acc = load_acc(before);
    matrix<uint, LOADS, UNIT_WORDS> fetched;
    vector<uint, LOADS> next;  // the tuples of the stage after
    [unroll] for (u = 0u; u < LOADS; u++) {
      i = u * GROUP + l;
      fetched[u] = load_row(tuple_of(i, first, end), column + i % p.columns);
      next[u] = tuple_of(i, first + step, end);
    }
    [loop] for (; first < end; first += step) {
      if (fetches) {
        [unroll] for (u = 0u; u < LOADS; u++)
          [unroll] for (i = 0u; i < ITEMS; i++)
            staged[places[u] + i * stride] = prepare(ITEM_OF(fetched[u], i));
      }
      GroupMemoryBarrierWithGroupSync();
      if (fetches && first + step < end) {
        [unroll] for (u = 0u; u < LOADS; u++) {
          i = u * GROUP + l;
          fetched[u] = load_row(next[u], column + i % p.columns);
          next[u] = tuple_of(i, first + 2u * step, end);
        }
      }
      if (reduces) acc = apply_all(acc, item * stride, min(step, end - first));
      GroupMemoryBarrierWithGroupSync();
    }
    if (reduces) store_table(target, store_acc(acc), before);
  }
}

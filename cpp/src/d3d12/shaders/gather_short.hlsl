// rows[t] = table[slot of t] for rows of WIDTH bytes, 1 to 4, and tuples of DEPTH, 1 to 3, in every mode
// but fill: a thread takes four tuples next to each other, whose indices and rows are whole words. It
// may write up to three rows beyond the last tuple's: their own dispatch comes later, or they are nobody's.
#include "common.hlsli"
#undef GROUP
#define GROUP 64u  // as in gather.hlsl
#include "tuples.hlsli"

cbuffer Constants : register(b0)
{
  GatherShortParameters p;
};
Buffer<uint4> indices : register(t0);
Buffer<uint> table : register(t1);
#if WIDTH == 4
RWBuffer<uint4> rows : register(u0);
#else
RWBuffer<uint> rows : register(u0);
#endif
RWStructuredBuffer<uint> status : register(u1);

uint4 slots_of_four(uint i)
{
  uint j, k, quad = (p.tuples.index_first >> 2) * p.tuples.index_words + i * DEPTH * p.tuples.index_words;
  uint4 low[DEPTH], high[DEPTH], loaded[2 * DEPTH];
  [unroll] for (k = 0u; k < DEPTH; k++) loaded[k] = indices[quad + k];
  if (p.tuples.index_words == 1u) {
    [unroll] for (k = 0u; k < DEPTH; k++)
      [unroll] for (j = 0u; j < 4u; j++)
        low[k][j] = high[k][j] = loaded[(j * DEPTH + k) / 4u][(j * DEPTH + k) % 4u];
  } else {
    [unroll] for (k = DEPTH; k < 2u * DEPTH; k++) loaded[k] = indices[quad + k];
    [unroll] for (k = 0u; k < DEPTH; k++)
      [unroll] for (j = 0u; j < 4u; j++) {
        low[k][j] = loaded[(j * DEPTH + k) / 2u][(j * DEPTH + k) % 2u * 2u];
        high[k][j] = loaded[(j * DEPTH + k) / 2u][(j * DEPTH + k) % 2u * 2u + 1u];
      }
  }
  uint4 t = i * 4u + kFour, slot = first_slots(p.tuples, t);
  bool4 live = t < p.count, good = live;
  [unroll] for (k = 0u; k < DEPTH; k++) step(p.tuples, k, low[k], high[k], slot, good);
  report(p.tuples, status, t, live, good);
  return good ? slot : (uint4)0u;
}

// The row in the lowest bytes of each word.
uint4 load_rows(uint4 slot)
{
  uint4 at = p.table_first + slot * WIDTH, bit = (at & 3u) * 8u, word = at >> 2;
  uint4 row = load(table, word);
#if WIDTH == 4
  return row;
#else
  row >>= bit;
#if WIDTH == 3
  bool4 more = bit > 8u;
  uint4 next = load(table, more ? word + 1u : word);
  row |= more ? next << ((32u - bit) & 31u) : (uint4)0u;
#endif
  return row & ((1u << (WIDTH * 8u)) - 1u);
#endif
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint i = group_of(group) * GROUP + thread.x, o = i * WIDTH;
  if (o >= p.end) return;
  uint4 row = load_rows(slots_of_four(i));
#if WIDTH == 4
  rows[p.rows_first + i] = row;
#elif WIDTH == 3
  rows[p.rows_first + o] = row.x | row.y << 24;
  if (o + 1u < p.end) rows[p.rows_first + o + 1u] = row.y >> 8 | row.z << 16;
  if (o + 2u < p.end) rows[p.rows_first + o + 2u] = row.z >> 16 | row.w << 8;
#elif WIDTH == 2
  rows[p.rows_first + o] = row.x | row.y << 16;
  if (o + 1u < p.end) rows[p.rows_first + o + 1u] = row.z | row.w << 16;
#else
  rows[p.rows_first + o] = row.x | row.y << 8 | row.z << 16 | row.w << 24;
#endif
}

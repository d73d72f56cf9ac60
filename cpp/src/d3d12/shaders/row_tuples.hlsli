// The tuples of a row of the table. Rows of more than LONG of them are counted and listed in `longs`.
#define LONG 32u

Buffer<uint2> pairs : register(t1);   // (slot, place of the tuple) in order; of `lists`: the tuples' slots
Buffer<uint> heads : register(t2);    // of a slot: its first pair's place or tuple of its list, + 1 + `floor`;
                                      //   else no more than `floor`
Buffer<uint> nexts : register(t3);    // of a slot: the place after its last pair; of a tuple: the next + 1
RWStructuredBuffer<uint> status : register(u1);
RWStructuredBuffer<uint> longs : register(u2);

// Keeps the four smallest in order.
uint4 insert(uint4 least, uint v) { return min(least, max(uint4(0u, least.xyz), uint4(v, v, v, v))); }

#include "bad.hlsli"

// The place of a row's first pair or tuple, + 1; 0: none.
uint head_of(uint row)
{
  uint head = heads[row];
  return head > p.floor ? head - p.floor : 0u;
}

struct Found
{
  uint head;    // as head_of
  uint count;   // of its tuples; 0 where there are more than LONG
  uint4 first;  // the first of them, + 1
};

// Looks up the tuples of a row, which is listed where it is long and the caller `lists_long`.
Found look_up(uint row, uint bad, bool lists_long)
{
  Found found;
  found.head = head_of(row);
  found.count = 0u;
  found.first = uint4(NONE, NONE, NONE, NONE);
  [branch] if (p.lists != 0u) {
    [loop] for (uint at = found.head; at != 0u && found.count <= LONG; at = nexts[at - 1u]) {
      found.first = insert(found.first, at);
      found.count++;
    }
  } else if (found.head != 0u) {
    uint at = found.head - 1u, last = nexts[row] - 1u;
    found.count = last - at + 1u;
    found.first.x = pairs[at].y + 1u;
    [branch] if (at != last)
      found.first.yzw = uint3(pairs[at + 1u].y, pairs[min(at + 2u, last)].y, pairs[min(at + 3u, last)].y) + 1u;
  }
  if (found.count > LONG) {
    if (lists_long && is_good(bad)) {
      uint before;
      InterlockedAdd(status[p.counter], 1u, before);
      longs[before + 1u] = row;
    }
    found.count = 0u;
  }
  return found;
}

// The row whose run or list begins at the place of a pair or tuple, or NONE.
uint row_begun_by(uint place)
{
  uint row = pairs[place].x;
  if (row >= p.sparse_rows || head_of(row) != place + 1u) row = NONE;
  return row;
}

// The place of the tuple after `last` in the row's order, which is the k-th.
uint next_tuple(uint head, uint k, uint last)
{
  if (p.lists == 0u) return pairs[head - 1u + k].y;
  uint next = NONE;
  [loop] for (uint at = head; at != 0u; at = nexts[at - 1u]) if (at > last) next = min(next, at);
  return next - 1u;
}

// The tuples of a row of the table: a list where LISTS is 1, else a run of the tuples sorted by slot.
// Rows of more than kLong of them are counted and listed in `longs`.

Buffer<uint> slots : register(t1);  // of the tuples
#if LISTS
Buffer<uint> heads : register(t2);  // of a slot: a tuple of its list, + 1 + `floor`; else no more than `floor`
Buffer<uint> nexts : register(t3);  // of a tuple: the next of its list, + 1; else 0
#else
Buffer<uint> starts : register(t2);  // of a slot: the place of its run in `tuples`, + 1; else 0
Buffer<uint> ends : register(t3);    // of a slot: the place after its run, + 1, `ends_first` words on
Buffer<uint> tuples : register(t5);  // by slot
#endif
RWStructuredBuffer<uint> status : register(u1);
RWStructuredBuffer<uint> longs : register(u2);

// Keeps the four smallest in order.
uint4 insert(uint4 least, uint v) { return min(least, max(uint4(0u, least.xyz), uint4(v, v, v, v))); }

#include "bad.hlsli"

// A tuple of a row's list, or the place of its run; + 1. 0: none.
uint head_of(uint row)
{
#if LISTS
  uint head = heads[row];
  return head > p.floor ? head - p.floor : 0u;
#else
  return starts[row];
#endif
}

struct Found
{
  uint head;    // as head_of
  uint count;   // of its tuples; 0 where there are more than kLong
  uint4 first;  // the first of them, + 1
};

// Looks up the tuples of a row, which is listed where it is long and the caller `lists_long`.
Found look_up(uint row, uint bad, bool lists_long)
{
  Found found;
  found.head = head_of(row);
  found.count = 0u;
  found.first = uint4(NONE, NONE, NONE, NONE);
#if LISTS
  [loop] for (uint at = found.head; at != 0u && found.count <= kLong; at = nexts[at - 1u]) {
    found.first = insert(found.first, at);
    found.count++;
  }
#else
  uint end = ends[p.ends_first + row];
  [branch] if (found.head != 0u && end != found.head) {
    uint at = found.head - 1u, last = end - 2u;
    found.count = end - found.head;
    found.first.x = tuples[at] + 1u;
    [branch] if (at != last)
      found.first.yzw = uint3(tuples[at + 1u], tuples[min(at + 2u, last)], tuples[min(at + 3u, last)]) + 1u;
  }
#endif
  if (found.count > kLong) {
    if (lists_long && is_good(bad)) {
      uint before;
      InterlockedAdd(status[p.counter], 1u, before);
      longs[before + 1u] = row;
    }
    found.count = 0u;
  }
  return found;
}

// The row whose run or list begins with the tuple, or NONE.
uint row_begun_by(uint t)
{
  uint row = slots[t];
  [branch] if (row >= p.sparse_rows) return NONE;
  uint head = head_of(row);
#if !LISTS
  head = tuples[head - 1u] + 1u;
#endif
  return head == t + 1u ? row : NONE;
}

// The place of the tuple after `last` in the row's order, which is the k-th.
uint next_tuple(uint head, uint k, uint last)
{
#if LISTS
  uint next = NONE;
  [loop] for (uint at = head; at != 0u; at = nexts[at - 1u]) if (at > last) next = min(next, at);
  return next - 1u;
#else
  return tuples[head - 1u + k];
#endif
}

// A stable sort of (slot, tuple) by slot: least significant digit first, in blocks of keys.
#define SORT_THREADS 256
#define ITEMS (kSortedKeys / SORT_THREADS)

cbuffer Constants : register(b0)
{
  SortParameters p;
};
Buffer<uint> slots : register(t0);
Buffer<uint2> pairs : register(t1);

uint digit(uint key) { return (key >> p.shift) & (kBins - 1u); }

uint2 load_pair(uint i)
{
  if (p.first_pass != 0u) return uint2(min(slots[i], p.rows), i);
  return pairs[i];
}

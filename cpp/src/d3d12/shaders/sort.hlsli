// A stable sort of (slot, tuple) by slot: least significant digit first, in blocks of keys.
#define DIGIT_BITS 7
#define BINS (1 << DIGIT_BITS)
#define SORT_THREADS 256
#define BLOCK 2048
#define ITEMS (BLOCK / SORT_THREADS)

cbuffer Parameters : register(b0)
{
  uint count;       // keys
  uint rows;        // slots from here on are of tuples left out: they go to the end
  uint shift;       // of the digit
  uint blocks;
  uint first_pass;  // keys come from `slots`, and each tuple is its own place
};
Buffer<uint> slots : register(t0);
Buffer<uint2> pairs : register(t1);

uint digit(uint key) { return (key >> shift) & (BINS - 1u); }

uint2 load_pair(uint i)
{
  if (first_pass != 0u) return uint2(min(slots[i], rows), i);
  return pairs[i];
}

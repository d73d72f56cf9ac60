// Index tuples -> slots: the row of the table's window that a tuple points to. Every value is checked
// in both its words, against its own dimension, before anything is multiplied.
#include "common.hlsli"
#include "int64.hlsli"
#define FEW_DIMS 4

cbuffer Parameters : register(b0)
{
  uint4 dim_0;      // of each component: size, rows a step; no array, for root constants are not
  uint4 dim_1;      //   to be indexed
  uint4 dim_2;
  uint4 dim_3;
  uint count;       // tuples
  uint depth;       // indices a tuple
  uint size_log;    // bytes an index: 1, 2, 4, 8 as 0, 1, 2, 3
  uint is_signed;
  uint mode;
  uint index_first; // index of the view that this dispatch begins with
  uint per_batch;   // tuples a batch; NONE: all are in one
  uint bad_at;      // the word of `status` for the first bad tuple
  uint2 base;       // rows before this dispatch's first batch, less those before the window
  uint2 batch_rows;
  uint window_rows;
  uint swapped;     // the indices have the other byte order
  uint wraps;       // negative indices count from the end
};
Buffer<uint> indices : register(t0);
Buffer<uint4> many_dims : register(t1);  // the same, where depth is above FEW_DIMS
RWBuffer<uint> slots : register(u0);
RWStructuredBuffer<uint> status : register(u1);

uint swap_bytes(uint word)
{
  word = (word << 16) | (word >> 16);
  return ((word & 0x00ff00ffu) << 8) | ((word >> 8) & 0x00ff00ffu);
}

uint2 load_index(uint i)
{
  if (size_log == 3u) {
    uint2 pair = uint2(indices[i * 2u], indices[i * 2u + 1u]);
    if (swapped != 0u) pair = uint2(swap_bytes(pair.y), swap_bytes(pair.x));
    return pair;
  }
  uint bits = 8u << size_log, per_word = 2u - size_log;
  uint word = indices[i >> per_word];
  uint left = 32u - bits, at = (i & ((1u << per_word) - 1u)) * bits;
  word = (word >> at) << left;  // the value's top bit is the word's
  if (swapped != 0u) word = swap_bytes(word) << left;
  if (is_signed == 0u) return uint2(word >> left, 0u);
  int value = (int)word >> left;
  return uint2((uint)value, (uint)(value >> 31));
}

// The row of dimension `size` that `value` means; false if there is none.
bool find(inout uint2 value, uint2 size)
{
  bool negative = is_signed != 0u && (int)value.y < 0;
  if (mode == WRAP) {
    if ((size.x | size.y) == 0u) return false;
    uint2 rest = mod64(negative ? sub64(uint2(0u, 0u), value) : value, size);
    value = negative && (rest.x | rest.y) != 0u ? sub64(size, rest) : rest;
    return true;
  }
  if (negative && wraps != 0u) value = add64(value, size);
  if (less64(value, size)) return true;
  if (mode != CLIP || (size.x | size.y) == 0u) return false;
  value = negative ? uint2(0u, 0u) : sub64(size, uint2(1u, 0u));
  return true;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint t = group_of(group) * GROUP + thread.x;
  if (t >= count) return;
  uint2 row = base;
  if (per_batch != NONE) row = add64(row, mul64(uint2(t / per_batch, 0u), batch_rows));
  bool good = true;
  [loop] for (uint k = 0u; k < depth; k++) {
    uint2 value = load_index(index_first + t * depth + k);
    uint4 dim = many_dims[k];
    if (depth <= FEW_DIMS) dim = k < 2u ? (k == 0u ? dim_0 : dim_1) : (k == 2u ? dim_2 : dim_3);
    if (find(value, dim.xy)) row = add64(row, mul64(value, dim.zw));
    else good = false;
  }
  if (good) {
    slots[t] = less64(row, uint2(window_rows, 0u)) ? row.x : NONE;
  } else {
    slots[t] = mode == FILL_MODE ? FILL : NONE;
    if (mode <= WRAP) InterlockedMin(status[bad_at], t);
  }
}

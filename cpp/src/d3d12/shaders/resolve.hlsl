// Index tuples -> slots: the row of the table's window that a tuple points to. Every value is checked
// in both its words, against its own dimension, before anything is multiplied.
#include "common.hlsli"
#include "int64.hlsli"
#define FEW_DIMS 4

cbuffer Constants : register(b0)
{
  ResolveParameters p;
};
Buffer<uint> indices : register(t0);
Buffer<uint4> many_dims : register(t1);  // the same, where depth is above FEW_DIMS
RWBuffer<uint> slots : register(u0);
RWStructuredBuffer<uint> status : register(u1);

#include "index.hlsli"

// The row of dimension `size` that `value` means; false if there is none.
bool find(inout uint2 value, uint2 size)
{
  bool negative = p.is_signed != 0u && (int)value.y < 0;
  if (p.mode == WRAP) {
    if ((size.x | size.y) == 0u) return false;
    uint2 rest = mod64(negative ? sub64(uint2(0u, 0u), value) : value, size);
    value = negative && (rest.x | rest.y) != 0u ? sub64(size, rest) : rest;
    return true;
  }
  if (negative && p.wraps != 0u) value = add64(value, size);
  if (less64(value, size)) return true;
  if (p.mode != CLIP || (size.x | size.y) == 0u) return false;
  value = negative ? uint2(0u, 0u) : sub64(size, uint2(1u, 0u));
  return true;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint t = group_of(group) * GROUP + thread.x;
  if (t >= p.count) return;
  uint2 row = p.base;
  if (p.per_batch != NONE) row = add64(row, mul64(uint2(t / p.per_batch, 0u), p.batch_rows));
  bool good = true;
  [loop] for (uint k = 0u; k < p.depth; k++) {
    uint2 value = load_index(p.index_first + t * p.depth + k);
    uint4 dim = many_dims[k];
    if (p.depth <= FEW_DIMS) dim = k < 2u ? (k == 0u ? p.dim_0 : p.dim_1) : (k == 2u ? p.dim_2 : p.dim_3);
    if (find(value, dim.xy)) row = add64(row, mul64(value, dim.zw));
    else good = false;
  }
  if (good) {
    slots[t] = less64(row, uint2(p.window_rows, 0u)) ? row.x : NONE;
  } else {
    slots[t] = p.mode == FILL_MODE ? FILL : NONE;
    if (p.mode <= WRAP) InterlockedMin(status[p.bad_at], t);
  }
}

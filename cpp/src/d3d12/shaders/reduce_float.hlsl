// add, sub and mul into float32, of float32 (kind 0), float16 or bfloat16 rows.
#include "common.hlsli"
#include "int64.hlsli"
#include "float32.hlsli"
#include "half.hlsli"
#include "runs.hlsli"

uint load(uint i)
{
  if (kind == 0u) return rows[i];
  return half_to_float((rows[i >> 1] >> ((i & 1u) * 16u)) & 0xffffu, kind);
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint e = group_of(group) * GROUP + thread.x;
  if (e >= total || stopped()) return;
  uint row = e / width, column = e - row * width;
  uint2 run = run_of(row);
  if (run.x >= run.y) return;
  uint value = table[table_first + e];
  [loop] for (uint i = run.x; i < run.y; i++) {
    uint update = load(rows_first + pairs[i].y * width + column);
    if (op == MUL) value = mul_float(value, update);
    else value = add_float(value, op == SUB ? update ^ SIGN : update);
  }
  table[table_first + e] = value;
}

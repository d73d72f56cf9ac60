// Integers and bools of up to 32 bits, and min and max of floats of up to 32: a thread a word, which
// may hold elements of several rows.
#include "common.hlsli"
#include "runs.hlsli"
#define SIGNED 1u
#define BOOL 2u
#define FLOAT 3u   // float32, and bfloat16, which is its upper half
#define HALF 4u

// min and max compare keys, which order as the values do; NaN is at the far end that always wins.
uint to_key(uint value)
{
  uint left = 32u - (8u << size_log);
  if (kind == SIGNED) return (value << left) ^ 0x80000000u;
  if (kind != FLOAT && kind != HALF) return value;
  value <<= left;
  if ((value & 0x7fffffffu) > (kind == HALF ? 0x7c000000u : 0x7f800000u)) return op == MIN ? 0u : 0xffffffffu;
  return (value & 0x80000000u) != 0u ? ~value : value | 0x80000000u;
}

uint from_key(uint key)
{
  uint left = 32u - (8u << size_log);
  if (kind == SIGNED) return (key ^ 0x80000000u) >> left;
  if (kind != FLOAT && kind != HALF) return key;
  return ((key & 0x80000000u) != 0u ? key ^ 0x80000000u : ~key) >> left;
}

uint apply(uint a, uint b)
{
  switch (op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case MIN: return min(a, b);
    case MAX: return max(a, b);
    case AND: return a & b;
    case OR: return a | b;
    default: return a ^ b;
  }
}

// Element i of the view whose words hold several.
uint extract(uint word, uint i)
{
  uint bits = 8u << size_log, at = (i & ((4u >> size_log) - 1u)) * bits;
  return size_log == 2u ? word : (word >> at) & ((1u << bits) - 1u);
}

uint load(uint value)
{
  if (kind == BOOL) return value != 0u ? 1u : 0u;
  return op == MIN || op == MAX ? to_key(value) : value;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  if (stopped()) return;
  uint at = group_of(group) * GROUP + thread.x, per_word = 4u >> size_log, log = 2u - size_log;
  if (at * per_word >= table_first + total) return;
  uint word = table[at], bits = 8u << size_log, mask = size_log == 2u ? 0xffffffffu : (1u << bits) - 1u;
  bool changed = false;
  [loop] for (uint s = 0u; s < per_word; s++) {
    uint e = at * per_word + s - table_first;  // below 0: huge
    if (e < total) {
      uint row = e / width, column = e - row * width;
      uint2 run = run_of(row);
      if (run.x < run.y) {
        uint value = load(extract(word, s));
        [loop] for (uint i = run.x; i < run.y; i++) {
          uint from = rows_first + pairs[i].y * width + column;
          value = apply(value, load(extract(rows[from >> log], from)));
        }
        if (kind != BOOL && (op == MIN || op == MAX)) value = from_key(value);
        word = (word & ~(mask << (s * bits))) | ((value & mask) << (s * bits));
        changed = true;
      }
    }
  }
  if (changed) table[at] = word;
}

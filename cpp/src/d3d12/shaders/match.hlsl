// positions[e] = the row of element e if a[e] and b[e] are the same, else -1: signed integers of 64
// bits. All NaNs are the same, and so are all bools that are true.
#include "common.hlsli"

cbuffer Constants : register(b0)
{
  MatchParameters p;
};
Buffer<uint> a : register(t0);
Buffer<uint> b : register(t1);
RWBuffer<uint2> positions : register(u0);

// The lower and the upper word of an element; of up to 32 bits, 0 and the element.
uint2 pair_at(uint2 words, uint e)
{
  uint shift = (e << p.size_log << 3) & 31u;
  uint element = (words.x >> shift) & p.ones;
  return p.size_log == 3u ? words : uint2(0u, p.truth != 0u ? min(element, 1u) : element);
}

// The number of the word that holds an element, or its lower half.
uint word_of(uint e) { return p.size_log == 3u ? e * 2u : e >> (2u - p.size_log); }

bool is_nan(uint2 e)
{
  uint magnitude = e.y & (p.ones >> 1);
  return magnitude > p.infinity || (magnitude == p.infinity && e.x != 0u);
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
  uint at = group_of(group) * GROUP + thread.x;
  if (at >= p.total) return;
  uint upper = p.size_log == 3u ? 1u : 0u;
  uint a_at = word_of(p.a_first + at), b_at = word_of(p.b_first + at);
  uint2 of_a = pair_at(uint2(a[a_at], a[a_at + upper]), p.a_first + at);
  uint2 of_b = pair_at(uint2(b[b_at], b[b_at + upper]), p.b_first + at);
  bool same = all(of_a == of_b) || (is_nan(of_a) && is_nan(of_b));
  positions[p.positions_first + at] = same ? uint2(p.row + at / p.width, 0u) : uint2(NONE, NONE);
}

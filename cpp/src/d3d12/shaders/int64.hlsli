// 64-bit integers as (low, high) words: shader model 5 has none.
uint2 add64(uint2 a, uint2 b)
{
  uint low = a.x + b.x;
  return uint2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}

uint2 sub64(uint2 a, uint2 b)
{
  return uint2(a.x - b.x, a.y - b.y - (a.x < b.x ? 1u : 0u));
}

bool less64(uint2 a, uint2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }

// The whole product of two words.
uint2 mul32(uint a, uint b)
{
  uint a0 = a & 0xffffu, a1 = a >> 16, b0 = b & 0xffffu, b1 = b >> 16;
  uint low = a0 * b0, m0 = a1 * b0, m1 = a0 * b1;
  uint middle = (low >> 16) + (m0 & 0xffffu) + (m1 & 0xffffu);
  return uint2((low & 0xffffu) | (middle << 16), a1 * b1 + (m0 >> 16) + (m1 >> 16) + (middle >> 16));
}

// The product modulo 2**64.
uint2 mul64(uint2 a, uint2 b)
{
  uint2 result = mul32(a.x, b.x);
  result.y += a.x * b.y + a.y * b.x;
  return result;
}

// Without a branch, for n < 64: NVIDIA's driver 580 gives up on the other form.
uint2 shl64(uint2 a, uint n)
{
  uint m = n & 31u;
  uint carried = (a.x >> 1) >> (31u - m);
  uint2 result = uint2(a.x << m, (a.y << m) | carried);
  return n >= 32u ? uint2(0u, result.x) : result;
}

uint2 shr64(uint2 a, uint n)
{
  uint m = n & 31u;
  uint carried = (a.y << 1) << (31u - m);
  uint2 result = uint2((a.x >> m) | carried, a.y >> m);
  return n >= 32u ? uint2(result.y, 0u) : result;
}

// a mod m, for 0 < m < 2**63.
uint2 mod64(uint2 a, uint2 m)
{
  if ((a.y | m.y) == 0u) return uint2(a.x % m.x, 0u);
  uint2 rest = uint2(0u, 0u);
  [loop] for (uint i = 0u; i < 64u; i++) {
    rest = uint2((rest.x << 1) | (a.y >> 31), (rest.y << 1) | (rest.x >> 31));
    a = uint2(a.x << 1, (a.y << 1) | (a.x >> 31));
    if (!less64(rest, m)) rest = sub64(rest, m);
  }
  return rest;
}

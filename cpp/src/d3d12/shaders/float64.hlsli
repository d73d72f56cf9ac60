// float64 on bit patterns (low, high), in integer arithmetic: rounding to nearest, ties to even.
#define SIGN64 0x80000000u
#define INFINITY64 0x7ff00000u
#define NAN64 uint2(0u, 0x7ff80000u)

bool is_zero64(uint2 a) { return (a.x | a.y) == 0u; }

uint first_bit64(uint2 a) { return a.y != 0u ? 32u + firstbithigh(a.y) : firstbithigh(a.x); }

// a >> n, with the lowest bit set if any of the lost ones is.
uint2 shift_sticky(uint2 a, uint n)
{
  if (n == 0u) return a;
  if (n > 63u) return uint2(is_zero64(a) ? 0u : 1u, 0u);
  uint2 result = shr64(a, n);
  uint2 back = shl64(result, n);
  result.x |= back.x != a.x || back.y != a.y ? 1u : 0u;
  return result;
}

// significand: three rounding bits, the top bit at 55 unless subnormal; to the bits of a double.
uint2 pack64(uint sign, uint exponent, uint2 significand)
{
  uint tail = significand.x & 7u;
  uint2 result = shr64(significand, 3u);
  if (tail > 4u || (tail == 4u && (result.x & 1u) != 0u)) result = add64(result, uint2(1u, 0u));
  result.y += (exponent - 1u) << 20;
  return uint2(result.x, result.y | sign);
}

uint2 add_double(uint2 a, uint2 b)
{
  uint2 ma = uint2(a.x, a.y & ~SIGN64), mb = uint2(b.x, b.y & ~SIGN64);
  if (less64(ma, mb)) {
    uint2 t = a; a = b; b = t;
    t = ma; ma = mb; mb = t;
  }
  if (ma.y >= INFINITY64) {
    bool nan = ma.y > INFINITY64 || ma.x != 0u || (mb.x == ma.x && mb.y == ma.y && a.y != b.y);
    if (nan) return NAN64;
    return a;
  }
  uint ea = ma.y >> 20, eb = mb.y >> 20;
  uint2 fa = shl64(uint2(ma.x, (ma.y & 0xfffffu) | (ea != 0u ? 0x100000u : 0u)), 3u);
  uint2 fb = shl64(uint2(mb.x, (mb.y & 0xfffffu) | (eb != 0u ? 0x100000u : 0u)), 3u);
  ea = max(ea, 1u);
  eb = max(eb, 1u);
  fb = shift_sticky(fb, ea - eb);
  uint sign = a.y & SIGN64;
  if (((a.y ^ b.y) & SIGN64) == 0u) {
    uint2 sum = add64(fa, fb);
    if ((sum.y >> 24) != 0u) {
      sum = shift_sticky(sum, 1u);
      ea++;
    }
    if (ea >= 2047u) return uint2(0u, sign | INFINITY64);
    return pack64(sign, ea, sum);
  }
  uint2 difference = sub64(fa, fb);
  if (is_zero64(difference)) return uint2(0u, 0u);
  uint n = min(55u - first_bit64(difference), ea - 1u);
  return pack64(sign, ea - n, shl64(difference, n));
}

uint2 normalize64(uint2 magnitude, out int exponent)
{
  exponent = (int)(magnitude.y >> 20);
  if (exponent != 0) return uint2(magnitude.x, (magnitude.y & 0xfffffu) | 0x100000u);
  uint n = 52u - first_bit64(magnitude);
  exponent = 1 - (int)n;
  return shl64(magnitude, n);
}

uint2 mul_double(uint2 a, uint2 b)
{
  uint sign = (a.y ^ b.y) & SIGN64;
  uint2 ma = uint2(a.x, a.y & ~SIGN64), mb = uint2(b.x, b.y & ~SIGN64);
  uint2 infinity = uint2(0u, INFINITY64);
  if (less64(infinity, ma) || less64(infinity, mb)) return NAN64;
  if (ma.y == INFINITY64 || mb.y == INFINITY64) {
    if (is_zero64(ma) || is_zero64(mb)) return NAN64;
    return uint2(0u, sign | INFINITY64);
  }
  if (is_zero64(ma) || is_zero64(mb)) return uint2(0u, sign);
  int ea, eb;
  uint2 fa = normalize64(ma, ea), fb = normalize64(mb, eb);
  // 106 bits in four words: the upper 56 are wanted, the rest is sticky.
  uint2 low = mul32(fa.x, fb.x), high = mul32(fa.y, fb.y);
  uint2 m0 = mul32(fa.x, fb.y), m1 = mul32(fa.y, fb.x);
  uint2 middle = add64(m0, m1);  // under 2**54
  middle = add64(middle, uint2(low.y, 0u));
  high = add64(high, uint2(middle.y, 0u));
  // high: bits 64 and up of the product; middle.x, low.x: the two words below.
  int exponent = ea + eb - 1023;
  // The product's top bit is 104 or 105; 56 bits from it: shift right by 49 or 50.
  bool carry = (high.y & 0x200u) != 0u;
  if (carry) exponent++;
  uint n = carry ? 50u : 49u;
  uint2 upper = shl64(high, 64u - n);
  uint2 lower = shr64(uint2(low.x, middle.x), n);
  uint2 lost = shl64(uint2(low.x, middle.x), 64u - n);
  uint2 significand = uint2(upper.x | lower.x, upper.y | lower.y);
  significand.x |= is_zero64(lost) ? 0u : 1u;
  if (exponent >= 2047) return uint2(0u, sign | INFINITY64);
  if (exponent <= 0) {
    significand = shift_sticky(significand, (uint)(1 - exponent));
    exponent = 1;
  }
  return pack64(sign, (uint)exponent, significand);
}

// float32 on bit patterns. Devices flush subnormals; the results here are IEEE 754's all the same:
// the hardware's where no flushing can have touched it, else integer arithmetic, rounding to nearest,
// ties to even.
#define SIGN 0x80000000u
#define INFINITY 0x7f800000u
#define NOT_A_NUMBER 0x7fc00000u

// significand << 3 with guard, round and sticky bit, and the exponent of its top bit (bit 26), to a float.
uint round_float(uint sign, int exponent, uint significand)
{
  if (exponent >= 255) return sign | INFINITY;
  if (exponent <= 0) {
    uint n = min((uint)(1 - exponent), 31u);
    significand = (significand >> n) | ((significand & ((1u << n) - 1u)) != 0u ? 1u : 0u);
    exponent = 1;
  }
  uint tail = significand & 7u;
  uint result = significand >> 3;
  result += tail > 4u || (tail == 4u && (result & 1u) != 0u) ? 1u : 0u;
  return sign | (((uint)exponent - 1u) * 0x800000u + result);
}

uint add_exact(uint a, uint b)
{
  if ((a & ~SIGN) < (b & ~SIGN)) {
    uint t = a;
    a = b;
    b = t;
  }
  uint ma = a & ~SIGN, mb = b & ~SIGN;
  if (ma >= INFINITY) return ma > INFINITY || (mb == ma && a != b) ? NOT_A_NUMBER : a;
  uint ea = ma >> 23, eb = mb >> 23;
  uint fa = ((ma & 0x7fffffu) | (ea != 0u ? 0x800000u : 0u)) << 3;
  uint fb = ((mb & 0x7fffffu) | (eb != 0u ? 0x800000u : 0u)) << 3;
  ea = max(ea, 1u);
  eb = max(eb, 1u);
  uint n = min(ea - eb, 31u);
  fb = (fb >> n) | ((fb & ((1u << n) - 1u)) != 0u ? 1u : 0u);
  uint sum;
  if (((a ^ b) & SIGN) == 0u) {
    sum = fa + fb;
    if (sum >= 0x8000000u) {
      sum = (sum >> 1) | (sum & 1u);
      ea++;
    }
    if (ea >= 255u) return (a & SIGN) | INFINITY;
  } else {
    sum = fa - fb;
    if (sum == 0u) return 0u;
    n = min(26u - firstbithigh(sum), ea - 1u);
    sum <<= n;
    ea -= n;
  }
  // Subnormal sums have exponent 1 and no top bit, which the packing below takes as it is.
  uint tail = sum & 7u;
  sum >>= 3;
  sum += tail > 4u || (tail == 4u && (sum & 1u) != 0u) ? 1u : 0u;
  return (a & SIGN) | ((ea - 1u) * 0x800000u + sum);
}

// A finite non-zero magnitude: its significand with the top bit at 23, and its exponent.
uint normalize(uint magnitude, out int exponent)
{
  exponent = (int)(magnitude >> 23);
  if (exponent != 0) return (magnitude & 0x7fffffu) | 0x800000u;
  uint n = 23u - firstbithigh(magnitude);
  exponent = 1 - (int)n;
  return magnitude << n;
}

uint mul_exact(uint a, uint b)
{
  uint sign = (a ^ b) & SIGN, ma = a & ~SIGN, mb = b & ~SIGN;
  if (ma > INFINITY || mb > INFINITY) return NOT_A_NUMBER;
  if (ma == INFINITY || mb == INFINITY) return ma == 0u || mb == 0u ? NOT_A_NUMBER : sign | INFINITY;
  if (ma == 0u || mb == 0u) return sign;
  int ea, eb;
  uint fa = normalize(ma, ea), fb = normalize(mb, eb);
  uint2 product = mul32(fa, fb);  // 47 or 48 bits
  int exponent = ea + eb - 127;
  if ((product.y & 0x8000u) == 0u) product = shl64(product, 1u);
  else exponent++;
  uint significand = (product.y << 11) | (product.x >> 21);
  return round_float(sign, exponent, significand | ((product.x & 0x1fffffu) != 0u ? 1u : 0u));
}

// A hardware sum is right from this exponent on: taking a subnormal operand for zero does not change it.
#define LEAST_SUM 0x0d800000u
// A hardware product is right from here on, but for infinity: with a flushed operand it is zero, or NaN.
#define LEAST_PRODUCT 0x01000000u

uint mul_float(uint a, uint b)
{
  precise uint product = asuint(asfloat(a) * asfloat(b));
  uint exponent = product & INFINITY;
  return exponent < LEAST_PRODUCT || exponent == INFINITY ? mul_exact(a, b) : product;
}

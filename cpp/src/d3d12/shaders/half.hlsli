// float16 and bfloat16 as bits, to float32 (exact) and back (to nearest, ties to even).
#define FLOAT16 1u
#define BFLOAT16 2u

uint half_to_float(uint h, uint format)
{
  if (format == BFLOAT16) return h << 16;
  uint sign = (h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u) return sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13);
  if (magnitude >= 0x400u) return sign | ((magnitude << 13) + 0x38000000u);
  if (magnitude == 0u) return sign;
  uint n = 10u - firstbithigh(magnitude);
  return sign | ((113u - n) << 23) | (((magnitude << n) & 0x3ffu) << 13);
}

uint float_to_half(uint f, uint format)
{
  uint magnitude = f & 0x7fffffffu;
  if (format == BFLOAT16) {
    // Only what came from a half has no low bits: its NaN keeps all of its own.
    if (magnitude > 0x7f800000u) return (f >> 16) | ((f & 0xffffu) != 0u ? 0x40u : 0u);
    return (f + 0x7fffu + ((f >> 16) & 1u)) >> 16;
  }
  uint sign = (f >> 16) & 0x8000u;
  if (magnitude > 0x7f800000u) {
    uint payload = (magnitude >> 13) & 0x3ffu;
    return sign | 0x7c00u | payload | ((magnitude & 0x1fffu) != 0u ? 0x200u : 0u);
  }
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;
  if (magnitude >= 0x38800000u)
    return sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13);
  if (magnitude < 0x33000000u) return sign;
  uint n = 126u - (magnitude >> 23);  // 14 to 24
  uint significand = (magnitude & 0x7fffffu) | 0x800000u;
  uint result = significand >> n, tail = significand & ((1u << n) - 1u), half_way = 1u << (n - 1u);
  return sign | (result + (tail > half_way || (tail == half_way && (result & 1u) != 0u) ? 1u : 0u));
}

// float16 and bfloat16 as bits, to float32 (exact) and back (to nearest, ties to even).
#define FLOAT16 1u
#define BFLOAT16 2u

// Without a branch or a shift by what was computed: NVIDIA's driver 580 gives up on some of those.
uint half_to_float(uint h, uint format)
{
  if (format == BFLOAT16) return h << 16;
  uint magnitude = h & 0x7fffu, normal = (magnitude << 13) + 0x38000000u;
  uint subnormal = asuint((float)magnitude * 5.9604644775390625e-8);  // 2**-24
  if (magnitude >= 0x7c00u) normal += 0x38000000u;
  return ((h & 0x8000u) << 16) | (magnitude < 0x400u ? subnormal : normal);
}

uint float_to_half(uint f, uint format)
{
  uint magnitude = f & 0x7fffffffu;
  bool nan = magnitude > 0x7f800000u;
  if (format == BFLOAT16) {
    // Only what came from a half has no low bits: its NaN keeps all of its own.
    uint quiet = (f & 0xffffu) != 0u ? 0x40u : 0u;
    return nan ? (f >> 16) | quiet : (f + 0x7fffu + ((f >> 16) & 1u)) >> 16;
  }
  uint quiet = (magnitude & 0x1fffu) != 0u ? 0x200u : 0u;
  uint result = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  // The last place of 0.5 is that of a subnormal half: the sum rounds to it.
  if (magnitude < 0x38800000u) result = asuint(asfloat(magnitude) + 0.5) - 0x3f000000u;
  if (magnitude >= 0x477ff000u) result = 0x7c00u;
  if (nan) result = 0x7c00u | ((magnitude >> 13) & 0x3ffu) | quiet;
  return ((f >> 16) & 0x8000u) | result;
}

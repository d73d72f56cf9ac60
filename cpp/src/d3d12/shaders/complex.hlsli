// Products of complex64 and complex128, by the textbook formula; each sum and product is rounded.
#include "int64.hlsli"
#if UNIT == 8
#include "float32.hlsli"
#define PART uint
#define ACC_WORDS 2
#define ITEM uint2
#define MULTIPLY mul_float
#define PLUS add_exact  // in integers: the hardware could fuse it with the product
#define NEGATE(a) ((a) ^ SIGN)
#define RE(a) (a).x
#define IM(a) (a).y
#define COMPLEX(re, im) uint2(re, im)
#else
#include "float64.hlsli"
#define PART uint2
#define ACC_WORDS 4
#define ITEM uint4
#define MULTIPLY mul_double
#define PLUS add_double
#define NEGATE(a) uint2((a).x, (a).y ^ SIGN64)
#define RE(a) (a).xy
#define IM(a) (a).zw
#define COMPLEX(re, im) uint4(re, im)
#endif
#define ITEM_WORDS ACC_WORDS
#define ACC ITEM
#define UPDATE ITEM
#define QUICK 0
#define FLOATS_OF_HALVES 0

ITEM load_acc(ITEM v) { return v; }
ITEM store_acc(ITEM a) { return a; }
ITEM prepare(ITEM v) { return v; }

// re = x c - y d, im = x d + y c: a loop, because the code of a product is long
ITEM apply(ITEM a, ITEM b)
{
  PART re = RE(a), im = IM(a);
  [loop] for (uint part = 0u; part < 2u; part++) {
    PART left = RE(a), right = IM(a);
    [loop] for (uint side = 0u; side < 2u; side++) {
      PART x = RE(a), y = RE(b);
      if (side != 0u) x = IM(a);
      if (side != part) y = IM(b);
      PART product = MULTIPLY(x, y);
      if (side == 0u) left = product;
      else right = product;
    }
    if (part == 0u) right = NEGATE(right);
    PART sum = PLUS(left, right);
    if (part == 0u) re = sum;
    else im = sum;
  }
  return COMPLEX(re, im);
}

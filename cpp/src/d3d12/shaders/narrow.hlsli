// Integers and bools of up to 32 bits, and min and max of floats of up to 32: all the elements of a
// word at once. OP: ADD, MAX, or ANY.
#define BOOL 1u
#define FLOAT 2u
#define ITEM uint
#define ITEM_BYTES 4
#define ACC uint
#define UPDATE uint
#define QUICK 1
#define FLOATS_OF_HALVES 0

// All bits of the elements whose top bit is set in `marks`.
uint fill(uint marks) { return marks | (marks - (marks >> (bits - 1u))); }

// Bools become 0 or 1, floats keys that order as they do; `turned` they all may be; NaN is the largest.
uint encode(uint v, uint turned)
{
  [branch] if (kind == 0u) return v ^ turned;
  uint below = high - (high >> (bits - 1u));
  if (kind == BOOL) return ((((v & below) + below) | v) & high) >> 7 ^ turned;
  uint nan = ((v & below) + (below - infinity)) & high;
  return (v ^ (fill(v & high) | high) ^ turned) | fill(nan);
}

uint load_acc(uint v) { return encode(v, turn_acc); }
uint prepare(uint v) { return encode(v, turn); }

uint store_acc(uint a)
{
  a ^= turn_acc;
  return kind == FLOAT ? a ^ (fill(~a & high) | high) : a;
}

uint add_elements(uint a, uint b) { return ((a & ~high) + (b & ~high)) ^ ((a ^ b) & high); }

uint max_elements(uint a, uint b)
{
  uint not_less = ((a & ~b) | (~(a ^ b) & ((a | high) - (b & ~high)))) & high;
  uint keep = fill(not_less);
  return (a & keep) | (b & ~keep);
}

uint mul_elements(uint a, uint b)
{
  uint result = 0u, ones = fill(high & (0u - high));  // the first element's bits
  [loop] for (uint at = 0u; at < 32u; at += bits) result |= (((a >> at) * (b >> at)) & ones) << at;
  return result;
}

uint apply(uint a, uint b)
{
#if OP == 1
  [branch] if (bits == 32u) return a + b;
  return add_elements(a, b);
#elif OP == 3
  [branch] if (bits == 32u) return max(a, b);
  return max_elements(a, b);
#else
  if (op == ADD) return add_elements(a, b);
  if (op == MAX) return max_elements(a, b);
  if (op == MUL) return mul_elements(a, b);
  return op == OR ? a | b : a ^ b;
#endif
}

uint quick(uint a, uint b) { return apply(a, b); }
bool doubt(uint result) { return false; }

// Integers and bools of up to 32 bits, and min and max of floats of up to 32: all the elements of a
// word at once. OP: ADD, of integers; MAX, not of bools; or ANY.
#define BOOL 1u
#define ITEM uint
#define ITEM_WORDS 1
#define ACC uint
#define ACC_WORDS 1
#define UPDATE uint
#define QUICK (OP != 0)
#define WATCH uint
#define SURE 0u
#define FLOATS_OF_HALVES 0
#ifndef BITS  // of an element
#define BITS p.bits
#endif
#define TOP (BITS - 1u)

// Of the elements whose top bit is set in `marks`: the other bits.
uint below(uint marks) { return marks - (marks >> TOP); }

// Floats become keys that order as they do, complemented as the host asks, or back; NaN is the largest key.
uint order_floats(uint v) { return v ^ below(v & p.signs); }

uint nans(uint v)
{
  uint marks = ((v & ~p.high) + p.over) & p.signs;
  return marks | below(marks);
}

uint encode(uint v, uint complement)
{
#if OP == 1
  return v ^ complement;
#else
#if OP == 0
  if (p.kind == BOOL) v = ((((v & ~p.high) + below(p.high)) | v) & p.high) >> 7;  // 0 or 1
#endif
  return (order_floats(v) ^ complement) | nans(v);
#endif
}

uint load_acc(uint v) { return encode(v, p.complement_acc); }
uint prepare(uint v) { return encode(v, p.complement); }

uint store_acc(uint a)
{
#if OP == 1
  return a ^ p.complement_acc;
#else
  return order_floats(a ^ p.complement_acc);
#endif
}

uint add_elements(uint a, uint b) { return ((a & ~p.high) + (b & ~p.high)) ^ ((a ^ b) & p.high); }

uint max_elements(uint a, uint b)
{
  uint not_less = ((a & ~b) | (~(a ^ b) & ((a | p.high) - (b & ~p.high)))) & p.high;
  uint keep = not_less | below(not_less);
  return (a & keep) | (b & ~keep);
}

uint mul_elements(uint a, uint b)
{
  uint result = 0u, first = p.high & (0u - p.high), ones = first | below(first);  // the first element's bits
  [loop] for (uint at = 0u; at < 32u; at += p.bits) result |= (((a >> at) * (b >> at)) & ones) << at;
  return result;
}

uint apply(uint a, uint b)
{
#if OP == 1
  return add_elements(a, b);
#elif OP == 3
  if (BITS == 32u) return max(a, b);
  return max_elements(a, b);
#else
  uint result = p.op == OR ? a | b : a ^ b;
  if (p.op == ADD) result = add_elements(a, b);
  if (p.op == MAX) result = max_elements(a, b);
  if (p.op == MUL) result = mul_elements(a, b);
  return result;
#endif
}

uint quick(uint a, uint b) { return apply(a, b); }
uint watch(uint before, uint result) { return before; }
uint watch_step(uint before, uint a, uint b, uint result) { return before; }
bool is_sure(uint watched) { return true; }

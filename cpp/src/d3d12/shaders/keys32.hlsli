// Words as keys that order as their numbers do, for sums as what is added; NaN is the largest, complemented
// or not.
#define SIGN 0x80000000u
#define INFINITY 0x7f800000u

// `kind`, where the operation is MAX.
#define SIGNED 1u
#define FLOAT 2u

uint prepare(uint v)
{
  if (p.op == ADD) return (v ^ p.complement) - p.complement;
  if (p.op == MAX && p.kind == SIGNED) v ^= SIGN;
  if (p.op == MAX && p.kind == FLOAT) {
    if ((v & ~SIGN) > INFINITY) return NONE;
    v = (v & SIGN) != 0u ? ~v : v | SIGN;
  }
  return v ^ p.complement;
}

// Whether an element that only grows stays as it is.
bool is_kept(uint before, uint v) { return p.op == MAX ? before >= v : (before | v) == before; }

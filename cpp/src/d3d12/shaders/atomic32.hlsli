// Operations on words. Numbers that are ordered become keys that order as they do; NaN is the largest,
// turned or not.
#define SIGN 0x80000000u
#define INFINITY 0x7f800000u

uint prepare(uint v)
{
  if (op == ADD) return (v ^ turn) - turn;
  if (op == MAX && kind == SIGNED) v ^= SIGN;
  if (op == MAX && kind == FLOAT) {
    if ((v & ~SIGN) > INFINITY) return NONE;
    v = (v & SIGN) != 0u ? ~v : v | SIGN;
  }
  return v ^ turn;
}

#if MERGES
void merge(uint bin, uint v)
{
  if (op == ADD) InterlockedAdd(low[bin], v);
  else if (op == MAX) InterlockedMax(low[bin], v);
  else if (op == OR) InterlockedOr(low[bin], v);
  else if (op != SET) InterlockedXor(low[bin], v);
}

uint merged(uint bin, uint v) { return op == SET ? v : low[bin]; }
#endif

bool is_kept(uint before, uint v) { return op == MAX ? before >= v : (before | v) == before; }

// Of numbers below 0 the order is the other way round than that of their bits.
void combine_float(uint at, uint v)
{
  uint word = v ^ turn;
  word = (word & SIGN) != 0u ? word ^ SIGN : ~word;
  if (v == NONE) word = INFINITY | (INFINITY >> 1) | (turn & SIGN);  // a NaN that stays
  bool below = (word & SIGN) != 0u;
  if (below && turn != 0u) InterlockedMax(table[at], word);
  else if (below) InterlockedMin(table[at], word);
  else if (turn != 0u) InterlockedMin(table_signed[at], (int)word);
  else InterlockedMax(table_signed[at], (int)word);
}

void combine_most(uint at, uint v)
{
  uint word = v ^ turn;
  if (kind == FLOAT) combine_float(at, v);
  else if (kind == SIGNED && turn != 0u) InterlockedMin(table_signed[at], (int)(word ^ SIGN));
  else if (kind == SIGNED) InterlockedMax(table_signed[at], (int)(word ^ SIGN));
  else if (turn != 0u) InterlockedMin(table[at], word);
  else InterlockedMax(table[at], word);
}

void combine(uint at, uint v)
{
  if (op == SET) table[at] = v;
  else if (op == ADD) InterlockedAdd(table[at], v);
  else if (op == MAX) combine_most(at, v);
  else if (op == OR && turn != 0u) InterlockedAnd(table[at], ~v);
  else if (op == OR) InterlockedOr(table[at], v);
  else InterlockedXor(table[at], v);
}

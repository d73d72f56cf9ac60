// Operations on words.
#include "keys32.hlsli"

#if MERGES
void merge(uint bin, uint v)
{
  if (p.op == ADD) InterlockedAdd(low[bin], v);
  else if (p.op == MAX) InterlockedMax(low[bin], v);
  else if (p.op == OR) InterlockedOr(low[bin], v);
  else if (p.op != SET) InterlockedXor(low[bin], v);
}

uint merged(uint bin, uint v) { return p.op == SET ? v : low[bin]; }
#endif

// Of numbers below 0 the order is the other way round than that of their bits.
void combine_float(uint at, uint v)
{
  uint word = v ^ p.complement;
  word = (word & SIGN) != 0u ? word ^ SIGN : ~word;
  if (v == NONE) word = INFINITY | (INFINITY >> 1) | (p.complement & SIGN);  // a NaN that stays
  bool below = (word & SIGN) != 0u;
  if (below && p.complement != 0u) InterlockedMax(table[at], word);
  else if (below) InterlockedMin(table[at], word);
  else if (p.complement != 0u) InterlockedMin(table_signed[at], (int)word);
  else InterlockedMax(table_signed[at], (int)word);
}

void combine_most(uint at, uint v)
{
  uint word = v ^ p.complement;
  if (p.kind == FLOAT) combine_float(at, v);
  else if (p.kind == SIGNED && p.complement != 0u) InterlockedMin(table_signed[at], (int)(word ^ SIGN));
  else if (p.kind == SIGNED) InterlockedMax(table_signed[at], (int)(word ^ SIGN));
  else if (p.complement != 0u) InterlockedMin(table[at], word);
  else InterlockedMax(table[at], word);
}

void combine(uint at, uint v)
{
  if (p.op == SET) table[at] = v;
  else if (p.op == ADD) InterlockedAdd(table[at], v);
  else if (p.op == MAX) combine_most(at, v);
  else if (p.op == OR && p.complement != 0u) InterlockedAnd(table[at], ~v);
  else if (p.op == OR) InterlockedOr(table[at], v);
  else InterlockedXor(table[at], v);
}

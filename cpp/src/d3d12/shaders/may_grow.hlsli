// Signed numbers that order as the elements do, except NaNs.
int4 order(uint4 v)
{
  uint flip = p.kind == FLOAT ? ~SIGN : 0u, bias = p.kind == SIGNED || p.kind == FLOAT ? 0u : SIGN;
  return asint(v ^ (asuint(asint(v) >> 31) & flip) ^ (bias ^ p.complement));
}

// Whether one of a unit's four elements may grow: with few operations.
bool may_grow(uint4 before, uint4 v)
{
  [branch] if (p.op == OR) return any(((v ^ p.complement) & ~(before ^ p.complement)) != 0u);
  uint magnitude = p.kind == FLOAT ? ~SIGN : 0u;
  return any(order(v) > order(before) || (v & magnitude) > INFINITY);
}

// The first of the `stops` words of `status` that say whether a tuple was bad, read early: it is on its
// way while the shader does other things.
uint first_bad()
{
  uint bad = NONE;
  [branch] if (p.stops != 0u) bad = status[0];
  return bad;
}

// Whether no tuple was bad.
bool is_good(uint bad)
{
  bool good = bad == NONE;
  [loop] for (uint s = 1u; s < p.stops; s++) good = good && status[s] == NONE;
  return good;
}

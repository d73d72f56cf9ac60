// The codes that tuples leave for their slots, of which the largest wins. Tuple t's is `code` + t, or
// `code` - t where the first of them wins.
uint4 codes_of(uint4 t) { return p.falls != 0u ? p.code - t : p.code + t; }

// The tuple of a code; `count` or more for codes of other dispatches' tuples and of earlier passes.
uint tuple_of(uint c) { return p.falls != 0u ? p.code - c : c - p.code; }

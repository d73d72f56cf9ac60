// The codes that tuples leave for their slots, of which the largest wins. Tuple t's is `code` + t, or
// `code` - t where the first of them wins.
uint4 codes_of(uint4 t) { return falls != 0u ? code - t : code + t; }

// The tuple of a code; `count` or more for codes of other dispatches' tuples and of earlier passes.
uint tuple_of(uint c) { return falls != 0u ? code - c : c - code; }

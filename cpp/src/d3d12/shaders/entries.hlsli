// What tuples enter for their slots into an epoch table, whose largest entry stays. Tuple t's is `entry` + t,
// or `entry` - t where the first tuple wins.
uint4 entries_of(uint4 t) { return p.first_wins != 0u ? p.entry - t : p.entry + t; }

// The tuple of an entry; `count` or more for entries of other dispatches' tuples and of earlier epochs.
uint tuple_of(uint entry) { return p.first_wins != 0u ? p.entry - entry : entry - p.entry; }

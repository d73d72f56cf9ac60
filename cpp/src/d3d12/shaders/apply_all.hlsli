// Reduces updates that are staged in groupshared memory.
#define WATCHED 256u  // steps until one looks whether they all were right

#define STEPS(some) \
  [loop] for (; at + some <= stop; at += some) { \
    [unroll] for (uint u = 0u; u < some; u++) { \
      acc = quick(acc, staged[at + u]); \
      watched = watch(watched, acc); \
    } \
  }

// The updates from `at` on: `count` of them.
ACC apply_all(ACC acc, uint at, uint count)
{
  uint end = at + count;
#if QUICK
  [loop] while (at < end) {
    uint first = at, stop = min(at + WATCHED, end);
    ACC before = acc;
    WATCH watched = SURE;
    STEPS(64u)
    STEPS(8u)
    STEPS(1u)
    if (!is_sure(watched)) {
      acc = before;
      [loop] for (at = first; at < stop; at++) acc = apply(acc, staged[at]);
    }
  }
#else
  [loop] for (; at < end; at++) acc = apply(acc, staged[at]);
#endif
  return acc;
}

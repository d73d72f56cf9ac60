// The operations of a scatter: C++'s Op. What is neither is xor.
#define SET 0u
#define ADD 1u
#define MUL 2u
#define MAX 3u
#define OR 4u

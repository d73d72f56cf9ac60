// Rows are moved in units of 16 or 4 bytes, or byte by byte where their length is no multiple of 4.
#if UNIT == 16
#define WORDS uint4
#else
#define WORDS uint
#endif

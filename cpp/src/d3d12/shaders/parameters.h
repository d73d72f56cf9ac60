// What HLSL and C++ both read: numbers, and the root constants of each shader. HLSL starts a struct
// at a multiple of 16 bytes and moves a vector that would cross one. compile.py --check fails if a
// field is so placed that C++ would see it elsewhere.
#ifdef __cplusplus
#pragma once

#include <cstdint>

namespace gathernd::d3d12 {

using uint = uint32_t;
struct uint2 {
  uint x, y;
};
struct uint4 {
  uint x, y, z, w;
};
#define GATHERND_NUMBER inline constexpr uint
#else
#define GATHERND_NUMBER static const uint
#endif

GATHERND_NUMBER kGroupsX = 32768u;         // groups of a dispatch's first dimension
GATHERND_NUMBER kNone = 0xffffffffu;       // the slot of a tuple that is left out
GATHERND_NUMBER kLong = 32u;               // more tuples than this make a row a long one
GATHERND_NUMBER kColumns = 4u;             // the most units of a long row that a group takes
GATHERND_NUMBER kMostFew = 1024u;          // few.hlsli: tuples of a scatter that is one dispatch,
GATHERND_NUMBER kFewShare = 8u;            //   the most of them whose rows a group writes,
GATHERND_NUMBER kFewBlock = 32u;           //   those that a thread compares with one of these
GATHERND_NUMBER kDigitBits = 7u;           // sort.hlsli: bits of a digit,
GATHERND_NUMBER kBins = 1u << kDigitBits;  //   its values,
GATHERND_NUMBER kSortedKeys = 2048u;       //   keys of a group,
GATHERND_NUMBER kScannedBins = 8u;         //   values of a digit that a group of sort_scan takes
#undef GATHERND_NUMBER

// tuples.hlsli: how the indices of a dispatch's tuples become slots.
struct TupleParameters {
  uint depth;
  uint index_words;  // 32-bit words per index: 1 or 2
  uint is_signed;
  uint mode;
  uint index_first;  // index of the view that this dispatch begins with
  uint per_batch;    // tuples per batch; NONE: all are in one
  uint batch_rows;
  uint base;    // slots before this dispatch's first batch
  uint bad_at;  // the word of `status` for the first bad tuple
  uint direct;  // 0: resolve has worked out the slots, and no other field counts
  uint2 unused;
  uint4 dims_01;  // of each component: size, rows per step; no array, because root constants
  uint4 dims_23;  //   cannot be indexed
};

struct StackParameters {
  uint count;         // tuples
  uint depth;         // indices per tuple
  uint component;     // the index of each tuple that this dispatch writes
  uint index_words;   // 32-bit words of it: 1 or 2
  uint start;         // tuples before the first one, since the index of `index_first`
  uint repeats;       // tuples one after the other that share an index
  uint period;        // indices until they begin again
  uint index_first;   // index of the view that the component begins with
  uint tuples_first;  // words of the view before this dispatch's
  uint size_log;      // bytes per index that is read: 1, 2, 4, 8 as 0, 1, 2, 3
  uint is_signed;
  uint swapped;     // the indices have the other byte order
  uint is_limited;  // indices from 2**63 on are replaced: modulo `axis` if it `wraps`
  uint wraps;
  uint2 axis;  // the size of the dimension
};

struct ResolveParameters {
  uint4 dim_0;  // of each component: size, rows per step; no array, because root constants
  uint4 dim_1;  //   cannot be indexed
  uint4 dim_2;
  uint4 dim_3;
  uint count;     // tuples
  uint depth;     // indices per tuple
  uint size_log;  // bytes per index: 1, 2, 4, 8 as 0, 1, 2, 3
  uint is_signed;
  uint mode;
  uint index_first;  // index of the view that this dispatch begins with
  uint per_batch;    // tuples per batch; NONE: all are in one
  uint bad_at;       // the word of `status` for the first bad tuple
  uint2 base;        // rows before this dispatch's first batch, less those before the window
  uint2 batch_rows;
  uint window_rows;
  uint swapped;  // the indices have the other byte order
  uint wraps;    // negative indices count from the end
};

struct CheckParameters {
  TupleParameters tuples;
  uint count;  // tuples
};

struct GatherParameters {
  TupleParameters tuples;
  uint2 steps;       // whole rows in GROUP units, and the units left
  uint total;        // units to write (words where UNIT is 1)
  uint width;        // units per row
  uint table_first;  // units of the view before the window
  uint rows_first;   // units of the view before this dispatch's
  uint end;          // bytes to write, where UNIT is 1
  uint fill_period;  // units until the fill value repeats
  uint fill_first;   // the first column's place in it
};

struct GatherShortParameters {
  TupleParameters tuples;
  uint count;        // tuples
  uint table_first;  // bytes of the view before the table
  uint rows_first;   // elements of the view before this dispatch's
  uint end;          // words to write
};

struct ClearParameters {
  uint total;  // chunks of 16 bytes
  uint value;
};

struct CopyParameters {
  uint total;  // units of 16 bytes
};

struct WinnerParameters {
  TupleParameters tuples;
  uint count;  // tuples
  uint rows;   // slots
  uint entry;  // of the first tuple, in the epoch table
  uint first_wins;
};

struct DuplicateParameters {
  uint count;  // tuples
  uint base;   // position of the first
  uint rows;   // slots
  uint second_at;
  uint entry;  // as in WinnerParameters
  uint first_wins;
};

struct PutParameters {
  uint total;        // units of the tuples' rows
  uint width;        // units per row
  uint table_first;  // units of the view before the window
  uint rows_first;   // units of the view before the first tuple's row
  uint slots_end;    // rows of the window
  uint entry;        // as in WinnerParameters
  uint first_wins;
  uint stops;  // words of `status` that must be NONE
};

struct MergeParameters {
  uint total;        // units of the table's window (words where UNIT is 1)
  uint width;        // units per row
  uint table_first;  // units of the view before the window
  uint rows_first;   // units of the view before the first tuple's row
  uint end;          // bytes of the window, where UNIT is 1
  uint count;        // tuples
  uint entry;        // as in WinnerParameters
  uint first_wins;
  uint stops;  // words of `status` that must be NONE
  uint copies;
};

struct PutFewParameters {
  TupleParameters tuples;
  uint count;  // tuples
  uint width;  // words per row
  uint share;  // tuples of which a group writes the rows
  uint first_wins;
};

struct ReduceFewParameters {
  TupleParameters tuples;
  uint count;  // tuples
  uint width;  // words per row
  uint share;  // tuples of which a group writes the rows
  uint kind;   // as in ReduceParameters
  uint complement;
};

struct AtomicParameters {
  TupleParameters tuples;
  uint count;        // tuples
  uint width;        // items per row: words, or pairs of them
  uint table_first;  // items of the view before the window
  uint rows_first;   // items of the view before the first tuple's row
  uint slots_end;    // rows of the window
  uint stops;        // words of `status` that must be NONE
  uint op;           // SET: one of the items stays
  uint kind;
  uint complement;  // all ones: and by or, min by max, subtraction by addition
};

// sample, look and grow
struct GrowParameters {
  TupleParameters tuples;
  uint count;      // tuples
  uint width;      // words per row
  uint slots_end;  // rows of the window
  uint stops;      // words of `status` that must be NONE
  uint counter;    // the word of `status` that counts the units that may grow, less 1
  uint most;       // units that can be listed
  uint op;         // as in AtomicParameters
  uint kind;
  uint complement;
};

struct TouchedParameters {
  TupleParameters tuples;
  uint count;  // tuples
  uint rows;   // slots
  uint first;  // the first slot's bit in the view
};

struct LinkParameters {
  TupleParameters tuples;
  uint count;  // tuples
  uint rows;   // slots
  uint floor;  // of the heads: an earlier pass's are no more than this
};

struct MarkParameters {
  uint listed;  // rows
};

struct RankParameters {
  TupleParameters tuples;
  uint count;   // tuples
  uint rows;    // slots
  uint listed;  // rows
};

struct SortParameters {
  uint count;  // keys
  uint rows;   // slots from here on are of tuples left out: they go to the end
  uint shift;  // of the digit
  uint blocks;
  uint first_pass;  // keys come from `slots`, and each tuple is its own place
};

struct BoundsParameters {
  uint count;  // pairs
  uint rows;   // slots
};

struct LongestParameters {
  uint runs;
  uint ends_first;
  uint longest_at;  // word of `status`
};

// reduce and reduce_long
struct ReduceParameters {
  uint total;        // threads; of reduce_long: groups
  uint width;        // units per row
  uint table_first;  // units of the view before the window
  uint rows_first;   // units of the view before the first tuple's row
  uint end;          // units of the window
  uint stops;        // words of `status` that must be NONE, if any
  uint counter;      // the word of `status` that counts the rows of many tuples, less 1
  uint copies;       // the other rows of the table are source's, else they stay
  uint ends_first;   // where the ends of the runs begin in their view
  uint ranked;       // reduce_long: the runs are numbered as the rows in `longs`
  uint done;         // tuples of a group that earlier dispatches took
  uint limit;        // tuples of a group that this one takes
  uint columns;      // units of a row that a group takes
  uint share;        // threads per row
  uint floor;        // of the lists' heads, as in LinkParameters
  uint sparse_rows;  // rows of a window that threads reach by its tuples; 0: they go through them
  // The arithmetic.
  uint op;               // where the shader is for ANY
  uint kind;             // of the family's types
  uint complement;       // bits that are flipped in updates,
  uint complement_high;  //   FAMILY_64: in their upper words
  uint complement_acc;   // and in what is accumulated, so that max, or and add do all the work
  uint complement_acc_high;
  uint bits;   // FAMILY_SMALL: of an element;
  uint high;   //   the top bit of each element of an item;
  uint signs;  //   the same, of floats; 0: integers;
  uint over;   //   what takes a NaN's other bits over the top bit
};

struct MatchParameters {
  uint total;    // elements
  uint a_first;  // elements of the view before the first one
  uint b_first;
  uint positions_first;
  uint row;       // of the first element, which begins it, or of all
  uint width;     // elements of a row
  uint size_log;  // of an element's bytes: 0 to 3
  uint ones;      // the bits of an element, or of its upper word
  uint infinity;  // their largest value, less the sign, that is no NaN
  uint truth;     // whether elements are bools
};

struct ConvertHalvesParameters {
  uint total;         // elements
  uint halves_first;  // elements of the view before the window
  uint format;
};

#ifdef __cplusplus
}  // namespace gathernd::d3d12
#endif

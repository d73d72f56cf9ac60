// What the reducing shaders share: one element of the table, and its part of the run of its row.
cbuffer Parameters : register(b0)
{
  uint total;        // elements of the table's window
  uint width;        // elements a row
  uint table_first;  // elements of the view before the window
  uint rows_first;   // elements of the view before the first tuple's row
  uint done;         // updates of each run that earlier dispatches took
  uint limit;        // updates of each run that this one takes
  uint stops;        // words of `status` that must be NONE
  uint op;
  uint kind;
  uint size_log;     // bytes an element: 1, 2, 4 as 0, 1, 2
};
#define ADD 1u
#define SUB 2u
#define MUL 3u
#define MIN 4u
#define MAX 5u
#define AND 6u
#define OR 7u

Buffer<uint> rows : register(t0);
Buffer<uint2> pairs : register(t1);
Buffer<uint> starts : register(t2);
Buffer<uint> ends : register(t3);
Buffer<uint> status : register(t4);
RWBuffer<uint> table : register(u0);
RWStructuredBuffer<uint> more : register(u1);  // one word: 0 where a run goes on

// The updates [result.x, result.y) of the sorted pairs are this dispatch's for the row.
uint2 run_of(uint row)
{
  uint start = starts[row];
  if (start == 0u) return uint2(0u, 0u);
  uint first = start - 1u + done, end = ends[row];
  if (first >= end) return uint2(0u, 0u);
  if (end - first > limit) {
    InterlockedMin(more[0], 0u);
    end = first + limit;
  }
  return uint2(first, end);
}

bool stopped()
{
  [loop] for (uint s = 0u; s < stops; s++) if (status[s] != NONE) return true;
  return false;
}

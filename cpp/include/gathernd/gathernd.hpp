// gather_nd and scatter_nd over strided views, for C++ programs.
//
// All or nothing: after an exception every argument holds the bytes that it held before.
// If the output overlaps an argument, the result is as if the argument had been copied first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gathernd/backend.hpp"
#include "gathernd/error.hpp"
#include "gathernd/indices.hpp"
#include "gathernd/plan.hpp"
#include "gathernd/tensor.hpp"

namespace gathernd {

inline constexpr std::string_view kVersion = "0.1.0";

struct GatherOptions {
  int64_t batch_dims = 0;
  Mode mode = Mode::kRaise;               // kRaise, kClip, kWrap or kFill
  const std::byte* fill_value = nullptr;  // one element, for kFill; not in the output's memory
  // The output shares no memory with the arguments, and may have changed if the call throws.
  bool fresh_output = false;
  Backend* backend = nullptr;  // null: the CPU
  // Negative indices count once from the end. If false, they are out of range (kClip: 0).
  bool wrap_negative_indices = true;
};

// output[b, o, ...] = input[b, indices[b, o], ...]. The shape of the output is rows_shape().
void gather_nd(const Tensor& input, const Indices& indices, const Tensor& output,
               const GatherOptions& options = {});

struct ScatterOptions {
  int64_t batch_dims = 0;
  Mode mode = Mode::kRaise;  // kRaise, kClip, kWrap or kDrop
  Reduction reduction = Reduction::kNone;
  Duplicates duplicates = Duplicates::kLast;
  bool fresh_output = false;   // as in GatherOptions
  Backend* backend = nullptr;  // null: the CPU
  bool wrap_negative_indices = true;
};

// output = input; output[b, indices[b, o], ...] = (or op=) updates[b, o, ...], in C order.
// If output is the input's own memory, it is updated in place.
void scatter_nd(const Tensor& input, const Indices& indices, const Tensor& updates,
                const Tensor& output, const ScatterOptions& options = {});

// Byte strides for a new output of scatter_nd: packed, in the order of input's memory (np.copy's
// "K"), because such a copy is fast. Tuples address `indexed` dimensions, including those of
// batches. C order if input has 0 strides, or if slices would not be contiguous and `updates` are
// more than a quarter of input: contiguous slices then gain more than a fast copy. Throws an Error
// for an input of more than kMaxRank dimensions.
Dims result_strides(const Tensor& input, int64_t indexed, const Tensor& updates);

// Threads of the CPU backend, including the calling one. The default is GATHERND_NUM_THREADS, or
// one per CPU that the affinity of the process and the CPU quota of its cgroups allow.
int num_threads();
void set_num_threads(int count);  // 1 to 1024, else Error of kValue

// Bytes of freed memory that is kept for the next call. The limit is GATHERND_KEEP_MEMORY, in bytes
// or as "64MiB"; the default is 128 MiB.
uint64_t kept_memory();
// Gives that memory back to the system, and what idle devices keep; returns the number of bytes.
// A call that runs out of memory does this by itself and tries again.
uint64_t release_memory();

// Instruction sets of the CPU backend that this machine can run, best first.
std::vector<std::string_view> cpu_targets();
std::string_view cpu_target();
void set_cpu_target(std::string_view target);  // one of them, else Error of kValue

}  // namespace gathernd

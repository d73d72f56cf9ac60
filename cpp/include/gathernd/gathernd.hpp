// gather_nd and scatter_nd over strided views, for C++ programs.
//
// All or nothing: after an exception every argument holds the bytes that it held before.
// An output that overlaps an argument gives the result as if the argument had been copied first.
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
  // The output shares no memory with the arguments, and may change before a throw.
  bool fresh_output = false;
  Backend* backend = nullptr;  // the CPU's
  // Negative indices count from the end, once; if false, they are out of range (kClip: 0).
  bool wrap_negative_indices = true;
};

// output[b, o, ...] = input[b, indices[b, o], ...]; output's shape is rows_shape().
void gather_nd(const Tensor& input, const Indices& indices, const Tensor& output,
               const GatherOptions& options = {});

struct ScatterOptions {
  int64_t batch_dims = 0;
  Mode mode = Mode::kRaise;  // kRaise, kClip, kWrap or kDrop
  Reduction reduction = Reduction::kNone;
  Duplicates duplicates = Duplicates::kLast;
  bool fresh_output = false;   // as in GatherOptions
  Backend* backend = nullptr;  // the CPU's
  bool wrap_negative_indices = true;
};

// output = input; output[b, indices[b, o], ...] = (or op=) updates[b, o, ...], in C order.
// An output that is input's own memory is updated in place.
void scatter_nd(const Tensor& input, const Indices& indices, const Tensor& updates,
                const Tensor& output, const ScatterOptions& options = {});

// Byte strides for a new output of scatter_nd: packed, and in the order of input's memory, which is
// copied fast, as np.copy's order "K" does it; `indexed` dimensions are addressed by tuples, those
// of batches included. C order if input has 0 strides; and if slices would lie in pieces and
// `updates` are more than a quarter of input, for then whole slices gain more than the copy.
Dims result_strides(const Tensor& input, int64_t indexed, const Tensor& updates);

// Threads of the CPU backend, the calling one included. The default is GATHERND_NUM_THREADS, or one
// per processor that the process may use by its affinity and by the CPU quota of its cgroups.
int num_threads();
void set_num_threads(int count);  // 1 to 1024, else Error of kValue

// Bytes of memory that was freed and is kept for the next call. The most is GATHERND_KEEP_MEMORY,
// in bytes or as "64MiB"; 128 MiB by default.
uint64_t kept_memory();
// Gives that back to the system, and what the devices that are not at work keep; returns its bytes.
// A call that finds no memory does so by itself, and tries again.
uint64_t release_memory();

// Instruction sets of the CPU backend that this machine can run, best first.
std::vector<std::string_view> cpu_targets();
std::string_view cpu_target();
void set_cpu_target(std::string_view target);  // one of them, else Error of kValue

}  // namespace gathernd

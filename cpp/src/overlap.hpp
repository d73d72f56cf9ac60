// Views that overlap. Outputs that overlap arguments: the result is as if the argument had been
// copied first.
#pragma once

#include <new>
#include <optional>

#include "checked.hpp"
#include "cpu/buffer.hpp"
#include "cpu/slices.hpp"
#include "gathernd/plan.hpp"
#include "layout.hpp"
#include "plan_rules.hpp"

namespace gathernd {

// Whether two views may share a byte (by their extents: true in doubt).
bool may_overlap(const Tensor& a, const Tensor& b);

// Whether they are the same elements in the same places.
bool same_memory(const Tensor& a, const Tensor& b);

// Whether two different elements of one view share a byte. Exact, but true in doubt where the
// strides are such that to tell would take long.
bool overlaps_itself(const Tensor& tensor);

// A packed tensor of its own, in the shape of another.
class Scratch {
 public:
  explicit Scratch(const Tensor& like)
      : strides_(c_strides(like.shape, like.dtype.size)), view_(like) {
    int64_t size = 0;
    if (!count_elements(like.shape, &size) || !checked_mul(size, like.dtype.size, &size)) {
      throw std::bad_alloc();  // a 0-stride view of more than any memory
    }
    memory_.emplace(static_cast<size_t>(size));
    view_.data = memory_->data();
    view_.strides = strides_;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const Tensor& tensor() const { return view_; }

 private:
  Dims strides_;
  std::optional<Buffer<std::byte>> memory_;
  Tensor view_;
};

// Throws where two elements of the output share memory.
void check_output(Operator op, const Tensor& output);

// Calls run(output, fresh) with an output that shares no memory with the input; `fresh`: it may
// change before a throw.
template <class Run>
void gather_apart(const Tensor& input, const Tensor& output, bool fresh, Run run) {
  if (fresh) return run(output, true);
  check_view(Operator::kGather, input, "input");
  check_view(Operator::kGather, output, "out");
  check_output(Operator::kGather, output);
  if (!may_overlap(output, input)) return run(output, false);
  const Scratch result(output);
  run(result.tensor(), true);
  copy_tensor(result.tensor(), output);
}

// Throws where the output has not the input's shape and type.
void check_scatter_output(const Tensor& input, const Tensor& output);

// Calls run(updates, output, fresh) where the output is the input's memory or apart from it, and
// apart from the updates.
template <class Run>
void scatter_apart(const Tensor& input, const Tensor& updates, const Tensor& output, bool fresh,
                   Run run) {
  check_view(Operator::kScatter, input, "input");
  check_view(Operator::kScatter, updates, "updates");
  check_view(Operator::kScatter, output, "out");
  check_output(Operator::kScatter, output);
  if (may_overlap(output, updates)) {
    const Scratch copy(updates);
    copy_tensor(updates, copy.tensor());
    return scatter_apart(input, copy.tensor(), output, fresh, run);
  }
  if (same_memory(output, input) || !may_overlap(output, input)) {
    return run(updates, output, fresh);
  }
  const Scratch result(output);
  run(updates, result.tensor(), true);
  copy_tensor(result.tensor(), output);
}

}  // namespace gathernd

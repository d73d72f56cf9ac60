#include "ops/chunks.hpp"

#include <algorithm>
#include <utility>

#include "core/checked.hpp"
#include "core/load_tuples.hpp"
#include "core/normalize_index.hpp"
#include "core/plan_rules.hpp"
#include "runtime/buffer.hpp"

namespace gathernd {
namespace {

constexpr int64_t kLoaded = 512;  // indices at a time; one tuple if it has more

// The size of all chunks except the last, which is not longer; 0 if they differ.
int64_t even_size(std::span<const int64_t> bounds) {
  const int64_t size = bounds.size() > 1 ? bounds[1] : 0;
  for (size_t i = 1; i + 1 < bounds.size(); ++i) {
    const int64_t next = bounds[i + 1] - bounds[i];
    if (next > size || (next < size && i + 2 < bounds.size())) return 0;
  }
  return size;
}

bool are_bounds(std::span<const int64_t> bounds) {
  return bounds.size() > 1 && bounds[0] == 0 && std::ranges::is_sorted(bounds);
}

}  // namespace

int64_t ChunkedTuples::Axis::find(int64_t index) const {
  if (even > 0) {
    const auto narrow = static_cast<uint64_t>(index | even) <= UINT32_MAX;
    return narrow ? static_cast<uint32_t>(index) / static_cast<uint32_t>(even) : index / even;
  }
  return std::ranges::upper_bound(bounds, index) - bounds.begin() - 1;
}

ChunkedTuples::ChunkedTuples(const Tensor& block, ChunkRules rules)
    : indices_(block.data), rules_(std::move(rules)), batch_(rules_.batch_dims) {
  const Operator op = rules_.op;
  check_index_type(op, block.dtype);
  check_view(op, block, "indices");
  const auto rank = static_cast<int>(block.shape.size()) - 1;
  const bool fits = rank >= 0 && batch_ >= 0 && batch_ <= rank && rules_.whole.size() == rank &&
                    rules_.corner.size() == rank &&
                    block.shape.back() == static_cast<int64_t>(rules_.bounds.size()) &&
                    batch_ + block.shape.back() <= kMaxRank &&
                    std::ranges::all_of(rules_.bounds, are_bounds);
  if (!fits) fail(ErrorKind::kValue, op, "the block of indices does not fit the chunks");
  for (int i = 0; i < rank; ++i) {
    const int64_t size = block.shape[static_cast<size_t>(i)];
    int64_t end;
    if (rules_.corner[i] < 0 || !checked_add(rules_.corner[i], size, &end) ||
        end > rules_.whole[i]) {
      fail(ErrorKind::kValue, op, "the block reaches out of the indices");
    }
  }
  const auto positions = block.shape.first(static_cast<size_t>(rank));
  int64_t all;
  if (!count_elements(rules_.whole, &all) || !count_elements(positions, &plan_.tuples)) {
    fail(ErrorKind::kValue, op, "indices are too big");
  }
  shape_ = Dims(positions);
  plan_.op = op;
  plan_.mode = rules_.mode;
  plan_.wrap_negative_indices = rules_.wrap_negative_indices || rules_.mode == Mode::kWrap;
  plan_.batch_dims = batch_;
  plan_.positions = plan_.given_positions = rules_.whole;
  plan_.index_type = block.dtype;
  plan_.depth = static_cast<int>(block.shape.back());
  plan_.index_walk = make_walk(positions, block.strides.first(positions.size()));
  plan_.component_stride = block.strides.back();
  int64_t largest = plan_.tuples;
  for (int i = 0; i < batch_; ++i) largest = std::max(largest, shape_[i]);
  for (const auto& bounds : rules_.bounds) {
    const auto count = static_cast<int64_t>(bounds.size()) - 1;
    axes_.push_back({bounds, count, even_size(bounds)});
    plan_.dims.push_back(bounds.back());
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(i);
      largest = std::max(largest, bounds[at + 1] - bounds[at]);
    }
    if (!checked_mul(chunks_, count, &chunks_) || chunks_ > INT32_MAX) {
      fail(ErrorKind::kValue, op, "input has more than 2**31 - 1 chunks");
    }
  }
  wide_ = largest > INT32_MAX;
}

void ChunkedTuples::throw_bad(const BadTuple& bad) const {
  Dims at;
  int64_t rest = bad.position;
  for (int i = shape_.size() - 1; i >= 0; --i) {
    at[i] = rules_.corner[i] + rest % shape_[i];
    rest /= shape_[i];
  }
  BadTuple whole = bad;
  whole.position = 0;
  for (int i = 0; i < shape_.size(); ++i) {
    whole.position = whole.position * rules_.whole[i] + at[i];
  }
  throw_bad_tuple(plan_, whole);
}

template <class L>
void ChunkedTuples::group(L* positions, L* tuples, int64_t* begins) const {
  const int64_t n = plan_.tuples;
  const int64_t depth = plan_.depth;
  std::fill_n(begins, chunks_ + 1, int64_t{0});
  const Buffer<int32_t> chunk_of(static_cast<size_t>(n));
  const Buffer<L> inside(static_cast<size_t>(n) * static_cast<size_t>(depth));
  const bool is_signed = is_signed_index(plan_.index_type.kind);

  int64_t lanes[kLoaded];
  const int64_t step = std::max<int64_t>(1, kLoaded / std::max<int64_t>(1, depth));
  for (int64_t first = 0; first < n; first += step) {
    const int64_t count = std::min(step, n - first);
    if (depth > 0) load_lanes(plan_, indices_, first, count, lanes);
    for (int64_t t = 0; t < count; ++t) {
      int64_t chunk = 0;
      bool addresses = true;
      for (int64_t k = 0; k < depth; ++k) {
        const Axis& axis = axes_[static_cast<size_t>(k)];
        const int64_t given = lanes[t * depth + k];
        int64_t index;
        if (!normalize_index(given, is_signed, plan_.wrap_negative_indices, axis.bounds.back(),
                             plan_.mode, &index)) {
          if (!leaves_holes(plan_.mode)) throw_bad({first + t, static_cast<int>(k), given});
          addresses = false;
          break;
        }
        const int64_t found = axis.find(index);
        chunk = chunk * axis.count + found;
        inside.data()[(first + t) * depth + k] =
            static_cast<L>(index - axis.bounds[static_cast<size_t>(found)]);
      }
      chunk_of.data()[first + t] = addresses ? static_cast<int32_t>(chunk) : -1;
      if (addresses) ++begins[chunk];
    }
  }

  int64_t before = 0;
  for (int64_t c = 0; c <= chunks_; ++c) before += std::exchange(begins[c], before);
  const Buffer<int64_t> next(static_cast<size_t>(chunks_));
  std::copy_n(begins, chunks_, next.data());
  int64_t batch[kMaxRank] = {};
  int64_t outer = 1;  // positions of one batch
  for (int i = batch_; i < shape_.size(); ++i) outer *= shape_[i];
  for (int64_t t = 0, left = outer; t < n; ++t, --left) {
    if (left == 0) {
      left = outer;
      for (int i = batch_ - 1; i >= 0 && ++batch[i] == shape_[i]; --i) batch[i] = 0;
    }
    const int32_t chunk = chunk_of.data()[t];
    if (chunk < 0) continue;
    const int64_t to = next.data()[chunk]++;
    positions[to] = static_cast<L>(t);
    L* tuple = tuples + to * components();
    for (int i = 0; i < batch_; ++i) *tuple++ = static_cast<L>(batch[i]);
    std::copy_n(inside.data() + t * depth, depth, tuple);
  }
}

template void ChunkedTuples::group(int32_t*, int32_t*, int64_t*) const;
template void ChunkedTuples::group(int64_t*, int64_t*, int64_t*) const;

}  // namespace gathernd

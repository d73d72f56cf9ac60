// Tuples to offsets: each target, index type, mode, depth and layout, against a plain loop.
#include <algorithm>
#include <vector>

#include "core/layout.hpp"
#include "cpu/resolve/resolve.hpp"
#include "problem.hpp"
#include "reference.hpp"

namespace gathernd::test {
namespace {

constexpr int64_t kBatches = 2;
constexpr int64_t kPerBatch = static_cast<int64_t>(kMostTuples) + 7;
constexpr int kDepths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 64};
constexpr Mode kModes[] = {Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kFill, Mode::kDrop};

enum class Layout { kPacked, kMisaligned, kStrided, kReversed, kSwapped };
constexpr Layout kLayouts[] = {Layout::kPacked, Layout::kMisaligned, Layout::kStrided,
                               Layout::kReversed, Layout::kSwapped};

// Tuples in guarded memory, with a plan for them. The table is imaginary.
struct Tuples {
  Problem problem;
  Plan plan;
  GuardedBuffer memory;
  std::byte* origin;

  std::byte* component(int64_t position, int k) {
    const Dims at = unravel(position, span(plan.positions));
    return origin + offset_of(at, *problem.indices.strides) + k * problem.indices.strides->back();
  }
};

// A random size: small, or one that needs more than 31 or 32 bits.
int64_t random_size(Random& random) {
  return random.one_in(10) ? (int64_t{1} << random(29, 33)) + random(-1, 1) : random(1, 9);
}

Problem make_problem(Random& random, Kind kind, Mode mode, int depth, Layout layout) {
  const bool batched = random.one_in(2) && depth < kMaxRank;
  Problem p;
  p.op = mode == Mode::kDrop ? Operator::kScatter : Operator::kGather;
  p.options = {
      .batch_dims = batched ? 1 : 0, .mode = mode, .wrap_negative_indices = !random.one_in(3)};
  p.table.dtype = p.rows.dtype = {Kind::kUInt8, 1, true};
  p.table.strides.emplace();
  const int64_t unit = random(1, 12);
  if (batched) {
    p.table.shape.push_back(kBatches);
    p.table.strides->push_back(unit * random(-1000, 1000));
  }
  const int empty = random.one_in(10) && depth > 0 ? static_cast<int>(random(0, depth - 1)) : -1;
  for (int k = 0; k < depth; ++k) {
    // The slices of a table without elements are numbered: they may not be too many.
    const int64_t most = depth < 10 ? 9 : 1;
    const int64_t size = k == empty ? 0 : empty >= 0 ? random(1, most) : random_size(random);
    p.table.shape.push_back(size);
    p.table.strides->push_back(size > 9 ? random(-1, 1) : unit * random(-50, 50));
  }
  const int64_t item = size_of(kind);
  p.indices.dtype = {kind, item, layout != Layout::kSwapped};
  p.indices.shape = {kBatches, kPerBatch, depth};
  const int64_t step = layout == Layout::kStrided    ? item + random(0, 3)
                       : layout == Layout::kReversed ? -item
                                                     : item;
  const int64_t gap = layout == Layout::kStrided ? random(0, 5) : 0;
  const int64_t tuple = step * depth + gap;
  p.indices.strides = Shape{kPerBatch * tuple, tuple, step};
  p.rows.shape = {kBatches, kPerBatch};
  p.rows.strides = Shape{kPerBatch, 1};  // a plan leaves out what repeats
  return p;
}

Tuples make_tuples(Random& random, Kind kind, Mode mode, int depth, Layout layout) {
  const Problem p = make_problem(random, kind, mode, depth, layout);
  Extent extent;
  const Tensor view{nullptr, p.indices.dtype, p.indices.shape, *p.indices.strides};
  REQUIRE(find_extent(view, &extent));
  const size_t slack = layout == Layout::kMisaligned ? 1 + static_cast<size_t>(random(0, 6)) : 0;
  Tuples tuples{p, p.plan(), GuardedBuffer(static_cast<size_t>(extent.high - extent.low), slack),
                nullptr};
  tuples.origin = tuples.memory.data() - extent.low;
  const int64_t bad_in = random.one_of<int64_t>({3, 100, 1'000'000'000});
  for (int64_t t = 0; t < tuples.plan.tuples; ++t) {
    for (int k = 0; k < depth; ++k) {
      const bool legal = !random.one_in(bad_in * depth);
      const int64_t value = random_index(random, kind, tuples.plan.dims[k], legal);
      store_index(tuples.component(t, k), p.indices.dtype, value);
    }
  }
  return tuples;
}

// What a tuple resolves to: its offset, or what is bad about it.
template <class O>
struct Resolved {
  O offset = kNoSlice<O>;
  BadTuple bad;
};

template <class O>
Resolved<O> resolve_plainly(Tuples& tuples, int64_t position) {
  const Plan& plan = tuples.plan;
  const Shape& strides = *tuples.problem.table.strides;
  const int64_t batch = position / kPerBatch;
  int64_t bytes = plan.batch_dims == 1 ? batch * strides[0] : 0;
  for (int k = 0; k < plan.depth; ++k) {
    const __int128 value = load_index(tuples.component(position, k), plan.index_type);
    const Outcome outcome = settle(value, plan.dims[k], plan.mode, plan.wrap_negative_indices);
    if (outcome.what == Outcome::kHole) return {};
    if (outcome.what == Outcome::kError) return {0, {position, k, static_cast<int64_t>(value)}};
    bytes += outcome.index * strides[static_cast<size_t>(plan.batch_dims + k)];
  }
  return {static_cast<O>((bytes - plan.bias) / plan.scale), {}};
}

// Every number of tuples up to past two vectors, from the start, at the end, and across batches.
template <class O>
void check_tuples(Tuples& tuples) {
  const Resolver<O> resolver(
      tuples.plan, Tensor{.data = tuples.origin, .dtype = {}, .shape = {}, .strides = {}});
  const int64_t total = tuples.plan.tuples;
  std::vector<Resolved<O>> expected;
  for (int64_t t = 0; t < total; ++t) expected.push_back(resolve_plainly<O>(tuples, t));
  GuardedBuffer memory(kMostTuples * sizeof(O));
  for (int64_t n = 0; n <= static_cast<int64_t>(kMostTuples); ++n) {
    // They end where the memory does.
    auto* offsets = reinterpret_cast<O*>(memory.data()) + kMostTuples - n;
    for (int64_t first : {int64_t{0}, total - n, kPerBatch - n / 2}) {
      BadTuple bad;
      const bool good = resolver.resolve(first, n, offsets, &bad);
      const auto begin = expected.begin() + first;
      const auto first_bad = std::find_if(
          begin, begin + n, [](const auto& tuple) { return tuple.bad.position != INT64_MAX; });
      REQUIRE(good == (first_bad == begin + n));
      if (good) {
        REQUIRE(std::equal(begin, begin + n, offsets,
                           [](const auto& tuple, O offset) { return tuple.offset == offset; }));
      } else {
        REQUIRE(bad.position == first_bad->bad.position);
        REQUIRE(bad.component == first_bad->bad.component);
        REQUIRE(bad.value == first_bad->bad.value);
      }
    }
  }
  REQUIRE(memory.guards_intact());
}

}  // namespace

TEST_CASE("tuples to offsets") {
  on_every_target([](const Kernels&) {
    Random random(31);
    size_t next = 0;  // each two layouts in turn
    for (Kind kind : kIndexKinds) {
      for (Mode mode : kModes) {
        for (int depth : kDepths) {
          for (int i = 0; i < 2; ++i) {
            const Layout layout = kLayouts[next++ % std::size(kLayouts)];
            INFO(std::string(name(kind)), " mode ", std::string(name(mode)), " depth ", depth,
                 " layout ", static_cast<int>(layout));
            Tuples tuples = make_tuples(random, kind, mode, depth, layout);
            if (!tuples.plan.wide) check_tuples<uint32_t>(tuples);
            check_tuples<uint64_t>(tuples);
          }
        }
      }
    }
  });
}

TEST_CASE("of bad tuples the first in C order stays, whichever is found first") {
  FirstBad first_bad;
  for (const int64_t position : {7, 3, 5}) first_bad.report({position, 0, 9});
  CHECK(first_bad.is_before(4));
  CHECK_FALSE(first_bad.is_before(3));
}

}  // namespace gathernd::test

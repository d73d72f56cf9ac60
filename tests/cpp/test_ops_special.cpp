// Calls that random ones seldom make: 64-bit offsets, long slices, the state of the FPU.
#include <cfenv>
#include <limits>
#include <vector>

#include "cpu/kernels/half.hpp"
#include "gathernd/gathernd.hpp"
#include "gathernd/index_plan.hpp"
#include "pages.hpp"
#include "support.hpp"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace gathernd::test {
namespace {

using Shape = std::vector<int64_t>;

template <class T>
std::byte* bytes(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

constexpr DType kByte{Kind::kUInt8, 1, true};
constexpr DType kLong{Kind::kInt64, 8, true};

}  // namespace

TEST_CASE("offsets past 32 bits") {
  // Two bytes each at both ends of 8 GiB of address space, of which four bytes are touched.
  constexpr int64_t kFar = int64_t{1} << 33;
  std::byte* memory = reserve_pages(kFar + 2);
  REQUIRE(memory != nullptr);
  REQUIRE(open_pages(memory, 2));
  REQUIRE(open_pages(memory + kFar, 2));
  const Shape shape{2, 2}, strides{kFar, 1};
  const Tensor table{memory, kByte, shape, strides};
  std::vector<int64_t> tuples{1, 1, 0, 1, -1, 0, 0, 0};
  const Shape indices_shape{4, 2}, indices_strides{16, 8}, rows_shape{4}, rows_strides{1};
  const Tensor indices{bytes(tuples), kLong, indices_shape, indices_strides};
  std::vector<uint8_t> updates{10, 20, 30, 40}, found(4);
  on_every_target([&](const Kernels&) {
    scatter_nd(table, indices, {bytes(updates), kByte, rows_shape, rows_strides}, table,
               {0, Mode::kRaise, Reduction::kAdd});
    gather_nd(table, indices, {bytes(found), kByte, rows_shape, rows_strides});
    CHECK(found == updates);
    scatter_nd(table, indices, {bytes(updates), kByte, rows_shape, rows_strides}, table,
               {0, Mode::kRaise, Reduction::kSub});
  });
  release_pages(memory, kFar + 2);
}

TEST_CASE("a few tuples of very long slices are shared out by columns") {
  constexpr int64_t kLength = 100'003;
  Random random(71);
  GuardedBuffer table(3 * kLength), rows(4 * kLength), found(4 * kLength);
  random.fill(table);
  random.fill(rows);
  const Shape shape{3, kLength}, rows_shape{4, kLength}, strides{kLength, 1};
  const Shape indices_shape{4, 1}, indices_strides{8, 8};
  std::vector<int64_t> tuples{2, 0, 2, 1};
  const Tensor table_view{table.data(), kByte, shape, strides};
  const Tensor rows_view{rows.data(), kByte, rows_shape, strides};
  const Tensor found_view{found.data(), kByte, rows_shape, strides};
  const Tensor indices{bytes(tuples), kLong, indices_shape, indices_strides};
  for (int threads : {1, 2, 3, 7}) {
    const Configured configured(cpu_target(), threads, 0);
    for (Duplicates duplicates : {Duplicates::kLast, Duplicates::kFirst}) {
      scatter_nd(table_view, indices, rows_view, table_view,
                 {0, Mode::kRaise, Reduction::kNone, duplicates});
      gather_nd(table_view, indices, found_view);
      const int64_t winner = duplicates == Duplicates::kLast ? 2 : 0;
      for (int64_t t = 0; t < 4; ++t) {
        const int64_t source = tuples[static_cast<size_t>(t)] == 2 ? winner : t;
        const int difference =
            std::memcmp(found.data() + t * kLength, rows.data() + source * kLength, kLength);
        CHECK(difference == 0);
      }
    }
  }
  CHECK(table.guards_intact());
  CHECK(found.guards_intact());
}

TEST_CASE("arguments that no copy can hold are refused before one is made") {
  std::vector<double> memory(4);
  std::vector<int64_t> tuple{0};
  constexpr int64_t kTooMany = (int64_t{1} << 60) + 1;  // times 16 bytes is 16, in 64 bits
  const DType kComplex{Kind::kComplex128, 16, true};
  const Shape shape{2}, strides{16}, many{kTooMany}, zero{0};
  const Shape indices_shape{kTooMany, 1}, indices_strides{0, 8};
  const Tensor output{bytes(memory), kComplex, shape, strides};
  const Tensor indices{bytes(tuple), kLong, indices_shape, indices_strides};
  const Tensor updates{bytes(memory), kComplex, many, zero};
  CHECK_THROWS(scatter_nd(output, indices, updates, output));
  constexpr int64_t kMany = int64_t{1} << 40;
  const Shape square{kMany, kMany}, square_tuples{kMany, kMany, 1}, still{0, 0, 0};
  CHECK_THROWS_AS(scatter_nd(output, Tensor{bytes(tuple), kLong, square_tuples, still},
                             {bytes(memory), kComplex, square, std::span(still).first(2)}, output),
                  Error);

  const Shape ones(65, 1), zeros(65, 0);
  const Tensor deep{bytes(memory), kComplex, ones, zeros};
  CHECK_THROWS_AS(scatter_nd(output, indices, deep, output), Error);
  CHECK_THROWS_AS(scatter_nd(deep, indices, updates, deep), Error);
  CHECK_THROWS_AS(gather_nd(output, indices, deep), Error);
  CHECK_THROWS_AS(gather_nd(deep, indices, output), Error);
}

TEST_CASE("an IndexPlan of a negative size") {
  int64_t tuple = 0;
  const Shape indices_shape{1, 1}, indices_strides{8, 8};
  const Tensor indices{reinterpret_cast<std::byte*>(&tuple), kLong, indices_shape, indices_strides};
  CHECK_THROWS_WITH_AS(IndexPlan(Shape{2, -1}, indices),
                       "IndexPlan: the sizes of shape must be at least 0, not (2, -1)", Error);
}

TEST_CASE("arguments that only C++ can pass") {
  std::vector<int64_t> table{1, 2}, tuple{0}, row{3};
  const Shape shape{2}, one{1}, strides{8}, indices_shape{1, 1}, indices_strides{8, 8};
  const Tensor input{bytes(table), kLong, shape, strides};
  const Tensor indices{bytes(tuple), kLong, indices_shape, indices_strides};
  const Tensor rows{bytes(row), kLong, one, strides};
  Tensor output = input;
  output.dtype.kind = Kind::kUInt64;
  CHECK_THROWS_AS(scatter_nd(input, indices, rows, output), Error);
  Tensor same = rows;
  same.dtype = output.dtype;
  CHECK_THROWS_AS(scatter_nd(input, indices, same, output), Error);
  CHECK_THROWS_AS(IndexPlan(shape, indices).scatter(input, same, output), Error);
  CHECK_THROWS_AS(gather_nd(input, indices, rows, {0, Mode::kFill}), Error);  // of no fill value
  CHECK_THROWS_AS(IndexPlan(shape, indices, 0, Mode::kDrop).gather(input, rows), Error);
  struct OnDevice final : DeviceMemory {
    uint64_t bytes() const override { return 16; }
  };
  const auto there = std::make_shared<OnDevice>();
  const IndexPlan plan(shape, indices);
  CHECK_THROWS_WITH_AS(plan.gather(input, *there, nullptr),
                       "gather_nd: input is on a device, the IndexPlan on the CPU", Error);
  CHECK_THROWS_WITH_AS(
      plan.scatter(input, there, rows, *there, Reduction::kNone, Duplicates::kLast, false),
      "scatter_nd: input is on a device, the IndexPlan on the CPU", Error);
  CHECK(table == std::vector<int64_t>{1, 2});
  CHECK(row[0] == 3);
}

TEST_CASE("reductions do not depend on the caller's floating-point environment") {
  // 1 + 2**-30, and the sum of two subnormal numbers, in float32 and in float16.
  std::vector<float> table{1.0f, 0x1p-140f}, updates{0x1p-30f, 0x1p-140f};
  std::vector<uint16_t> half_table{0x3c00, 0x0001}, half_updates{0x0001, 0x0001};
  std::vector<int64_t> tuples{0, 1};
  const Shape shape{2}, four{4}, two{2}, indices_shape{2, 1}, indices_strides{8, 8};
  const DType kSingle{Kind::kFloat32, 4, true}, kHalf{Kind::kFloat16, 2, true};
  const Tensor indices{bytes(tuples), kLong, indices_shape, indices_strides};
  const Tensor output{bytes(table), kSingle, shape, four};
  const Tensor half_output{bytes(half_table), kHalf, shape, two};
  const ScatterOptions add{0, Mode::kRaise, Reduction::kAdd};

  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetround(FE_UPWARD);
#if defined(__SSE2__)
  const unsigned control = _mm_getcsr();
  _mm_setcsr(control | 0x8040);  // subnormal numbers are 0
#endif
  scatter_nd(output, indices, {bytes(updates), kSingle, shape, four}, output, add);
  scatter_nd(half_output, indices, {bytes(half_updates), kHalf, shape, two}, half_output, add);
  const int rounding = std::fegetround();
  std::fesetenv(&before);
#if defined(__SSE2__)
  _mm_setcsr(control & ~0x6000u);  // Windows' fesetenv leaves it as it is
#endif
  CHECK(rounding == FE_UPWARD);  // and it is left as it was
  CHECK(table[0] == 1.0f);
  CHECK(table[1] == 0x1p-139f);
  CHECK(half_table[0] == 0x3c00);
  CHECK(half_table[1] == 0x0002);
}

template <class T>
int flags_after_sum(const DType& dtype) {
  std::vector<T> table{std::numeric_limits<T>::max()}, updates{table[0], T{1} / T{3}};
  std::vector<int64_t> tuples{0, 0};
  const Shape one{1}, two{2}, stride{dtype.size}, indices_shape{2, 1}, indices_strides{8, 8};
  const Tensor output{bytes(table), dtype, one, stride};
  const Tensor indices{bytes(tuples), kLong, indices_shape, indices_strides};
  scatter_nd(output, indices, {bytes(updates), dtype, two, stride}, output,
             ScatterOptions{0, Mode::kRaise, Reduction::kAdd});
  return std::fetestexcept(FE_ALL_EXCEPT);
}

TEST_CASE("sums leave the flags of floating-point exceptions as they were") {
  const DType kSingle{Kind::kFloat32, 4, true};
  const DType kExtended{Kind::kLongDouble, sizeof(long double), true};
  for (const int before : {0, FE_DIVBYZERO}) {
    std::feclearexcept(FE_ALL_EXCEPT);
    std::feraiseexcept(before);
    CHECK(flags_after_sum<float>(kSingle) == before);
    if (sizeof(long double) > sizeof(double)) {
      CHECK(flags_after_sum<long double>(kExtended) == before);
    }
  }
  std::feclearexcept(FE_ALL_EXCEPT);
}

// Under another rounding, every way to add or multiply `update` once or more still makes `after`.
template <class Bits>
void check_rounding(const DType& dtype, Reduction reduction, Bits before, Bits update, Bits after,
                    const Shape& sizes, bool sorted) {
  const int64_t rows = sizes[0], n = sizes[1], length = sizes[2], row = length * dtype.size;
  std::vector<int64_t> tuples;
  for (int64_t t = 0; t < n; ++t) tuples.push_back(sorted ? t * rows / n : t * 7919 % rows);
  const auto make = [&](int64_t count, Bits bits) {
    return std::vector<Bits>(static_cast<size_t>(count * length), bits);
  };
  std::vector<Bits> table = make(rows, before), updates = make(n, update);
  const Shape shape{rows, length}, rows_shape{n, length}, strides{row, dtype.size};
  const Shape indices_shape{n, 1}, indices_strides{8, 8};
  const Tensor input{bytes(table), dtype, shape, strides};
  const Tensor added{bytes(updates), dtype, rows_shape, strides};
  const Tensor indices{bytes(tuples), kLong, indices_shape, indices_strides};
  const IndexPlan plan(shape, indices);
  for (int way = 0; way < 3; ++way) {
    std::vector<Bits> found = make(rows, before);
    const Tensor output{bytes(found), dtype, shape, strides};
    ScatterOptions options{0, Mode::kRaise, reduction};
    options.fresh_output = way == 1;
    std::fesetround(FE_UPWARD);
    if (way == 2) {
      plan.scatter(input, added, output, reduction);
    } else {
      scatter_nd(input, indices, added, output, options);
    }
    std::fesetround(FE_TONEAREST);
    INFO("way ", way);
    CHECK(found == make(rows, after));
  }
}

TEST_CASE("no way to reduce depends on the caller's rounding") {
  const DType kSingle{Kind::kFloat32, 4, true}, kHalf{Kind::kFloat16, 2, true};
  for (const int threads : {1, 3, 8}) {
    const Configured configured(cpu_target(), threads, 1);
    for (const Shape& sizes : {Shape{1000, 5000, 1}, Shape{1000, 5000, 3}, Shape{3, 9, 4096}}) {
      for (const bool sorted : {false, true}) {
        INFO(threads, " threads, rows of ", sizes[2], ", sorted: ", sorted);
        // 1 + 2**-30, and 2**-24 / 4, which only upwards is not 0.
        check_rounding<uint32_t>(kSingle, Reduction::kAdd, 0x3f800000, 0x30800000, 0x3f800000,
                                 sizes, sorted);
        check_rounding<uint16_t>(kHalf, Reduction::kMul, 0x0001, 0x3400, 0, sizes, sorted);
      }
    }
  }
}

}  // namespace gathernd::test

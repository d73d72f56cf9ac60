// What make_plan and rows_shape refuse, and the words they say it with.
#include "core/kinds.hpp"
#include "problem.hpp"

namespace gathernd::test {
namespace {

constexpr int64_t kHuge = int64_t{1} << 62;
constexpr DType kBoolean{Kind::kBool, 1, true};
constexpr const char* kOneIndex =
    "; pass one index per slice as indices[..., np.newaxis], those of x[i, j] as np.stack((i, j), "
    "axis=-1)";

void fails(const Problem& p, ErrorKind kind, const std::string& message) {
  CHECK(error_of(kind, [&] { p.plan(); }) == message);
}

// The same with a part of the message only.
void fails_with(const Problem& p, ErrorKind kind, const std::string& part) {
  const std::string message = error_of(kind, [&] { p.plan(); });
  INFO(message);
  CHECK(message.find(part) != std::string::npos);
}

Problem reducing(Reduction reduction, DType dtype) {
  Problem p = scatter({4}, {2, 1}, {2});
  p.table.dtype = p.rows.dtype = dtype;
  p.options.reduction = reduction;
  return p;
}

}  // namespace

TEST_CASE("index types") {
  CHECK_FALSE(is_index(Kind::kBool));
  CHECK_FALSE(is_signed_index(Kind::kBool));
  CHECK_FALSE(is_index(Kind::kFloat16));
  for (int kind = 0; kind <= static_cast<int>(Kind::kOther); ++kind) {
    Problem p = gather({4}, {2, 1}, {2});
    p.indices.dtype.kind = static_cast<Kind>(kind);
    p.indices.dtype.size = facts_of(p.indices.dtype.kind).size;
    if (is_index(p.indices.dtype.kind)) {
      CHECK(p.plan().tuples == 2);
    } else {
      fails_with(p, ErrorKind::kType,
                 std::string("gather_nd: indices must be int8 to int64 or uint8 to uint64, not ") +
                     name(p.indices.dtype.kind));
    }
  }
}

TEST_CASE("sizes must not be negative") {
  fails(gather({-5}, {1, 1}, {1}), ErrorKind::kValue,
        "gather_nd: the sizes of input must be 0 or more, not (-5,)");
  fails(scatter({5, -5}, {1, 1}, {1, -5}), ErrorKind::kValue,
        "scatter_nd: the sizes of input must be 0 or more, not (5, -5)");
  fails(gather({5}, {-2, 1}, {-2}), ErrorKind::kValue,
        "gather_nd: the sizes of indices must be 0 or more, not (-2, 1)");
}

TEST_CASE("element types must agree, in kind, size and byte order") {
  Problem p = gather({4}, {2, 1}, {2});
  p.rows.dtype = {Kind::kInt32, 4, true};
  fails(p, ErrorKind::kType, "gather_nd: out must have input's dtype float32, not int32");
  p.op = Operator::kScatter;
  fails(p, ErrorKind::kType, "scatter_nd: updates must have input's dtype float32, not int32");
  p.rows.dtype = {Kind::kFloat32, 4, false};
  fails_with(p, ErrorKind::kType, "updates must have input's dtype float32");
  p.table.dtype = {Kind::kBytes, 3, true};
  p.rows.dtype = {Kind::kBytes, 4, true};
  fails_with(p, ErrorKind::kType, "updates must have input's dtype bytes");
}

TEST_CASE("types of another library are one if they have one name") {
  const std::string name = "int4";
  const DType int4{Kind::kOther, 1, true, "int4"};
  CHECK(int4 == DType{Kind::kOther, 1, true, name.c_str()});
  CHECK(int4 != DType{Kind::kOther, 1, true, "float4"});
  CHECK(int4 != DType{Kind::kOther, 1, true});
}

TEST_CASE("reductions are refused where they are not defined, with a way round") {
  fails(reducing(Reduction::kAdd, kBoolean), ErrorKind::kType,
        "scatter_nd: reduction \"add\" is not defined for bool; for bool use \"or\", \"and\" or "
        "\"xor\"");
  fails(
      reducing(Reduction::kAdd, {Kind::kDatetime, 8, true}), ErrorKind::kType,
      "scatter_nd: reduction \"add\" is not defined for datetime64; view it as timedelta64 of its "
      "unit, datetime64[D] by x.view(\"m8[D]\"), and the result back");
  fails(reducing(Reduction::kMul, {Kind::kTimedelta, 8, true}), ErrorKind::kType,
        "scatter_nd: reduction \"mul\" is not defined for timedelta64; its ticks are "
        "x.view(\"int64\"), where NaT is the number -2**63");
  fails(reducing(Reduction::kMin, {Kind::kComplex64, 8, true}), ErrorKind::kType,
        "scatter_nd: reduction \"min\" is not defined for complex64");
  fails(reducing(Reduction::kOr, {Kind::kFloat32, 4, true}), ErrorKind::kType,
        "scatter_nd: reduction \"or\" is not defined for float32");
  fails(reducing(Reduction::kAdd, {Kind::kOther, 1, true}), ErrorKind::kType,
        "scatter_nd: reduction \"add\" is not defined for this dtype");
  fails(reducing(Reduction::kAdd, {Kind::kOther, 1, true, "int4"}), ErrorKind::kType,
        "scatter_nd: reduction \"add\" is not defined for int4");
  fails_with(reducing(Reduction::kAdd, {Kind::kInt32, 4, false}), ErrorKind::kType,
             "reduction \"add\" needs native byte order");
  CHECK(reducing(Reduction::kNone, {Kind::kInt32, 4, false}).plan().tuples == 2);
  CHECK(reducing(Reduction::kXor, kBoolean).plan().reduction == Reduction::kXor);
}

TEST_CASE("is_reducible by kind and reduction") {
  const auto reductions = [](Kind kind) {
    std::string letters;
    for (int r = 1; r <= static_cast<int>(Reduction::kXor); ++r) {
      letters += is_reducible(kind, static_cast<Reduction>(r)) ? "+-*<>&|^"[r - 1] : '.';
    }
    return letters;
  };
  CHECK(reductions(Kind::kBool) == "...<>&|^");
  CHECK(reductions(Kind::kInt8) == "+-*<>&|^");
  CHECK(reductions(Kind::kUInt64) == "+-*<>&|^");
  for (Kind kind : {Kind::kFloat16, Kind::kBFloat16, Kind::kFloat64, Kind::kLongDouble}) {
    CHECK(reductions(kind) == "+-*<>...");
  }
  CHECK(reductions(Kind::kComplex64) == "+-*.....");
  CHECK(reductions(Kind::kComplexLongDouble) == "+-*.....");
  CHECK(reductions(Kind::kDatetime) == "...<>...");
  CHECK(reductions(Kind::kTimedelta) == "+-.<>...");
  for (int kind = static_cast<int>(Kind::kBytes); kind <= static_cast<int>(Kind::kOther); ++kind) {
    CHECK(reductions(static_cast<Kind>(kind)) == "........");
    CHECK(is_reducible(static_cast<Kind>(kind), Reduction::kNone));
  }
}

TEST_CASE("options that do not go together") {
  Problem p = gather({4}, {2, 1}, {2});
  p.options.mode = Mode::kDrop;
  fails(p, ErrorKind::kValue,
        "gather_nd: mode must be one of \"raise\", \"clip\", \"wrap\", \"fill\", not \"drop\"");
  p.op = Operator::kScatter;
  p.options.mode = Mode::kFill;
  fails(p, ErrorKind::kValue,
        "scatter_nd: mode must be one of \"raise\", \"clip\", \"wrap\", \"drop\", not \"fill\"");
  p.options.mode = Mode::kDrop;
  p.options.reduction = Reduction::kAdd;
  p.options.duplicates = Duplicates::kFirst;
  fails(p, ErrorKind::kValue,
        "scatter_nd: duplicates goes with reduction=\"none\"; \"add\" takes every update");
}

TEST_CASE("batch_dims") {
  const std::string message =
      "gather_nd: batch_dims must be from 0 to 1 for input of shape (2, 3) and indices of shape "
      "(2, 1), not ";
  for (int64_t batch_dims : {int64_t{2}, int64_t{3}, int64_t{1} << 40, int64_t{-1},
                             int64_t{INT32_MIN}, INT64_MIN, INT64_MAX}) {
    const char* hint = batch_dims == 2 ? kOneIndex : "";
    fails(gather({2, 3}, {2, 1}, {2}, batch_dims), ErrorKind::kValue,
          message + std::to_string(batch_dims) + hint);
  }
  CHECK(gather({2, 3}, {2, 1}, {2}, 1).plan().batch_dims == 1);
  fails(gather({2, 3}, {4, 1}, {4}, 1), ErrorKind::kValue,
        "gather_nd: the batch dimensions of input (2,) and of indices (4,) must be equal");
  fails(gather({3}, {3, 0}, {3}, 2), ErrorKind::kValue,
        "gather_nd: batch_dims must be from 0 to 1 for input of shape (3,) and indices of shape "
        "(3, 0), not 2");
}

TEST_CASE("shapes") {
  fails(gather({4}, {}, {}), ErrorKind::kValue,
        "gather_nd: indices must have a last dimension, the tuple length; it is 0-d");
  fails(gather({4, 5}, {2, 3}, {2}), ErrorKind::kValue,
        "gather_nd: the last dimension of indices, the tuple length, must be at most 2 for input "
        "of shape (4, 5) and batch_dims=0, not 3" +
            std::string(kOneIndex));
  fails_with(gather({2, 5}, {2, 2}, {2}, 1), ErrorKind::kValue, "must be at most 1");
  fails_with(gather({}, {1}, {}), ErrorKind::kValue, "must be at most 0");
  fails(scatter({4, 5}, {2, 1}, {2, 4}), ErrorKind::kValue,
        "scatter_nd: updates must have shape (2, 5) (input is (4, 5), indices is (2, 1)), not (2, "
        "4); nothing is broadcast, see np.broadcast_to");
  fails(gather({4}, {2, 1}, {2, 1}), ErrorKind::kValue,
        "gather_nd: out must have shape (2,) (input is (4,), indices is (2, 1)), not (2, 1)");
  for (const Shape& rows : {Shape{}, Shape{10}, Shape{1, 5}, Shape{5, 2}, Shape{2, 5, 1}}) {
    fails_with(scatter({4, 5}, {2, 1}, rows), ErrorKind::kValue, "updates must have shape (2, 5)");
  }
  fails_with(gather({4}, {0}, {0}), ErrorKind::kValue, "out must have shape (4,)");
}

TEST_CASE("ranks up to 64") {
  const Shape most(64, 1), more(65, 1);
  CHECK(gather(most, {0}, most).plan().tuples == 1);
  CHECK(gather(most, {64}, {}).plan().depth == 64);
  CHECK(gather({1}, most, Shape(63, 1)).plan().positions.size() == 63);
  fails(gather(most, {1, 0}, more), ErrorKind::kValue,
        "gather_nd: the result would have 65 dimensions; the limit is 64");
  fails(scatter(most, {1, 0}, more), ErrorKind::kValue,
        "scatter_nd: updates would have 65 dimensions; the limit is 64");
  fails_with(gather(more, {65}, {}), ErrorKind::kValue, "the limit is 64");
  fails_with(gather(more, {0}, more), ErrorKind::kValue, "the limit is 64");
  fails_with(scatter({1}, more, most), ErrorKind::kValue, "the limit is 64");
}

TEST_CASE("sizes past 64 bits and strides past the address space") {
  fails_with(gather({kHuge, 4}, {4, 0}, {4, kHuge, 4}), ErrorKind::kValue,
             "a result of shape (4, 4611686018427387904, 4) is too big");
  Problem slice = gather({kHuge}, {0}, {kHuge});
  slice.table.strides = slice.rows.strides = Shape{0};
  fails_with(slice, ErrorKind::kValue, "of shape (4611686018427387904,) is too big");
  Problem tuples = gather({0}, {kHuge, 4, 0}, {kHuge, 4, 0});
  tuples.indices.strides = Shape{0, 0, 8};
  fails_with(tuples, ErrorKind::kValue, "indices of shape (4611686018427387904, 4, 0) is too big");
  Problem updates = scatter({2}, {(int64_t{1} << 60) + 1, 1}, {(int64_t{1} << 60) + 1});
  updates.table.dtype = updates.rows.dtype = {Kind::kComplex128, 16, true};
  updates.indices.strides = Shape{0, 8};
  updates.rows.strides = Shape{0};
  fails_with(updates, ErrorKind::kValue, "too big");
  const auto strided = [](Argument Problem::* argument, const std::string& name) {
    Problem p = gather({4}, {2, 1}, {2});
    Argument& x = p.*argument;
    x.strides = Shape(x.shape.size(), kHuge);
    fails_with(p, ErrorKind::kValue, "the strides of " + name + ", (4611686018427387904");
  };
  strided(&Problem::table, "input");
  strided(&Problem::indices, "indices");
  strided(&Problem::rows, "out");
}

}  // namespace gathernd::test

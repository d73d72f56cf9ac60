// Arguments of make_plan that need no memory: shapes, types, and strides if not packed.
#pragma once

#include <optional>
#include <vector>

#include "gathernd/plan.hpp"
#include "support.hpp"

namespace gathernd::test {

using Shape = std::vector<int64_t>;

struct Argument {
  Shape shape;
  DType dtype;
  std::optional<Shape> strides;
};

struct Problem {
  Operator op = Operator::kGather;
  Argument table, indices, rows;
  PlanOptions options;

  Plan plan() const {
    const Shape a = strides(table), b = strides(indices), c = strides(rows);
    return make_plan(op, {nullptr, table.dtype, table.shape, a},
                     Tensor{nullptr, indices.dtype, indices.shape, b},
                     {nullptr, rows.dtype, rows.shape, c}, options);
  }

 private:
  // Any rank, past the limit of Dims too; those of an empty shape may wrap.
  static Shape strides(const Argument& x) {
    if (x.strides) return *x.strides;
    Shape packed(x.shape.size());
    auto stride = static_cast<uint64_t>(x.dtype.size);
    for (size_t i = packed.size(); i-- > 0; stride *= static_cast<uint64_t>(x.shape[i])) {
      packed[i] = static_cast<int64_t>(stride);
    }
    return packed;
  }
};

inline constexpr DType kFloat{Kind::kFloat32, 4, true};
inline constexpr DType kLong{Kind::kInt64, 8, true};

// float32 table, int64 indices; `rows` as rows_shape has it.
inline Problem problem(Operator op, const Shape& table, const Shape& indices, const Shape& rows,
                       int64_t batch_dims = 0) {
  Problem p{op, {table, kFloat, {}}, {indices, kLong, {}}, {rows, kFloat, {}}, {}};
  p.options.batch_dims = batch_dims;
  return p;
}

inline Problem gather(const Shape& table, const Shape& indices, const Shape& rows,
                      int64_t batch_dims = 0) {
  return problem(Operator::kGather, table, indices, rows, batch_dims);
}

inline Problem scatter(const Shape& table, const Shape& indices, const Shape& rows,
                       int64_t batch_dims = 0) {
  return problem(Operator::kScatter, table, indices, rows, batch_dims);
}

}  // namespace gathernd::test

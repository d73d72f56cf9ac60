// What gpu_kernels measures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gathernd/plan.hpp"

namespace gathernd::d3d12 {

using Shape = std::vector<int64_t>;

struct Work {
  std::string name;
  Shape table;
  int64_t tuples;
  DType dtype{Kind::kFloat32, 4};
  DType index_type{Kind::kInt32, 4};
  int depth = 1;
  int64_t hot = 0;        // all tuples address this many rows; 0: any row
  bool in_order = false;  // the tuples address all rows one after the other
  Operator op = Operator::kGather;
  PlanOptions options = {};
  bool prepared = false;   // by an IndexPlan, which knows the order
  bool new_array = false;  // a scatter into one, of what the table has
};

std::vector<Work> works();

}  // namespace gathernd::d3d12

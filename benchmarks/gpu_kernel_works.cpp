#include "gpu_kernel_works.hpp"

#include <utility>

namespace gathernd::d3d12 {
namespace {

constexpr int64_t kMillion = int64_t{1} << 20;

Work gather_of(const std::string& name, int64_t row, DType dtype = {Kind::kFloat32, 4}) {
  return {.name = "gather " + name, .table = {kMillion, row}, .tuples = kMillion, .dtype = dtype};
}

Work scatter_of(const std::string& name, int64_t row, Reduction reduction, int64_t hot = 0,
                DType dtype = {Kind::kFloat32, 4}) {
  return {.name = name,
          .table = {kMillion, row},
          .tuples = kMillion,
          .dtype = dtype,
          .hot = hot,
          .op = Operator::kScatter,
          .options = {.reduction = reduction}};
}

}  // namespace

std::vector<Work> works() {
  std::vector<Work> result;
  // Long rows in order: a copy, as fast as a shader copies.
  result.push_back(
      {.name = "copy", .table = {1 << 14, 1 << 14}, .tuples = 1 << 14, .in_order = true});
  for (const int64_t row : {1, 4, 16, 64, 256}) {
    const std::string floats = "rows of " + std::to_string(row);
    result.push_back(gather_of(floats, row));
    for (const auto& [name, reduction] :
         {std::pair{"set ", Reduction::kNone}, std::pair{"add ", Reduction::kAdd}}) {
      result.push_back(scatter_of(name + floats, row, reduction));
      result.push_back(scatter_of(name + floats + ", new array", row, reduction));
      result.back().new_array = true;
    }
    result.push_back(scatter_of("add " + floats + ", plan", row, Reduction::kAdd));
    result.back().prepared = true;
    if (row > 64) continue;
    result.push_back(scatter_of("set 64 hot " + floats, row, Reduction::kNone, 64));
    result.push_back(scatter_of("add 64 hot " + floats, row, Reduction::kAdd, 64));
    if (row != 1 && row != 16) continue;
    result.push_back(scatter_of("add 64 hot " + floats + ", plan", row, Reduction::kAdd, 64));
    result.back().prepared = true;
  }
  for (const auto& [name, reduction] : {std::pair{"set few rows of 16", Reduction::kNone},
                                        std::pair{"add few rows of 16", Reduction::kAdd}}) {
    result.push_back(scatter_of(name, 16, reduction));
    result.back().table = {4 * kMillion, 16};
    result.back().tuples = kMillion / 1024;
  }
  const DType half{Kind::kFloat16, 2}, float64{Kind::kFloat64, 8};
  result.push_back(scatter_of("add into one row of 1", 1, Reduction::kAdd, 1));
  result.push_back(scatter_of("add rows of 8", 8, Reduction::kAdd));
  result.push_back(scatter_of("add rows of 16, float16", 16, Reduction::kAdd, 0, half));
  const DType int32{Kind::kInt32, 4}, int64{Kind::kInt64, 8};
  for (const int64_t row : {1, 4, 16, 64}) {
    const std::string rows = "rows of " + std::to_string(row);
    result.push_back(scatter_of("max " + rows, row, Reduction::kMax));
    result.push_back(scatter_of("min " + rows, row, Reduction::kMin));
    result.push_back(scatter_of("max 64 hot " + rows, row, Reduction::kMax, 64));
    if (row == 64) continue;
    result.push_back(scatter_of("add " + rows + ", int32", row, Reduction::kAdd, 0, int32));
  }
  result.push_back(scatter_of("add 64 hot rows of 1, int32", 1, Reduction::kAdd, 64, int32));
  for (const int64_t row : {1, 8}) {
    const std::string rows = "add rows of " + std::to_string(row);
    result.push_back(scatter_of(rows + ", int64", row, Reduction::kAdd, 0, int64));
    result.push_back(scatter_of(rows + ", float64", row, Reduction::kAdd, 0, float64));
  }
  result.push_back(scatter_of("set rows of 1, any", 1, Reduction::kNone));
  result.back().options.duplicates = Duplicates::kAny;
  result.push_back(scatter_of("set 64 hot rows of 1, any", 1, Reduction::kNone, 64));
  result.back().options.duplicates = Duplicates::kAny;
  result.push_back(gather_of("rows of 8, float16", 8, half));
  result.push_back(gather_of("rows of 16, uint8", 16, {Kind::kUInt8, 1}));
  result.push_back(gather_of("rows of 2, float64", 2, float64));
  result.push_back(gather_of("rows of 16, int64", 16));
  result.back().index_type = {Kind::kInt64, 8};
  result.push_back(gather_of("rows of 16, clip", 16));
  result.back().options.mode = Mode::kClip;
  result.push_back({.name = "gather 2-tuples into 4096 x 4096",
                    .table = {4096, 4096},
                    .tuples = 4 * kMillion,
                    .depth = 2});
  result.push_back({.name = "gather RGB bytes of 4096 x 4096",
                    .table = {4096, 4096, 3},
                    .tuples = 4 * kMillion,
                    .dtype = {Kind::kUInt8, 1},
                    .depth = 2});
  result.push_back({.name = "gather rows of 64 from 8 GiB",
                    .table = {int64_t{1} << 25, 64},
                    .tuples = kMillion});
  return result;
}

}  // namespace gathernd::d3d12

// Index components: what goes to the device, and calls with them beside the CPU's.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cases.hpp"
#include "core/layout.hpp"
#include "d3d12/operators/sent_indices.hpp"
#include "gathernd/device.hpp"
#include "gathernd/gathernd.hpp"
#include "gathernd/index_plan.hpp"
#include "tuning.hpp"

namespace gathernd::testing {
namespace {

using namespace d3d12;

// Counts the bytes that are copied to the device; runs nothing.
class CountingGpu final : public Gpu {
 public:
  BufferPtr allocate(Heap heap, uint64_t bytes) override {
    return std::make_shared<HostBuffer>(heap, bytes, buffers_);
  }
  void copy(Buffer&, uint64_t, Buffer&, uint64_t, uint64_t bytes) override { copied += bytes; }
  void dispatch(const Shader&, std::span<const uint32_t>, std::span<const View>,
                std::span<const View>, uint64_t, Cost) override {
    ++dispatches;
  }
  void prepare(const Shader&) override {}
  uint64_t submit() override { return 0; }
  void wait(uint64_t) override {}
  void finish() override {}
  void discard() override {}
  bool lost() const override { return false; }
  bool ended() override { return true; }
  void retire() override {}

  uint64_t copied = 0, dispatches = 0;

 private:
  class HostBuffer final : public Buffer {
   public:
    HostBuffer(Heap heap, uint64_t bytes, std::shared_ptr<DeviceBuffers> home)
        : Buffer(bytes, std::move(home)), memory_(heap == Heap::kDevice ? 0 : bytes) {}
    std::byte* mapped() override { return memory_.empty() ? nullptr : memory_.data(); }
    void drop() override {}

   private:
    Bytes memory_;
  };

  std::shared_ptr<DeviceBuffers> buffers_ = std::make_shared<DeviceBuffers>();
};

// A component of `outer`: of its own type, along some of the dimensions, from first to last or
// back.
struct Component {
  Component(DType type, const Shape& outer, const std::vector<bool>& repeats)
      : shape(outer), array(type, kept(outer, repeats)), strides(array.strides) {
    for (size_t i = 0; i < outer.size(); ++i) {
      if (repeats[i]) strides[i] = 0;
    }
  }
  static Shape kept(Shape shape, const std::vector<bool>& repeats) {
    for (size_t i = 0; i < shape.size(); ++i) {
      if (repeats[i]) shape[i] = 1;
    }
    return shape;
  }

  void reverse(size_t axis) {
    offset += (shape[axis] - 1) * strides[axis];
    strides[axis] = -strides[axis];
  }
  Tensor tensor() { return {array.bytes.data() + offset, array.dtype, shape, strides}; }

  Shape shape;
  Array array;
  Shape strides;
  int64_t offset = 0;
};

std::vector<Tensor> tensors_of(std::vector<Component>& components) {
  std::vector<Tensor> result;
  for (Component& c : components) result.push_back(c.tensor());
  return result;
}

Plan plan_of(const Indices& indices, Array& table, Array& rows) {
  return make_plan(Operator::kGather, table.tensor(), indices, rows.tensor(), {});
}

TEST_CASE("components: each goes to the device once, in its own type, and what repeats once") {
  const DType byte{Kind::kUInt8, 1}, int16{Kind::kInt16, 2}, int32{Kind::kInt32, 4},
      int64{Kind::kInt64, 8};
  const struct {
    Shape outer;
    std::vector<Component> components;
    uint64_t bytes;
  } cases[] = {
      {{300}, {{int32, {300}, {false}}, {int32, {300}, {false}}}, 2 * 300 * 4},
      {{300}, {{byte, {300}, {false}}, {int64, {300}, {true}}}, 300 + 8},
      {{40, 50}, {{int16, {40, 50}, {false, true}}, {int64, {40, 50}, {true, false}}}, 80 + 400},
      {{4, 5, 6},
       {{int32, {4, 5, 6}, {true, false, true}}, {byte, {4, 5, 6}, {false, false, true}}},
       20 + 20},
  };
  for (const auto& [outer, given, bytes] : cases) {
    std::vector<Component> components = given;
    const std::vector<Tensor> tensors = tensors_of(components);
    const Indices indices(tensors);
    Array table({Kind::kFloat32, 4}, {9, 9}), rows(table.dtype, outer);
    const Plan plan = plan_of(indices, table, rows);
    CountingGpu gpu;
    Memory memory(gpu);
    const SentIndices sent(gpu, memory, plan, indices);
    CHECK(gpu.copied == bytes);
    CHECK(gpu.dispatches == 2);
  }
}

TEST_CASE("components: tuples have the shortest type that holds all indices") {
  const auto type_of = [](std::vector<DType> types) {
    std::vector<Component> components;
    for (const DType& type : types) components.push_back({type, {5}, {false}});
    const std::vector<Tensor> tensors = tensors_of(components);
    const Indices indices(tensors);
    Array table({Kind::kFloat32, 4}, {9, 9}), rows(table.dtype, {5});
    CountingGpu gpu;
    Memory memory(gpu);
    return SentIndices(gpu, memory, plan_of(indices, table, rows), indices).plan().index_type.kind;
  };
  const DType byte{Kind::kUInt8, 1}, int16{Kind::kInt16, 2}, int32{Kind::kInt32, 4},
      uint32{Kind::kUInt32, 4}, int64{Kind::kInt64, 8}, uint64{Kind::kUInt64, 8};
  CHECK(type_of({byte, int32}) == Kind::kInt32);
  CHECK(type_of({byte, uint32}) == Kind::kUInt32);
  CHECK(type_of({int16, uint32}) == Kind::kInt64);
  CHECK(type_of({byte, uint64}) == Kind::kUInt64);
  CHECK(type_of({int32, uint64}) == Kind::kInt64);
  CHECK(type_of({int64, byte}) == Kind::kInt64);
}

class RandomComponents {
 public:
  explicit RandomComponents(uint64_t seed) : random_(seed) {}

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[random_() % values.size()];
  }

  Component component(const Shape& outer, int64_t size) {
    std::vector<bool> repeats;
    for (size_t i = 0; i < outer.size(); ++i) repeats.push_back(below(3) == 0);
    const Kind kind = one_of({Kind::kInt8, Kind::kInt16, Kind::kInt32, Kind::kInt64, Kind::kUInt8,
                              Kind::kUInt16, Kind::kUInt32, Kind::kUInt64, Kind::kUInt64});
    DType type = index_dtype(kind);
    if (below(5) == 0) type.native = false;
    Component result(type, outer, repeats);
    for (int64_t i = 0; i < result.array.elements(); ++i) store(result.array, i, value(size));
    const auto axis = static_cast<size_t>(below(static_cast<int64_t>(outer.size())));
    if (below(2) == 0) result.reverse(axis);
    return result;
  }

 private:
  uint64_t value(int64_t size) {
    if (below(40) == 0) return random_();
    return static_cast<uint64_t>(below(2 * size) - (below(3) == 0 ? size : 0)) %
           static_cast<uint64_t>(below(8) == 0 ? INT64_MAX : size);
  }
  static void store(Array& array, int64_t i, uint64_t value) {
    std::byte bytes[8];
    std::memcpy(bytes, &value, sizeof bytes);
    const auto size = static_cast<size_t>(array.dtype.size);
    if (!array.dtype.native) std::reverse(bytes, bytes + size);
    std::memcpy(array.bytes.data() + static_cast<size_t>(i) * size, bytes, size);
  }

  std::mt19937_64 random_;
};

struct Outcome {
  Bytes bytes;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

template <class Call>
Outcome outcome_of(Array output, Call call) {
  Outcome result;
  try {
    call(output);
  } catch (const Error& error) {
    result.error = error.what();
  }
  result.bytes = output.bytes;
  return result;
}

// Calls with random components give what they give on the CPU, errors included.
void check_calls(int calls) {
  Backend& device = d3d12_api().backend(0);
  for (int seed = 0; seed < calls; ++seed) {
    CAPTURE(seed);
    RandomComponents random(static_cast<uint64_t>(seed));
    const Shape outer = random.one_of<Shape>({{1}, {70}, {7, 11}, {3, 4, 5}, {2, 3, 2, 4}});
    const Shape indexed = random.one_of<Shape>({{6}, {5, 7}, {3, 4, 5}, {300, 3}, {2, 1, 3, 2, 2}});
    const Shape slice = random.one_of<Shape>({{}, {3}, {4}});
    std::vector<Component> components;
    for (const int64_t size : indexed) components.push_back(random.component(outer, size));
    const std::vector<Tensor> tensors = tensors_of(components);
    const Indices indices(tensors);
    const DType dtype{Kind::kInt32, 4};
    Shape table_shape = indexed, rows_shape = outer;
    table_shape.insert(table_shape.end(), slice.begin(), slice.end());
    rows_shape.insert(rows_shape.end(), slice.begin(), slice.end());
    Array table(dtype, table_shape), rows(dtype, rows_shape);
    for (size_t i = 0; i < table.bytes.size(); ++i) table.bytes[i] = static_cast<std::byte>(i * 7);
    for (size_t i = 0; i < rows.bytes.size(); ++i) rows.bytes[i] = static_cast<std::byte>(i * 5);
    const bool wraps = random.below(2) == 0;
    const int32_t fill = -9;
    const Mode mode = random.one_of({Mode::kRaise, Mode::kClip, Mode::kWrap, Mode::kFill});
    const auto gather = [&](Backend* backend) {
      return outcome_of(rows, [&](Array& out) {
        GatherOptions options;
        options.mode = mode;
        options.wrap_negative_indices = wraps;
        options.fill_value = reinterpret_cast<const std::byte*>(&fill);
        options.backend = backend;
        gather_nd(table.tensor(), indices, out.tensor(), options);
      });
    };
    CHECK(gather(&device) == gather(nullptr));
    const auto scatter = [&](Backend* backend) {
      return outcome_of(table, [&](Array& out) {
        ScatterOptions options;
        options.mode = mode == Mode::kFill ? Mode::kDrop : mode;
        options.wrap_negative_indices = wraps;
        options.reduction = seed % 2 == 0 ? Reduction::kAdd : Reduction::kNone;
        if (seed % 4 == 1) options.duplicates = Duplicates::kError;
        options.backend = backend;
        scatter_nd(out.tensor(), indices, rows.tensor(), out.tensor(), options);
      });
    };
    CHECK(scatter(&device) == scatter(nullptr));
  }
}

TEST_CASE("components: calls beside the CPU's") { check_calls(120); }

TEST_CASE("components: the same in chunks and windows of a few bytes") {
  const SmallPieces small(64);
  check_calls(60);
}

}  // namespace
}  // namespace gathernd::testing

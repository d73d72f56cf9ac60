// Random calls of the two functions, of every type, mode, layout and overlap.
#include <map>

#include "core/layout.hpp"
#include "oracle.hpp"
#include "reference.hpp"

namespace gathernd::test {
namespace {

Dims random_shape(Random& random, int64_t most_rank, int64_t most_size) {
  Dims shape;
  for (int64_t rank = random(0, most_rank); rank > 0; --rank) {
    shape.push_back(random.one_in(20) ? 0 : random(1, most_size));
  }
  return shape;
}

// Mostly small; some of many tuples, which go to several threads, and some of long slices.
void random_shapes(Random& random, int64_t divisor, bool simple, Call* call) {
  const bool many = random.one_in(6), large = !many && random.one_in(8);
  const Dims batch = random_shape(random, large || simple ? 0 : 2, 3);
  const Dims indexed = random_shape(random, 3, many ? 20 : large ? 2 : 5);
  Dims outer = random_shape(random, 2, 5), slice = random_shape(random, 2, 5);
  if (many) outer = Dims(std::vector{random(1, 3000 / divisor)});
  if (many) slice = Dims();
  if (large) outer = Dims(std::vector{random(1, 3)});
  if (large) slice = Dims(std::vector{random(1000 / divisor, 8000 / divisor)});
  call->options.batch_dims = batch.size();
  call->input.shape = call->indices.shape = batch;
  call->input.shape.append(span(indexed));
  call->input.shape.append(span(slice));
  call->indices.shape.append(span(outer));
  call->indices.shape.push_back(indexed.size());
}

constexpr int64_t kSizes[] = {1, 2, 3, 4, 8, 16, 24};  // of elements that are moved

// The fields of a record of one of these sizes, with gaps; null if it is too small.
const std::vector<ByteRun>* random_fields(Random& random, int64_t size) {
  using Records = std::vector<std::vector<ByteRun>>;
  static const auto of_size = [] {
    std::map<int64_t, Records> result;
    for (const int64_t n : kSizes) {
      if (n > 2) result[n] = {{{0, 0}}, {{0, n - 1}}, {{1, n - 1}}, {{0, 1}, {2, n - 2}}};
    }
    return result;
  }();
  const auto found = of_size.find(size);
  if (found == of_size.end()) return nullptr;
  return &found->second[static_cast<size_t>(random(0, 3))];
}

void random_types(Random& random, Call* call) {
  call->options.mode = random.one_of({Mode::kRaise, Mode::kRaise, Mode::kClip, Mode::kWrap,
                                      call->op == Operator::kGather ? Mode::kFill : Mode::kDrop});
  call->options.wrap_negative_indices = !random.one_in(6);
  DType dtype{Kind::kOther, kSizes[random(0, std::ssize(kSizes) - 1)], random.one_in(2)};
  if (call->op == Operator::kScatter && random.one_in(2)) {
    do {
      dtype.kind = kKinds[random(0, std::ssize(kKinds) - 1)];
      call->options.reduction = kReductions[random(0, std::ssize(kReductions) - 1)];
    } while (!is_reducible(dtype.kind, call->options.reduction));
    dtype.size = size_of(dtype.kind);
    dtype.native = true;
  } else if (call->op == Operator::kScatter) {
    call->options.duplicates = random.one_of(
        {Duplicates::kLast, Duplicates::kFirst, Duplicates::kError, Duplicates::kAny});
  }
  const bool is_record = dtype.kind == Kind::kOther && random.one_in(4);
  if (is_record) dtype.fields = random_fields(random, dtype.size);
  call->input.dtype = dtype;
  const Kind kind = kIndexKinds[random(0, std::ssize(kIndexKinds) - 1)];
  call->indices.dtype = {kind, size_of(kind), !random.one_in(4)};
}

// What a call of few tuples needs in order to go without a plan; its arrays must be packed, too.
void simplify(Random& random, Call* call) {
  call->options.mode = random.one_of({Mode::kRaise, Mode::kClip, Mode::kWrap});
  call->options.duplicates = Duplicates::kLast;
  const Kind kind = random.one_of({Kind::kInt32, Kind::kInt64});
  call->indices.dtype = {kind, size_of(kind), true};
}

void pack(Array* array) { array->strides = c_strides(span(array->shape), array->dtype.size); }

void fill_elements(Random& random, const Array& array) {
  if (array.dtype.kind == Kind::kOther) return;  // any bytes will do, and are there
  for (int64_t p = 0; p < array.elements(); ++p) {
    random_element(random, array.dtype.kind, array.at(p));
  }
}

void fill_indices(Random& random, const Call& call) {
  const int64_t bad_in = random.one_of<int64_t>({5, 1000, 1'000'000'000});
  for (int64_t p = 0; p < call.indices.elements(); ++p) {
    const auto axis = static_cast<int>(call.options.batch_dims + p % call.indices.shape.back());
    const int64_t value = random_index(random, call.indices.dtype.kind, call.input.shape[axis],
                                       !random.one_in(bad_in));
    store_index(call.indices.at(p), call.indices.dtype, value);
  }
}

// A type that holds each of the values.
DType type_for(Random& random, const std::vector<__int128>& values, const DType& otherwise) {
  const Kind kind = kIndexKinds[random(0, std::ssize(kIndexKinds) - 1)];
  const DType type{kind, size_of(kind), !random.one_in(4)};
  const bool has_sign = is_signed_index(kind);
  const int bits = 8 * static_cast<int>(type.size) - (has_sign ? 1 : 0);
  const __int128 most = (__int128{1} << bits) - 1, least = has_sign ? -most - 1 : 0;
  const bool fits =
      std::ranges::all_of(values, [&](__int128 value) { return value >= least && value <= most; });
  return fits ? type : otherwise;
}

}  // namespace

// Memory for all; the output apart, in place, or over an argument.
Call random_call(Random& random, Operator op, int64_t divisor) {
  Call call;
  call.op = op;
  const bool simple = random.one_in(4);
  random_shapes(random, divisor, simple, &call);
  random_types(random, &call);
  if (simple) simplify(random, &call);
  const bool gathers = op == Operator::kGather;
  const Dims rows =
      rows_shape(op, span(call.input.shape), call.indices.tensor(), call.options.batch_dims);
  const DType dtype = call.input.dtype;
  const bool in_place = !gathers && (simple || random.one_in(3));
  call.input = layout(random, call.input.shape, dtype, !in_place);
  call.indices = layout(random, call.indices.shape, call.indices.dtype, true);
  call.output = layout(random, gathers ? rows : call.input.shape, dtype, false);
  call.updates = layout(random, rows, dtype, true);
  if (simple || random.one_in(3)) {
    for (Array* array : {&call.input, &call.indices, &call.output}) pack(array);
    if (simple || !random.one_in(3)) pack(&call.updates);
  }
  // Any update may win: let them be the same.
  const int tuples_rank = call.indices.shape.size() - 1;
  if (call.options.duplicates == Duplicates::kAny) {
    std::fill_n(call.updates.strides.begin(), tuples_rank, 0);
  }
  if (in_place) call.output = call.input;

  const int64_t over = random(0, 9);
  std::vector<Array*> apart{&call.output, &call.input, &call.indices, &call.updates};
  if (over < 3) {
    apart.erase(apart.begin() + 1 + over);
    place(random, {&call.output, over == 0   ? &call.input
                                 : over == 1 ? &call.indices
                                             : &call.updates});
    apart.erase(apart.begin());
  }
  for (Array* array : apart) place(random, {array});
  if (in_place) call.input = call.output;
  fill_elements(random, call.output);
  fill_elements(random, call.input);
  fill_elements(random, call.updates);
  fill_indices(random, call);
  for (int64_t i = 0; i < dtype.size; ++i)
    call.fill.push_back(static_cast<std::byte>(random.bits()));
  return call;
}

void add_components(Random& random, Call* call) {
  const Array before = call->indices;
  Array& tuples = call->indices;
  tuples = layout(random, before.shape, before.dtype, false);
  place(random, {&tuples});
  const Dims shape(span(tuples.shape).first(static_cast<size_t>(tuples.shape.size() - 1)));
  for (int64_t k = 0; k < tuples.shape.back(); ++k) {
    const auto component_of = [&](const Array& array, Dims position) {
      position.push_back(k);
      return array.at(position);
    };
    std::vector<__int128> values;
    for (int64_t p = 0; p < count(span(shape)); ++p) {
      values.push_back(load_index(component_of(before, unravel(p, span(shape))), before.dtype));
    }
    Array component = layout(random, shape, type_for(random, values, before.dtype), true);
    place(random, {&component});
    for (int64_t p = 0; p < component.elements(); ++p) {
      const Dims position = unravel(p, span(shape));
      Dims from = position;
      for (int i = 0; i < from.size(); ++i) from[i] = component.strides[i] == 0 ? 0 : from[i];
      const auto value = static_cast<int64_t>(load_index(component_of(before, from), before.dtype));
      store_index(component_of(tuples, position), tuples.dtype, value);
      store_index(component.at(position), component.dtype, value);
    }
    call->components.push_back(std::move(component));
  }
}

}  // namespace gathernd::test

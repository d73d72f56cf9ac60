// The pairs of an operation and a type of elements that kernels are compiled for.
#pragma once

#include <concepts>
#include <type_traits>

#include "cpu/kernels/combine.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/kind_types.hpp"
#include "gathernd/plan.hpp"

namespace gathernd {

template <class Op>
inline constexpr bool kOrders = std::same_as<Op, Min> || std::same_as<Op, Max>;

// Sums and products that are rounded once, later.
template <class Op, class T>
inline constexpr bool kSumsHalves =
    (std::same_as<T, Half> || std::same_as<T, BFloat16>) &&
    (std::same_as<Op, Add> || std::same_as<Op, Sub> || std::same_as<Op, Mul>);

// Returns f.operator()<Op, T>() with the pair of the kind and the reduction, or with another pair
// that makes the same bits. Null kernels if there is none.
template <class F>
ReduceKernels with_combination(Kind kind, Reduction reduction, F f) {
  if (!is_reducible(kind, reduction)) return {};
  return with_operation(reduction, [&]<class Op>(Op) {
    return with_type(kind, [&]<class T>(T) -> ReduceKernels {
      if constexpr (std::signed_integral<T> && !kOrders<Op>) {
        return f.template operator()<Op, std::make_unsigned_t<T>>();
      } else if constexpr (std::same_as<T, Time> && std::same_as<Op, Min>) {
        return f.template operator()<Op, int64_t>();
      } else if constexpr (std::same_as<T, Bool> && kOrders<Op>) {
        return f.template operator()<std::conditional_t<std::same_as<Op, Min>, And, Or>, Bool>();
      } else if constexpr (kSumsHalves<Op, T> || requires(T x) { Op::apply(x, x); }) {
        return f.template operator()<Op, T>();
      } else {
        return {};
      }
    });
  });
}

}  // namespace gathernd

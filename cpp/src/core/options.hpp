// The values of the options, and which of them an operator takes.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "gathernd/plan.hpp"

namespace gathernd {

std::span<const Mode> all_modes();
std::span<const Reduction> all_reductions();
std::span<const Duplicates> all_duplicates();

bool takes(Operator op, Mode mode);
inline bool takes(Operator, Reduction) { return true; }
inline bool takes(Operator, Duplicates) { return true; }

// The values of an enum whose `n` values count from 0.
template <class Option, size_t n>
constexpr std::array<Option, n> all_of() {
  std::array<Option, n> result;
  for (size_t i = 0; i < n; ++i) result[i] = static_cast<Option>(i);
  return result;
}

template <class Option>
bool is_one_of(std::span<const Option> all, Option option) {
  return static_cast<size_t>(option) < all.size();
}

// The error for an option that is none of those that the operator takes. `given`: as the caller
// wrote it.
template <class Option>
std::string must_be_one(Operator op, const char* what, std::span<const Option> all,
                        const std::string& given) {
  std::string list;
  for (const Option option : all) {
    if (takes(op, option)) {
      list += (list.empty() ? "\"" : ", \"") + std::string(name(option)) + "\"";
    }
  }
  return std::string(what) + " must be one of " + list + ", not " + given;
}

}  // namespace gathernd

// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

namespace gathernd {

enum class ErrorKind {
  kValue,   // a shape, a count or an option is wrong
  kType,    // an element or index type is wrong
  kIndex,   // an index value is out of range
  kDevice,  // a device is missing or failed
};

// Functions of this namespace throw only this and std::bad_alloc.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace gathernd

// A reference to a callable that outlives it. Passing it on allocates nothing, so it cannot fail.
#pragma once

#include <memory>
#include <utility>

namespace gathernd {

template <class Signature>
class FunctionRef;

template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F>
  FunctionRef(const F& f) : object_(std::addressof(f)), call_(call<F>) {}
  FunctionRef(const FunctionRef&) = default;

  R operator()(A... arguments) const { return call_(object_, std::forward<A>(arguments)...); }

 private:
  template <class F>
  static R call(const void* object, A... arguments) {
    return (*static_cast<const F*>(object))(std::forward<A>(arguments)...);
  }

  const void* object_;
  R (*call_)(const void*, A...);
};

}  // namespace gathernd

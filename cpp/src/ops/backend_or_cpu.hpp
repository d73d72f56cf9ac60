// The backend of a call.
#pragma once

#include "gathernd/backend.hpp"

namespace gathernd {

inline Backend& backend_or_cpu(Backend* backend) {
  return backend != nullptr ? *backend : cpu_backend();
}

}  // namespace gathernd

// SPDX-License-Identifier: MIT
// A model to read: from a file, or from bytes that stay valid (the Blob keeps them).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/graph/model.h"

namespace ortc {

struct ModelSource {
  std::string path;
  Blob bytes;
  bool from_memory = false;
  // Set: gives the model instead, not inferred, a new one at each call. Then `path` only says where
  // it came from.
  std::function<Result<std::unique_ptr<Model>>()> make_model;
};

}  // namespace ortc

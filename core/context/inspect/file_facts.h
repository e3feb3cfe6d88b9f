// SPDX-License-Identifier: MIT
// A model or a context binary as a list of facts: comparing two files is comparing their facts.
#pragma once

#include <map>
#include <string>

#include "core/provider/registry.h"

namespace ortc {

// What a thing is, by its name; contents are told by their hashes.
using Facts = std::map<std::string, std::string>;

struct FileFacts {
  std::string kind;  // "onnx_model" or "context_binary"
  // Of a model: "field", "metadata", "value", "weight", "node", "context"; of a context binary
  // "field", "kernel", "graph", "tensor".
  std::map<std::string, Facts> parts;

  // All weights are read, of contexts only what their metadata say.
  static Result<FileFacts> of_file(const std::string& path, const ProviderRegistry& providers);
};

}  // namespace ortc

// SPDX-License-Identifier: MIT
// The attributes of com.microsoft::EPContext, read with their types.
#pragma once

#include <optional>
#include <string>

#include "core/graph/graph.h"

namespace ortc {

// Texts are views into the node.
struct ContextNode {
  bool is_main = true;          // main_context: it has context data itself
  bool is_embedded = true;      // embed_mode: the bytes stand in the node, not the name of a file
  std::optional<Blob> content;  // ep_cache_context
  std::string_view sdk_version, model_filename, hardware_architecture, partition_name, source,
      notes;
  int64_t max_size = 0;  // a provider's own

  // INVALID_GRAPH names the attribute that is of another type, with expected and found. Attributes
  // that the operator does not have are the provider's own.
  static Result<ContextNode> read(const Node& node);
};

// "EPContext 'p_AOT_12_0' of source 'AOT'", for messages.
std::string context_label(const Node& node);

}  // namespace ortc

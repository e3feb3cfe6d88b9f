// SPDX-License-Identifier: MIT
// Model -> bytes, without loss of what this library does not understand.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/graph/model.h"

namespace ortc {

struct ExportOptions {
  // Decides for each initializer (and large Constant attribute) where its bytes go: nullopt keeps
  // them in the message. String and sparse tensors always stay. For a Constant node (1 KiB and more
  // in its `value`) the value is the node's output. Called in order of graphs (inner first) and
  // names, once per exported_size() and once per export_model(); both must get equal answers. The
  // caller writes the external bytes.
  std::function<Result<std::optional<ExternalLocation>>(const Graph&, const Value&)>
      place_initializer;
  // The payload of string attributes of this name (an embedded context) starts on a multiple of
  // 4096 of the output: a field unknown to ONNX stands before it.
  std::string aligned_attribute;
};

using ByteSink = std::function<Status(Bytes)>;

// The size first (FAIL above 2^31-1 bytes, before a byte is given), then the bytes in pieces; large
// payloads are given as they lie in memory, without a copy.
Result<uint64_t> exported_size(const Model& model, const ExportOptions& options);
Status export_model(const Model& model, const ExportOptions& options, const ByteSink& sink);

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as an ONNX model. What can be read must verify, print, be written, and be
// read again as the same graph.
#include <cstdlib>

#include "core/graph/export.h"
#include "core/graph/text/dot.h"
#include "core/graph/text/print.h"
#include "core/graph/verify.h"

using namespace ortc;

namespace {

void require(bool condition) {
  if (!condition) abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Blob source = Blob::copy_of({reinterpret_cast<const std::byte*>(data), size});
  ImportOptions options;
  options.external_data_folder = "/nowhere/at/all";
  auto model = import_model_bytes(source, options);
  if (!model.is_ok()) return 0;
  require(verify_graph(*(*model)->graph).is_ok());
  const std::string text = print_graph(*(*model)->graph);
  require(!graph_to_dot(*(*model)->graph).empty());
  require(print_graph(*(*model)->graph->clone()) == text);
  ExportOptions export_options;
  if (size % 2 == 1) export_options.aligned_attribute = "ep_cache_context";
  std::string bytes;
  const Status status = export_model(**model, export_options, [&](Bytes piece) {
    bytes += as_text(piece);
    return Status::ok();
  });
  require(status.is_ok());
  auto again = import_model_bytes(Blob::from_string(std::move(bytes)), options);
  require(again.is_ok());
  require(print_graph(*(*again)->graph) == text);
  return 0;
}

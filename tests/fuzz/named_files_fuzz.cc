// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as a model whose files are looked for. Names are paths that stand in the
// bytes; the beginning of the bytes has no others; and when the bytes are a model, they are all
// that its reader opens: an output of a compile may replace any other file.
#include <limits.h>

#include "core/graph/model.h"
#include "core/proto/external_location.h"
#include "core/proto/named_files.h"
#include "tests/fuzz/fuzz_checks.h"

using namespace ortc;
using ortc::fuzz::require;

namespace {

using Names = std::set<std::string>;

void check_names(const Names& names, Bytes model) {
  for (const std::string& name : names) {
    require(!name.empty() && name.size() < PATH_MAX);
    require(as_text(model).find(name) != std::string_view::npos);
  }
}

void check_beginnings(const Names& names, Bytes model) {
  for (const size_t size : {model.size() / 3, model.size() / 2, model.size() - model.size() / 8}) {
    for (const std::string& name : files_named_by(model.first(size))) {
      require(names.contains(name));
    }
  }
}

// The context binaries that the nodes of a graph and of its bodies name.
void add_contexts(const Graph& graph, Names& read) {
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr) continue;
    read.emplace(node->string_attribute("ep_cache_context", ""));
    for (const Graph* body : node->subgraphs()) add_contexts(*body, read);
  }
}

// What reading the model asks its folder for; nothing when it is refused.
Names names_read(Bytes model) {
  static const fuzz::ScratchFolder empty;
  Names read;
  std::vector<std::string> missing;
  ImportOptions options;
  options.external_data_folder = empty.path().string();
  options.missing_external_data = &missing;
  options.current_name = [&](const std::string& name) {
    read.insert(name);
    return name;
  };
  const auto imported = import_model_bytes(Blob::copy_of(model), options);
  if (!imported.is_ok()) return {};
  add_contexts(*(*imported)->graph, read);
  return read;
}

void check_all_are_named(const Names& names, const Names& read) {
  Names plain = names;
  for (const std::string& name : names) plain.insert(plain_location(name));
  for (const std::string& name : read) {
    require(name.empty() || name.size() >= PATH_MAX || plain.contains(name));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes model(reinterpret_cast<const std::byte*>(data), size);
  const Names names = files_named_by(model);
  check_names(names, model);
  check_beginnings(names, model);
  check_all_are_named(names, names_read(model));
  return 0;
}

// SPDX-License-Identifier: MIT
// Opening models for changes: see the header. Contexts are checked as a session would check them;
// no tensor of them is read.
#include "core/context/edit/edit_source.h"

#include "core/context/context_source.h"
#include "core/context/external_initializers.h"
#include "core/context/inspect/inspect_parts.h"
#include "core/graph/walk.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

constexpr int kAttemptsMax = 100;  // while a writer exchanges the files

// That the node's graph is there, in the context that it was written with.
Status check_node(const Node& node, ModelContextSource& contexts) {
  if (node.attribute(kGenerationAttribute) != nullptr) {
    ASSIGN_OR_RETURN(const ContextView* view, contexts.open(node));
    return view->graph(partition_name_of(node)).status();
  }
  // One without contents that is tied to nothing is another runtime's business.
  if (node.attribute(kContextHashAttribute) == nullptr) return Status::ok();
  return contexts.open_raw(node).status();
}

Status take_contexts(Model& model, const ProviderRegistry& providers, const JournalView& journal) {
  ModelContextSource contexts(model, providers, journal.folder(), &journal);
  std::vector<std::pair<Node*, Blob>> taken;
  RETURN_IF_ERROR(for_context_nodes(*model.graph, [&](Node& node) -> Status {
    RETURN_IF_ERROR(check_node(node, contexts));
    if (node.attribute("ep_cache_context") == nullptr) return Status::ok();
    ASSIGN_OR_RETURN(Blob bytes, contexts.open_raw(node));
    taken.emplace_back(&node, std::move(bytes));
    return Status::ok();
  }));
  // Only now: until here names were looked up in the attributes.
  for (auto& [node, bytes] : taken) {
    node->set_attribute(Attribute::of_blob("ep_cache_context", std::move(bytes)));
  }
  return Status::ok();
}

Result<std::unique_ptr<Model>> read_model(const std::string& path, const JournalView& journal,
                                          const ProviderRegistry& providers) {
  const auto current_name = [&](const std::string& name) { return journal.current_name(name); };
  ASSIGN_OR_RETURN(auto model,
                   journal.open_current(path_file_name(path), [&](const std::string& name) {
                     ImportOptions options;
                     options.current_name = current_name;
                     return import_model_file(path_join(path_folder(path), name), options);
                   }));
  ExternalFiles files = ExternalFiles::of_model(path, "", Access::kMap, current_name);
  RETURN_IF_ERROR(check_external_initializers(*model, files));
  RETURN_IF_ERROR(take_contexts(*model, providers, journal));
  return model;
}

}  // namespace

std::string edit_label(const std::string& path) {
  std::string label = path_stem(path);
  constexpr std::string_view kContextEnd = "_ctx";
  const bool has_end = label.size() > kContextEnd.size() && label.ends_with(kContextEnd);
  if (has_end) label.resize(label.size() - kContextEnd.size());
  return label;
}

std::string_view partition_name_of(const Node& node) {
  return node.string_attribute("partition_name", node.name());
}

Status for_context_nodes(Graph& graph, const std::function<Status(Node&)>& visit) {
  for (Node& node : nodes_of(graph)) {
    if (node.is_op("EPContext", kMicrosoftDomain)) RETURN_IF_ERROR(visit(node));
    for (Graph* body : node.subgraphs()) RETURN_IF_ERROR(for_context_nodes(*body, visit));
  }
  return Status::ok();
}

Result<EditSource> EditSource::open(const std::string& path, const ProviderRegistry& providers) {
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    ASSIGN_OR_RETURN(const JournalView journal, JournalView::open(path));
    auto model = read_model(path, journal, providers);
    if (!journal.is_unchanged()) continue;
    RETURN_IF_ERROR_WHILE(model.status(), "'", path, "'");
    return EditSource{path, edit_label(path), std::move(model).value()};
  }
  return fail("'", path,
              "' is being replaced all the time; try again when it is not being written");
}

}  // namespace ortc

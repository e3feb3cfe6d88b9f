// SPDX-License-Identifier: MIT
// Opening contexts: see the header.
#include "core/context/context_source.h"

#include "core/provider/registry.h"

namespace ortc {

std::vector<const Node*> ep_context_nodes(const Graph& graph) {
  std::vector<const Node*> nodes;
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr) continue;
    if (node->is_op("EPContext", kMicrosoftDomain)) nodes.push_back(node);
    for (const Graph* body : node->subgraphs()) {
      auto inner = ep_context_nodes(*body);
      nodes.insert(nodes.end(), inner.begin(), inner.end());
    }
  }
  return nodes;
}

Result<const ContextView*> ModelContextSource::open(const Node& node) {
  if (auto it = by_node_.find(&node); it != by_node_.end())
    return static_cast<const ContextView*>(it->second.get());
  std::shared_ptr<const ContextBinary> binary;
  if (node.int_attribute("main_context", 1) != 0) {
    ASSIGN_OR_RETURN(binary, open_primary(node));
  } else {
    const std::string_view source = node.string_attribute("source", "");
    for (const Node* other : ep_context_nodes(*model_.graph)) {
      if (other->int_attribute("main_context", 1) == 0 ||
          !equals_ignoring_case(other->string_attribute("source", ""), source)) {
        continue;
      }
      ASSIGN_OR_RETURN(binary, open_primary(*other));
      if (binary->graph(node.string_attribute("partition_name", node.name())).is_ok()) break;
    }
    if (binary == nullptr) {
      return invalid_graph(
          node.label(), ": it has main_context=0, and the model has no EPContext node of source '",
          source, "' with main_context=1");
    }
  }
  const std::string_view expected = node.string_attribute(kGenerationAttribute, "");
  const std::string found = binary->header().generation.hex();
  if (expected != found) {
    return invalid_graph(node.label(), ": its context is of another generation: expected ",
                         expected.empty() ? std::string_view("a generation id") : expected,
                         ", found ", found, "; model and context binary were not written together");
  }
  by_node_[&node] = binary;
  return static_cast<const ContextView*>(binary.get());
}

Result<std::shared_ptr<const ContextBinary>> ModelContextSource::open_primary(const Node& node) {
  const Attribute* content = node.attribute("ep_cache_context");
  if (content == nullptr || content->kind != AttributeKind::kString) {
    return invalid_graph(node.label(), ": the attribute ep_cache_context is missing");
  }
  if (node.int_attribute("embed_mode", 1) != 0) {
    auto binary = ContextBinary::open(content->s, node.label());
    return binary;
  }
  const std::string name(content->s.text());
  if (auto it = by_file_.find(name); it != by_file_.end()) return it->second;
  ASSIGN_OR_RETURN(Blob bytes, read_file(node, name));
  ASSIGN_OR_RETURN(auto binary,
                   ContextBinary::open(std::move(bytes), str_cat(node.label(), ", '", name, "'")));
  by_file_[name] = binary;
  return binary;
}

Result<Blob> ModelContextSource::read_file(const Node& node, std::string_view name) {
  const auto refuse = [&](const Status& status) {
    return invalid_graph(node.label(), ": cannot open its context binary '", name, "' in '",
                         folder_.empty() ? std::string(".") : folder_, "': ", status.message());
  };
  if (opened_folder_ == nullptr) {
    auto folder = Folder::open(folder_);
    if (!folder.is_ok()) return refuse(folder.status());
    opened_folder_ = std::move(folder).value();
    if (!model_.path.empty() && path_is_symlink(model_.path)) {
      auto real_folder = Folder::open(path_folder(real_path(model_.path)));
      if (real_folder.is_ok()) real_folder_ = std::move(real_folder).value();
    }
  }
  const std::string plain(name);
  const auto open = [&](const std::string& current) {
    return opened_folder_->open_beneath(current, access_, real_folder_.get());
  };
  auto map = journal_ != nullptr ? journal_->open_current(plain, open) : open(plain);
  if (!map.is_ok()) return refuse(map.status());
  return FileMap::blob(*map, 0, (*map)->bytes().size());
}

}  // namespace ortc

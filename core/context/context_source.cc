// SPDX-License-Identifier: MIT
// Opening contexts: see the header.
#include "core/context/context_source.h"

#include "core/base/ascii.h"
#include "core/base/hash.h"
#include "core/context/context_node.h"
#include "core/graph/walk.h"
#include "core/platform/file_map.h"
#include "core/platform/folder.h"
#include "core/platform/memory/residency.h"
#include "core/platform/path.h"

namespace ortc {

std::vector<const Node*> ep_context_nodes(const Graph& graph) {
  std::vector<const Node*> nodes;
  for_each_node(graph, [&](const Node& node) {
    if (node.is_op("EPContext", kMicrosoftDomain)) nodes.push_back(&node);
  });
  return nodes;
}

// Both names of a provider, "AOT" and "AotExecutionProvider", are one source.
std::string ModelContextSource::source_key(const Node& node) const {
  const std::string_view source = node.string_attribute("source", "");
  const auto factory = providers_.find_source(source);
  return ascii_lower(factory != nullptr ? factory->name() : source);
}

ModelContextSource::Source& ModelContextSource::source_of(const Node& node) {
  if (!knows_primaries_) find_primaries();
  return sources_[source_key(node)];
}

void ModelContextSource::find_primaries() {
  knows_primaries_ = true;
  for (const Node* node : ep_context_nodes(*model_.graph)) {
    if (node->int_attribute("main_context", 1) == 0) continue;
    Source& source = sources_[source_key(*node)];
    source.primaries.push_back(node);
    source.by_hash.emplace(node->string_attribute(kContextHashAttribute, ""), node);
  }
}

Result<ModelContextSource::ContainerPtr> ModelContextSource::open_any(const Node& node) {
  ContainerPtr container;
  if (node.int_attribute("main_context", 1) != 0) {
    ASSIGN_OR_RETURN(container, open_container(node));
  } else {
    ASSIGN_OR_RETURN(container, find_container(node));
  }
  const std::string_view expected = node.string_attribute(kGenerationAttribute, "");
  const std::string found = container->binary->header().generation.hex();
  if (expected != found) {
    return invalid_graph(context_label(node),
                         ": its context belongs to another generation: expected ",
                         expected.empty() ? std::string_view("a generation id") : expected,
                         ", found ", found, "; model and context binary were not written together");
  }
  return container;
}

Result<const ContextView*> ModelContextSource::open(const Node& node) {
  ASSIGN_OR_RETURN(const ContainerPtr container, open_any(node));
  return static_cast<const ContextView*>(container.get());
}

Result<std::shared_ptr<const ContextBinary>> ModelContextSource::open_container_of(
    const Node& node) {
  ASSIGN_OR_RETURN(const ContainerPtr container, open_any(node));
  return container->binary;
}

// Null when no primary node of the source has it.
ModelContextSource::ContainerPtr ModelContextSource::find_opened(Source& source,
                                                                 std::string_view generation) {
  for (;;) {
    const auto known = source.by_generation.find(generation);
    if (known != source.by_generation.end()) return known->second;
    if (source.opened_count == source.primaries.size()) return nullptr;
    auto opened = open_container(*source.primaries[source.opened_count++]);
    if (!opened.is_ok()) {
      if (source.first_fault.is_ok()) source.first_fault = opened.status();
      continue;
    }
    source.last_opened = *opened;
    source.by_generation.emplace((*opened)->binary->header().generation.hex(), *opened);
  }
}

// The container of a node that has none itself: of its source, written with it. A damaged one in
// front of the right one does no harm; when none is right, the first fault is told.
Result<ModelContextSource::ContainerPtr> ModelContextSource::find_container(const Node& node) {
  Source& source = source_of(node);
  auto found = find_opened(source, node.string_attribute(kGenerationAttribute, ""));
  if (found != nullptr) return found;
  if (!source.first_fault.is_ok()) return source.first_fault;
  if (source.last_opened != nullptr) return source.last_opened;
  return invalid_graph(
      context_label(node),
      ": it has main_context=0, and the model has no EPContext node of that source "
      "with main_context=1");
}

Result<ModelContextSource::ContainerPtr> ModelContextSource::open_container(const Node& node) {
  if (auto it = containers_.find(&node); it != containers_.end()) return it->second;
  const bool is_file = node.int_attribute("embed_mode", 1) == 0;
  const std::string name(is_file ? node.string_attribute("ep_cache_context", "") : "");
  if (auto it = containers_of_files_.find(name); is_file && it != containers_of_files_.end()) {
    return it->second;
  }
  ASSIGN_OR_RETURN(Blob contents, read_contents(node));
  ASSIGN_OR_RETURN(ContainerPtr container, open_binary(node, std::move(contents), name));
  containers_[&node] = container;
  if (is_file) containers_of_files_[name] = container;
  return container;
}

// `name`: of its file; "" when it is in the model.
Result<ModelContextSource::ContainerPtr> ModelContextSource::open_binary(const Node& node,
                                                                         Blob contents,
                                                                         const std::string& name) {
  auto container = std::make_shared<Container>();
  container->source = this;
  const auto file = files_.find(name);
  if (loaded_ != nullptr && file != files_.end()) {
    container->file = file->second.identity;
    container->binary = loaded_->find(file->second.identity);
  }
  if (container->binary != nullptr) return ContainerPtr(std::move(container));
  std::string where =
      name.empty() ? context_label(node) : str_cat(context_label(node), ", '", name, "'");
  ASSIGN_OR_RETURN(container->binary, ContextBinary::open(std::move(contents), std::move(where)));
  const Bytes data = container->binary->data();
  if (FileMap::mapped_around(data)) read_by_huge_pages(data);
  if (container->file) {
    container->binary =
        loaded_->leave(file->second.path, *container->file, std::move(container->binary));
  }
  return ContainerPtr(std::move(container));
}

Result<ContextView::Graph> ModelContextSource::Container::graph(std::string_view name) const {
  auto found = binary->graph(name, source->decoding_);
  if (found.is_ok() && file) source->loaded_->take(*file, name);
  return found;
}

Result<Blob> ModelContextSource::open_raw(const Node& node) {
  const Node* primary = &node;
  if (node.attribute("ep_cache_context") == nullptr) {
    ASSIGN_OR_RETURN(primary, find_raw_primary(node));
  }
  ASSIGN_OR_RETURN(Blob contents, read_contents(*primary));
  const std::string_view expected = primary->string_attribute(kContextHashAttribute, "");
  if (expected.empty()) return contents;  // another runtime's
  const std::string found = hash128(contents.bytes()).hex();
  if (expected != found) {
    return invalid_graph(context_label(*primary),
                         ": its context has other bytes than those that were ",
                         "written with the model: expected hash ", expected, ", found ", found);
  }
  return contents;
}

// The node that has the contents for one that has none: of its source, and tied to the same bytes.
Result<const Node*> ModelContextSource::find_raw_primary(const Node& node) {
  const std::string_view hash = node.string_attribute(kContextHashAttribute, "");
  const Source& source = source_of(node);
  if (hash.empty() && !source.primaries.empty()) return source.primaries.front();
  const auto found = source.by_hash.find(hash);
  if (found != source.by_hash.end()) return found->second;
  return invalid_graph(context_label(node), ": it has no context of its own, and the model has no ",
                       "EPContext node of source '", node.string_attribute("source", ""),
                       "' with the one that it was written with");
}

// What ep_cache_context holds or names.
Result<Blob> ModelContextSource::read_contents(const Node& node) {
  const Attribute* content = node.attribute("ep_cache_context");
  if (content == nullptr || content->kind != AttributeKind::kString) {
    return invalid_graph(context_label(node), ": the attribute ep_cache_context is missing");
  }
  if (node.int_attribute("embed_mode", 1) != 0) return content->s;
  const std::string name(content->s.text());
  if (auto it = by_file_.find(name); it != by_file_.end()) return it->second;
  Blob contents;
  if (reader_) {
    auto read = reader_(name);
    RETURN_IF_ERROR_WHILE(read.status(), context_label(node), ": reading its context '", name, "'");
    contents = std::move(read).value();
  } else {
    ASSIGN_OR_RETURN(const auto map, read_file(node, name));
    files_[name] = {map->identity(), map->path()};
    contents = FileMap::blob(map, 0, map->bytes().size());
  }
  by_file_[name] = contents;
  return contents;
}

Result<std::shared_ptr<const FileMap>> ModelContextSource::read_file(const Node& node,
                                                                     std::string_view name) {
  // A process that has no descriptor left, say, has found nothing wrong with the model.
  bool is_shortage = false;
  const auto refuse = [&](const Status& status) {
    std::string where = str_cat("'", folder_.empty() ? std::string(".") : folder_, "'");
    if (real_folder_ != nullptr) where += str_cat(" or '", real_folder_->path(), "'");
    return make_status(is_shortage ? Code::kFail : Code::kInvalidGraph, context_label(node),
                       ": cannot open its context binary '", name, "' in ", where, ": ",
                       status.message());
  };
  if (opened_folder_ == nullptr) {
    auto folder = Folder::open(folder_, &is_shortage);
    if (!folder.is_ok()) return refuse(folder.status());
    opened_folder_ = std::move(folder).value();
    if (!model_.path.empty() && journal_ != nullptr && journal_->is_model_behind_link()) {
      auto real_folder = Folder::open(path_folder(real_path(model_.path)));
      if (real_folder.is_ok()) real_folder_ = std::move(real_folder).value();
    }
  }
  const std::string plain(name);
  const auto open = [&](const std::string& current) {
    return opened_folder_->open_beneath(current, access_, real_folder_.get(), &is_shortage);
  };
  auto map = journal_ != nullptr ? journal_->open_current(plain, open) : open(plain);
  if (!map.is_ok() && map.status().code() == Code::kModelLoadCanceled) return map.status();
  if (!map.is_ok()) return refuse(map.status());
  return map;
}

}  // namespace ortc

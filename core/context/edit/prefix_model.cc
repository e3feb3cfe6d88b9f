// SPDX-License-Identifier: MIT
// Prefixes: names in the model, and the same names inside its containers.
#include <map>

#include "core/context/context_source.h"
#include "core/context/edit/edit_source.h"
#include "core/context/edit/edits.h"
#include "core/context/edit/rewrite_container.h"

namespace ortc {
namespace {

// Where names stand that cannot be changed, or nothing to change.
Status check_nodes(const EditSource& source) {
  bool has_nodes = false;
  RETURN_IF_ERROR(for_context_nodes(*source.model->graph, [&](Node& node) -> Status {
    has_nodes = true;
    if (node.attribute(kGenerationAttribute) != nullptr) return Status::ok();
    return not_implemented(
        node.label(), " of '", source.path, "': its context is bytes of the source '",
        node.string_attribute("source", ""), "', in which names cannot be changed");
  }));
  if (has_nodes) return Status::ok();
  return invalid_argument("'", source.path, "' has no EPContext nodes to rename");
}

// New containers in the place of those that nodes hold; gives the new generations by the old ones.
Result<std::map<std::string, std::string>> rewrite_contexts(const EditSource& source,
                                                            const std::string& prefix,
                                                            const ProviderRegistry& providers,
                                                            EditOutput& output,
                                                            EditReport& report) {
  struct Rewritten {
    Blob before, now;  // the first stays alive: it is told by its address
  };
  std::map<std::string, std::string> generations;
  std::map<const std::byte*, Rewritten> rewritten;
  RETURN_IF_ERROR(for_context_nodes(*source.model->graph, [&](Node& node) -> Status {
    const Attribute* content = node.attribute("ep_cache_context");
    if (content == nullptr) return Status::ok();
    Rewritten& entry = rewritten[content->s.data()];
    if (entry.now.empty()) {
      entry.before = content->s;
      ASSIGN_OR_RETURN(const auto binary, ContextBinary::open(content->s, node.label()));
      const bool embed = node.int_attribute("embed_mode", 1) != 0;
      auto container = rewrite_container(
          *binary, embed,
          [&](const std::string& name) {
            report.renamed.push_back({source.label, "context graph", name, prefix + name});
            return std::optional(prefix + name);
          },
          providers, output.work.part(0, kRewritingShare));
      RETURN_IF_ERROR_WHILE(container.status(), node.label());
      entry.now = container->contents;
      if (container->writer != nullptr) output.containers[entry.now.data()] = container->writer;
      generations[binary->header().generation.hex()] = container->generation.hex();
    }
    node.set_attribute(Attribute::of_blob("ep_cache_context", entry.now));
    return Status::ok();
  }));
  return generations;
}

}  // namespace

Result<EditReport> prefix_model(const std::string& path, const std::string& prefix,
                                EditOutput output, const ProviderRegistry& providers) {
  if (prefix.empty()) return invalid_argument("the prefix must not be empty");
  ASSIGN_OR_RETURN(const EditSource source, EditSource::open(path, providers));
  RETURN_IF_ERROR(check_nodes(source));
  EditReport report;
  ASSIGN_OR_RETURN(const auto generations,
                   rewrite_contexts(source, prefix, providers, output, report));
  RETURN_IF_ERROR(for_context_nodes(*source.model->graph, [&](Node& node) -> Status {
    const auto generation =
        generations.find(std::string(node.string_attribute(kGenerationAttribute, "")));
    if (generation == generations.end()) {
      return invalid_graph(node.label(), ": no node holds the context of its generation");
    }
    const std::string partition = prefix + std::string(partition_name_of(node));
    node.set_attribute(Attribute::of_string("partition_name", partition));
    node.set_attribute(Attribute::of_string(std::string(kGenerationAttribute), generation->second));
    report.renamed.push_back({source.label, "node", node.name(), prefix + node.name()});
    node.set_name(prefix + node.name());
    return Status::ok();
  }));
  output.work = output.work.part(kRewritingShare, 1);
  output.sources = {path};
  ASSIGN_OR_RETURN(report.files, write_edited(*source.model, output));
  return report;
}

}  // namespace ortc

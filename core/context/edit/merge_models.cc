// SPDX-License-Identifier: MIT
// Merging models: names made unique, opsets and metadata put together, graphs one behind the other,
// connections. Each EPContext node still finds its own context, by the generation it carries.
#include <algorithm>
#include <map>

#include "core/context/context_source.h"
#include "core/context/edit/append_graph.h"
#include "core/context/edit/edit_source.h"
#include "core/context/edit/edits.h"
#include "core/context/edit/merge_connect.h"
#include "core/context/edit/merge_names.h"
#include "core/context/external_initializers.h"
#include "core/context/model_hash.h"
#include "core/context/source_identity.h"
#include "core/graph/verify.h"
#include "core/graph/walk.h"
#include "core/platform/path.h"
#include "core/provider/compatibility_info.h"
#include "ort_c/metadata_keys.h"

namespace ortc {
namespace {

std::string_view domain_name(std::string_view domain) {
  return domain.empty() ? std::string_view("ai.onnx") : domain;
}

// An import that no node needs gives way to one that is needed.
class Opsets {
 public:
  Status add(const EditSource& source) {
    std::set<std::string_view> needed;
    for_each_node(*source.model->graph,
                  [&](const Node& node) { needed.insert(domain_name(node.domain())); });
    for (const auto& [domain, version] : *source.model->opsets) {
      const bool is_needed = needed.contains(domain_name(domain));
      auto [place, is_new] = imports_.try_emplace(std::string(domain_name(domain)),
                                                  Import{version, is_needed, source.path});
      Import& known = place->second;
      if (is_new || !is_needed) continue;
      if (known.is_needed && known.version != version) {
        return invalid_argument("'", known.path, "' needs opset ", known.version, " of '",
                                place->first, "', '", source.path, "' ", version,
                                "; convert one of the models and compile it again");
      }
      known = {version, true, source.path};
    }
    return Status::ok();
  }

  std::shared_ptr<const OpsetImports> imports() const {
    auto result = std::make_shared<OpsetImports>();
    for (const auto& [domain, import] : imports_) {
      result->emplace_back(domain == domain_name("") ? std::string() : domain, import.version);
    }
    return result;
  }

 private:
  struct Import {
    int64_t version;
    bool is_needed;
    std::string path;
  };
  std::map<std::string, Import> imports_;
};

// "a:1:0,b:1:0" and "b:1:0,c:1:0" as one list.
std::string united_kernels(const std::string& first, const std::string& second) {
  std::set<std::string_view> kernels;
  for (std::string_view list : {std::string_view(first), std::string_view(second)}) {
    for (size_t begin = 0; begin < list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      kernels.insert(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  std::string result;
  for (std::string_view kernel : kernels) result += str_cat(result.empty() ? "" : ",", kernel);
  return result;
}

// What both were compiled for; they need the kernels of both.
Result<std::string> united_compatibility(const std::string& first, const std::string& second,
                                         const std::string& first_path,
                                         const std::string& second_path) {
  if (first == second) return first;
  auto info = parse_compatibility_info(first);
  const auto other = parse_compatibility_info(second);
  const auto refuse = [&](const char* what) {
    return invalid_argument("'", first_path, "' and '", second_path, "' were compiled for ", what,
                            ": '", first, "' and '", second, "'; compile one of them again");
  };
  if (!info || !other) return refuse("different things");
  if (info->provider != other->provider || info->target != other->target) {
    return refuse("different targets");
  }
  if (info->format_major != other->format_major || info->format_minor != other->format_minor ||
      info->library_version != other->library_version) {
    return refuse("different versions of the library");
  }
  info->kernels = united_kernels(info->kernels, other->kernels);
  return print_compatibility_info(*info);
}

Status add_metadata(Model& to, const std::string& to_path, const EditSource& source,
                    std::vector<Renaming>& renamed) {
  for (const auto& [key, value] : source.model->metadata) {
    const std::string* known = to.metadata_value(key);
    if (known == nullptr) {
      to.set_metadata(key, value);
    } else if (key.starts_with(kOrtModelMetadata_EpCompatibilityInfoPrefix)) {
      ASSIGN_OR_RETURN(std::string both, united_compatibility(*known, value, to_path, source.path));
      to.set_metadata(key, std::move(both));
    } else if (*known != value) {
      std::string now = str_cat(source.label, "/", key);
      while (to.metadata_value(now) != nullptr) now += '_';
      renamed.push_back({source.label, "metadata", key, now});
      to.set_metadata(now, value);
    }
  }
  return Status::ok();
}

// A node that finds its context by its source alone would find another's.
class LooseContexts {
 public:
  Status add(const EditSource& source) {
    Sources here;
    RETURN_IF_ERROR(for_context_nodes(*source.model->graph, [&](Node& node) {
      const std::string made_by(node.string_attribute("source", ""));
      const bool is_main = node.int_attribute("main_context", 1) != 0;
      const bool is_tied = node.attribute(kGenerationAttribute) != nullptr ||
                           node.attribute(kContextHashAttribute) != nullptr;
      if (is_main) here.mains.emplace(made_by, source.path);
      if (!is_main && !is_tied) here.loose.emplace(made_by, node.label());
      return Status::ok();
    }));
    RETURN_IF_ERROR(check(here.mains, all_.loose));
    RETURN_IF_ERROR(check(all_.mains, here.loose));
    all_.mains.merge(here.mains);
    all_.loose.merge(here.loose);
    return Status::ok();
  }

 private:
  using BySource = std::map<std::string, std::string>;
  struct Sources {
    BySource mains, loose;
  };
  static Status check(const BySource& mains, const BySource& loose) {
    for (const auto& [source, node] : loose) {
      const auto main = mains.find(source);
      if (main == mains.end()) continue;
      return invalid_argument(node, " finds its context by its source '", source,
                              "' alone, and would find the one of another model, as '",
                              main->second, "' has one too");
    }
    return Status::ok();
  }
  Sources all_;
};

MergedPart part_of(const EditSource& source) {
  MergedPart part;
  part.label = source.label;
  part.stem = path_stem(source.path);
  return part;
}

// By the names that the model has for them; ids are those of the merged graph.
class PortNames {
 public:
  explicit PortNames(const Graph& graph) {
    for (ValueId id : graph.inputs()) in_.emplace_back(id, graph.value(id)->name);
    for (ValueId id : graph.outputs()) out_.emplace_back(id, graph.value(id)->name);
  }
  void give_to(MergedPart& part, const Graph& renamed, const Graph& merged) const {
    for (const auto& [id, name] : in_)
      part.in[name] = merged.find_value(renamed.value(id)->name)->id;
    for (const auto& [id, name] : out_)
      part.out[name] = merged.find_value(renamed.value(id)->name)->id;
  }

 private:
  std::vector<std::pair<ValueId, std::string>> in_, out_;
};

Result<std::vector<EditSource>> open_all(std::span<const std::string> paths,
                                         const ProviderRegistry& providers) {
  std::vector<EditSource> sources;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(EditSource source, EditSource::open(path, providers));
    SourceIdentity::remove_from(*source.model);
    ExternalInitializersRecord::remove_from(*source.model);
    remove_model_hash(*source.model);
    sources.push_back(std::move(source));
  }
  return sources;
}

// What stands for all of them together.
Result<Model> frame_of(const std::vector<EditSource>& sources, std::vector<Renaming>& renamed) {
  const Model& first = *sources.front().model;
  Model merged;
  merged.producer_name = first.producer_name;
  merged.producer_version = first.producer_version;
  merged.domain = first.domain;
  Opsets opsets;
  std::string name;
  LooseContexts loose;
  merged.ir_version = 4;
  for (const EditSource& source : sources) {
    const Model& model = *source.model;
    merged.ir_version = std::max(merged.ir_version, model.ir_version);
    RETURN_IF_ERROR(opsets.add(source));
    RETURN_IF_ERROR(loose.add(source));
    RETURN_IF_ERROR(add_metadata(merged, sources.front().path, source, renamed));
    if (model.unknown_fields != merged.unknown_fields)
      merged.unknown_fields += model.unknown_fields;
    if (merged.doc.empty()) merged.doc = model.doc;
    name += str_cat(name.empty() ? "" : "+", model.graph->name);
  }
  merged.opsets = opsets.imports();
  merged.graph = std::make_shared<Graph>(merged.opsets);
  merged.graph->name = name;
  return merged;
}

}  // namespace

Result<EditReport> merge_models(std::span<const std::string> paths,
                                std::span<const std::string> connections, EditOutput output,
                                const ProviderRegistry& providers) {
  if (paths.size() < 2) {
    return invalid_argument("expected two models or more to merge, found ", paths.size());
  }
  ASSIGN_OR_RETURN(const auto sources, open_all(paths, providers));
  EditReport report;
  ASSIGN_OR_RETURN(Model merged, frame_of(sources, report.renamed));
  std::vector<MergedPart> parts;
  NamesInUse used;
  for (const EditSource& source : sources) {
    Graph& graph = *source.model->graph;
    const PortNames names(graph);
    RETURN_IF_ERROR(make_names_unique(source, used, report.renamed));
    NamesInUse own;
    own.add(graph);
    used.add(graph);
    RETURN_IF_ERROR_WHILE(append_graph(*merged.graph, graph), "'", source.path, "'");
    parts.push_back(part_of(source));
    parts.back().symbols = std::move(own.symbols);
    names.give_to(parts.back(), graph, *merged.graph);
  }
  merged.graph->set_opsets(merged.opsets);
  RETURN_IF_ERROR(connect_parts(*merged.graph, parts, {connections.begin(), connections.end()}));
  RETURN_IF_ERROR(verify_graph(*merged.graph));
  output.sources.assign(paths.begin(), paths.end());
  ASSIGN_OR_RETURN(report.files, write_edited(merged, output));
  return report;
}

}  // namespace ortc

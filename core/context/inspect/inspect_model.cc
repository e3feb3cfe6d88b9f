// SPDX-License-Identifier: MIT
// A model: what it takes and gives, what it is made of, and each EPContext node with its verdict.
#include <map>

#include "core/context/context_source.h"
#include "core/context/external_initializers.h"
#include "core/context/inspect/inspect_parts.h"
#include "core/context/inspect/structure.h"
#include "core/context/inspect/summary.h"
#include "core/context/model_hash.h"
#include "core/context/source_identity.h"
#include "core/graph/model.h"
#include "core/graph/text/print.h"
#include "core/graph/walk.h"
#include "core/platform/file_map.h"
#include "core/platform/path.h"
#include "core/proto/named_files.h"

namespace ortc {
namespace {

// Sizes, names of open ones, null for those without a name. Names may have any characters, so that
// the text of the type does not tell them apart.
void write_dimensions(JsonWriter& json, const Shape& shape) {
  json.key("dimensions").begin_array();
  for (const Dim& dim : shape) {
    if (dim.is_known()) {
      json.value(dim.value);
    } else if (dim.symbol.empty()) {
      json.null();
    } else {
      json.value(dim.symbol);
    }
  }
  json.end_array();
}

void write_ports(JsonWriter& json, const char* name, const Graph& graph,
                 const std::vector<ValueId>& ids, bool overridable) {
  json.key(name).begin_array();
  for (ValueId id : ids) {
    const Value& value = *graph.value(id);
    if ((value.is_input && value.initializer != nullptr) != overridable && value.is_input) continue;
    json.begin_object().field("name", value.name).field("type", type_to_string(value.type));
    if (value.type.shape) write_dimensions(json, *value.type.shape);
    json.end_object();
  }
  json.end_array();
}

// Of a graph and all bodies in it.
struct Contents {
  std::map<std::string, uint64_t> operators;
  uint64_t nodes = 0;
  uint64_t weight_bytes = 0;  // of initializers and of tensors that stand in nodes

  void add(const Graph& graph) {
    for (ValueId id : graph.initializers()) {
      weight_bytes += graph.value(id)->initializer->tensor.byte_size();
    }
    for (const Node& node : nodes_of(graph)) add(node);
  }

  void add(const Node& node) {
    ++nodes;
    ++operators[node.domain().empty() ? node.op_type()
                                      : str_cat(node.domain(), ".", node.op_type())];
    for (const Attribute& attribute : node.attributes()) {
      if (attribute.tensor) weight_bytes += attribute.tensor->tensor.byte_size();
      for (const auto& tensor : attribute.tensors) weight_bytes += tensor->tensor.byte_size();
      if (attribute.sparse) {
        weight_bytes += attribute.sparse->values.tensor.byte_size() +
                        attribute.sparse->indices.tensor.byte_size();
      }
    }
    for (const Graph* body : node.subgraphs()) add(*body);
  }
};

void write_model_fields(JsonWriter& json, const Model& model) {
  json.field("ir_version", model.ir_version).field("producer", model.producer_name);
  json.field("producer_version", model.producer_version).field("graph", model.graph->name);
  json.field("model_version", model.model_version).field("description", model.doc);
  json.key("opsets").begin_object();
  for (const auto& [domain, version] : *model.opsets)
    json.field(domain.empty() ? "ai.onnx" : domain, version);
  json.end_object();
  json.key("metadata").begin_object();
  for (const auto& [key, value] : model.metadata) json.field(key, value);
  json.end_object();
}

void write_graph_fields(JsonWriter& json, const Graph& graph) {
  write_ports(json, "inputs", graph, graph.inputs(), /*overridable=*/false);
  write_ports(json, "outputs", graph, graph.outputs(), /*overridable=*/false);
  write_ports(json, "overridable_initializers", graph, graph.inputs(), /*overridable=*/true);
  Contents contents;
  contents.add(graph);
  json.field("nodes", contents.nodes).field("initializer_bytes", contents.weight_bytes);
  json.key("operators").begin_object();
  for (const auto& [name, count] : contents.operators) json.field(name, count);
  json.end_object();
}

void write_missing_data(JsonWriter& json, const std::vector<std::string>& missing,
                        Verdict& verdict) {
  if (missing.empty()) return;
  json.key("missing_external_data").begin_array();
  for (const std::string& what : missing) json.value(what);
  json.end_array();
  verdict.worsen({"broken", str_cat("weights cannot be read: ", missing.front())});
}

// The file of initializers that was written with the model; one of another model has other numbers.
void write_external_initializers(JsonWriter& json, const Model& model, ExternalFiles& files,
                                 const InspectOptions& options, Verdict& verdict) {
  const auto record = ExternalInitializersRecord::read(model);
  if (!record.is_ok()) {
    verdict.worsen({"broken", record.status().message()});
    return;
  }
  if (!record->has_value()) return;
  const ExternalInitializersRecord& file = **record;
  json.key("external_initializers").begin_object();
  json.field("file", file.name).field("bytes", file.size);
  json.field("codec", file.full_size ? "zstd" : "plain");
  if (file.full_size) {
    const uint64_t full = *file.full_size;
    json.field("full_bytes", full);
    json.field("saved_bytes", full > file.size ? full - file.size : uint64_t{0});
  }
  json.field("hash", file.hash.hex()).field("generation", file.generation);
  const Status status = options.verify_data ? verify_external_initializers(model, files)
                                            : check_external_initializers(model, files);
  if (options.verify_data) json.field("data_verified", status.is_ok());
  json.end_object();
  if (!status.is_ok()) verdict.worsen({"broken", status.message()});
}

// What the model reads beside itself. Files that are not there have no size.
void write_files(JsonWriter& json, const std::string& path, const JournalView& journal,
                 ExternalFiles& files) {
  const auto model = journal.open_current(path_file_name(path), [&](const std::string& name) {
    return FileMap::open(path_join(path_folder(path), name));
  });
  if (!model.is_ok()) return;
  json.key("files").begin_array();
  for (const std::string& name : files_named_by((*model)->bytes())) {
    json.begin_object().field("file", name);
    const auto file = files.open(name);
    if (file.is_ok()) json.field("bytes", (*file)->identity().size);
    json.end_object();
  }
  json.end_array();
}

// Read anew: the file may be another one by now, which shows.
void write_model_hash(JsonWriter& json, const Model& model, const std::string& path,
                      const JournalView& journal, Verdict& verdict) {
  const auto file = journal.open_current(path_file_name(path), [&](const std::string& name) {
    return FileMap::open(path_join(path_folder(path), name));
  });
  if (!file.is_ok()) return verdict.worsen({"broken", file.status().message()});
  const auto status = verify_model_hash(model, (*file)->bytes());
  if (!status) return;  // written by another tool, or before there were hashes
  json.key("model_hash").begin_object().field("data_verified", status->is_ok()).end_object();
  if (!status->is_ok()) verdict.worsen({"broken", status->message()});
}

// Larger sources are read only when everything shall be: an inspection takes as long for any size.
constexpr uint64_t kReadUnasked = uint64_t{16} << 20;

// A plain name beside the model: others could have any file of the machine read.
Status check_source_name(const std::string& name) {
  if (name.empty()) return fail("the source came from memory");
  if (!fault_of_final_name(name).empty()) return fail(fault_of_final_name(name));
  return {};
}

// "unchanged", "changed", or "same size" of what was not read: of external data nothing but their
// size is known. `out_difference`: what changed.
Result<std::string_view> state_of_source(const SourceIdentity& source, const std::string& folder,
                                         bool reads_all, std::string& out_difference) {
  RETURN_IF_ERROR(check_source_name(source.name));
  const std::string path = path_join(folder, source.name);
  ASSIGN_OR_RETURN(const SourceIdentity sizes, SourceIdentity::sizes_of_file(path));
  out_difference = source.size_difference(sizes);
  if (!out_difference.empty()) return std::string_view("changed");
  if (!reads_all && sizes.size > kReadUnasked) return std::string_view("same size");
  ASSIGN_OR_RETURN(const SourceIdentity now, SourceIdentity::of_file(path));
  out_difference = source.difference(now);
  if (!out_difference.empty()) return std::string_view("changed");
  return std::string_view(source.external_data_size == 0 ? "unchanged" : "same size");
}

// The source is looked for beside the model. That it changed is not a verdict on what was compiled.
void write_source(JsonWriter& json, const Model& model, const std::string& folder, bool reads_all) {
  const auto source = SourceIdentity::read(model);
  if (!source) return;
  json.key("source").begin_object();
  json.field("name", source->name).field("bytes", source->size);
  json.field("hash", source->hash.hex());
  std::string difference;
  const auto state = state_of_source(*source, folder, reads_all, difference);
  json.field("state", state.is_ok() ? *state : "not found");
  if (!difference.empty()) json.field("difference", difference);
  json.end_object();
}

}  // namespace

Result<std::unique_ptr<Model>> import_current(const std::string& path, const JournalView& journal,
                                              std::vector<std::string>* missing) {
  return journal.open_current(path_file_name(path), [&](const std::string& name) {
    if (missing != nullptr) missing->clear();
    ImportOptions options;
    options.current_name = [&](const std::string& file) { return journal.current_name(file); };
    options.missing_external_data = missing;
    return import_model_file(path_join(path_folder(path), name), options);
  });
}

Result<std::string> inspect_model(const std::string& path, const InspectOptions& options,
                                  const ProviderRegistry& providers, Verdict* out_verdict) {
  ASSIGN_OR_RETURN(const JournalView journal, JournalView::open(path));
  std::vector<std::string> missing;
  ASSIGN_OR_RETURN(const auto imported, import_current(path, journal, &missing));
  const Model& model = *imported;

  JsonWriter json;
  json.begin_object().field("schema", "ortc.inspect/1").field("kind", "onnx_model");
  json.field("path", path);
  write_model_fields(json, model);
  write_graph_fields(json, *model.graph);
  const bool is_compiled = !ep_context_nodes(*model.graph).empty();
  Verdict verdict{is_compiled ? "optimal" : "not_compiled", {}};
  write_missing_data(json, missing, verdict);
  ExternalFiles files = ExternalFiles::of_model(
      path, "", Access::kMap, [&](const std::string& file) { return journal.current_name(file); });
  write_files(json, path, journal, files);
  if (options.verify_data) write_model_hash(json, model, path, journal, verdict);
  write_external_initializers(json, model, files, options, verdict);
  write_source(json, model, path_folder(path), options.verify_data);
  ModelContextSource source(model, providers, path_folder(path), &journal);
  verdict.worsen(write_context_nodes(json, {model, path, journal, source, options, providers}));
  if (options.details) json.field("text", print_graph(*model.graph));
  if (options.summary) write_summary(json, model, source);
  if (options.structure) RETURN_IF_ERROR(write_structure(json, *model.graph, source));
  write_verdict(json, verdict);
  json.end_object();
  if (out_verdict != nullptr) *out_verdict = std::move(verdict);
  return json.text();
}

Result<Verdict> verify_model(const std::string& path, const ProviderRegistry& providers) {
  InspectOptions options;
  options.verify_data = true;
  Verdict verdict;
  RETURN_IF_ERROR(inspect_model(path, options, providers, &verdict).status());
  return verdict;
}

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Inspection: see the header.
#include "core/context/inspect.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "core/base/json_writer.h"
#include "core/compile/lowering.h"
#include "core/context/binary_reader.h"
#include "core/context/context_source.h"
#include "core/graph/model.h"
#include "core/graph/verify.h"
#include "core/plan/plan.h"

namespace ortc {
namespace {

// What can be said of a context here: "optimal", "prefer_recompilation", "unsupported",
// "not_applicable", "broken".
struct Verdict {
  std::string word;
  std::string reason;
};

std::string_view word_of(Compatibility compatibility) {
  switch (compatibility) {
    case Compatibility::kOptimal:
      return "optimal";
    case Compatibility::kPreferRecompilation:
      return "prefer_recompilation";
    case Compatibility::kUnsupported:
      return "unsupported";
    case Compatibility::kNotApplicable:
      break;
  }
  return "not_applicable";
}

Verdict judge_header(const ContextHeaderInfo& header, const std::string& kernels,
                     const ProviderRegistry& providers) {
  const ProviderFactory* factory = providers.find("AOT");
  if (factory == nullptr) return {"not_applicable", "this library has no AOT provider"};
  const std::string text =
      str_cat("ortc-aot;format=", header.major, ".", header.minor,
              ";library=", header.library_version, ";target=", header.target, ";kernels=", kernels);
  Verdict verdict;
  verdict.word = word_of(factory->validate(text, &verdict.reason));
  return verdict;
}

// The verdict on a model is its worst node's.
int severity_of(const std::string& word) {
  static constexpr std::string_view kOrder[] = {"optimal", "not_applicable", "prefer_recompilation",
                                                "unsupported", "broken"};
  for (int i = 0; i < 5; ++i) {
    if (kOrder[i] == word) return i;
  }
  return 0;
}

void write_verdict(JsonWriter& json, const Verdict& verdict) {
  json.field("verdict", verdict.word);
  if (!verdict.reason.empty()) json.field("reason", verdict.reason);
}

void write_header(JsonWriter& json, const ContextHeaderInfo& header) {
  json.field("format", str_cat(header.major, ".", header.minor))
      .field("library_version", header.library_version);
  json.field("target", header.target).field("fingerprint", header.fingerprint.hex());
  json.field("generation", header.generation.hex()).field("bytes", header.file_size);
  json.field("metadata_bytes", header.metadata_size);
  json.field("tensors", static_cast<uint64_t>(header.tensor_count));
}

Result<std::string> inspect_binary(const std::string& path, Blob bytes,
                                   const InspectOptions& options,
                                   const ProviderRegistry& providers) {
  JsonWriter json;
  json.begin_object()
      .field("schema", "ortc.inspect/1")
      .field("kind", "context_binary")
      .field("path", path);
  auto binary = ContextBinary::open(std::move(bytes), str_cat("'", path, "'"));
  Verdict verdict;
  if (!binary.is_ok()) {
    verdict = {"broken", binary.status().message()};
  } else {
    write_header(json, (*binary)->header());
    json.field("data_bytes", (*binary)->data_bytes());
    verdict = judge_header((*binary)->header(), (*binary)->kernels(), providers);
    json.key("graphs").begin_array();
    const ProviderFactory* factory = providers.find("AOT");
    for (const std::string& name : (*binary)->graph_names()) {
      json.begin_object().field("name", name);
      auto graph = (*binary)->graph(name);
      if (graph.is_ok() && !graph->plan_image.empty() && factory != nullptr) {
        json.field("plan_bytes", static_cast<uint64_t>(graph->plan_image.size()));
        json.field("tensors", static_cast<uint64_t>(graph->tensors.size()));
        auto plan = Plan::open(graph->plan_image, graph->tensors, factory->rules().kernels);
        if (!plan.is_ok()) {
          if (severity_of(verdict.word) < severity_of("unsupported"))
            verdict = {"unsupported", plan.status().message()};
        } else {
          json.field("steps", static_cast<uint64_t>((*plan)->body((0)).steps.count));
          if (options.details) json.field("plan", print_plan(**plan));
        }
      }
      json.end_object();
    }
    json.end_array();
    if (options.details) json.field("kernels", (*binary)->kernels());
    if (options.verify_data) {
      const Status status = (*binary)->verify_data();
      json.field("data_verified", status.is_ok());
      if (!status.is_ok()) verdict = {"broken", status.message()};
    }
  }
  write_verdict(json, verdict);
  json.end_object();
  return json.text();
}

Verdict write_context_node(JsonWriter& json, const Node& node, ModelContextSource& source,
                           const InspectOptions& options, const ProviderRegistry& providers) {
  const std::string_view made_by = node.string_attribute("source", "");
  json.begin_object().field("node", node.name()).field("source", made_by);
  json.field("partition_name", node.string_attribute("partition_name", ""));
  json.field("main_context", node.int_attribute("main_context", 1) != 0);
  const bool embedded = node.int_attribute("embed_mode", 1) != 0;
  json.field("embed_mode", embedded);
  if (const Attribute* content = node.attribute("ep_cache_context")) {
    if (embedded) {
      json.field("payload_bytes", static_cast<uint64_t>(content->s.size()));
    } else {
      json.field("file", content->s.text());
    }
  }
  json.field("ep_sdk_version", node.string_attribute("ep_sdk_version", ""));
  json.field("hardware_architecture", node.string_attribute("hardware_architecture", ""));
  json.field("inputs", static_cast<uint64_t>(node.inputs().size()));
  json.field("outputs", static_cast<uint64_t>(node.outputs().size()));
  Verdict verdict;
  const ProviderFactory* factory = providers.find(made_by);
  if (factory == nullptr) {
    verdict = {"not_applicable",
               str_cat("no execution provider here takes source '", made_by, "'")};
  } else {
    auto view = source.open(node);
    if (!view.is_ok()) {
      verdict = {"broken", view.status().message()};
    } else {
      const auto& binary = static_cast<const ContextBinary&>(**view);
      verdict = judge_header(binary.header(), binary.kernels(), providers);
      auto graph = binary.graph(node.string_attribute("partition_name", node.name()));
      if (!graph.is_ok()) verdict = {"broken", graph.status().message()};
      if (options.verify_data) {
        const Status status = binary.verify_data();
        json.field("data_verified", status.is_ok());
        if (!status.is_ok()) verdict = {"broken", status.message()};
      }
      json.key("context").begin_object();
      write_header(json, binary.header());
      json.end_object();
    }
  }
  write_verdict(json, verdict);
  json.end_object();
  return verdict;
}

void write_ports(JsonWriter& json, const char* name, const Graph& graph,
                 const std::vector<ValueId>& ids, bool overridable) {
  json.key(name).begin_array();
  for (ValueId id : ids) {
    const Value& value = *graph.value(id);
    if ((value.is_input && value.initializer != nullptr) != overridable && value.is_input) continue;
    json.begin_object()
        .field("name", value.name)
        .field("type", type_to_string(value.type))
        .end_object();
  }
  json.end_array();
}

void count_operators(const Graph& graph, std::map<std::string, uint64_t>& counts,
                     uint64_t& weights) {
  for (ValueId id : graph.initializers())
    weights += graph.value(id)->initializer->tensor.byte_size();
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr) continue;
    ++counts[node->domain().empty() ? node->op_type()
                                    : str_cat(node->domain(), ".", node->op_type())];
    for (const Graph* body : node->subgraphs()) count_operators(*body, counts, weights);
  }
}

Result<std::string> inspect_model(const std::string& path, const InspectOptions& options,
                                  const ProviderRegistry& providers) {
  ASSIGN_OR_RETURN(const JournalView journal, JournalView::open(path));
  auto imported = journal.open_current(path_file_name(path), [&](const std::string& name) {
    ImportOptions import;
    import.current_name = [&](const std::string& file) { return journal.current_name(file); };
    return import_model_file(path_join(path_folder(path), name), import);
});
if (!imported.is_ok()) return imported.status();
const auto model = std::move(imported).value();
const Graph& graph = *model->graph;
JsonWriter json;
json.begin_object()
    .field("schema", "ortc.inspect/1")
    .field("kind", "onnx_model")
    .field("path", path);
json.field("ir_version", model->ir_version).field("producer", model->producer_name);
json.field("producer_version", model->producer_version).field("graph", graph.name);
json.field("model_version", model->model_version).field("description", model->doc);
json.key("opsets").begin_object();
for (const auto& [domain, version] : *model->opsets)
  json.field(domain.empty() ? "ai.onnx" : domain, version);
json.end_object();
json.key("metadata").begin_object();
for (const auto& [key, value] : model->metadata) json.field(key, value);
json.end_object();
write_ports(json, "inputs", graph, graph.inputs(), /*overridable=*/false);
write_ports(json, "outputs", graph, graph.outputs(), false);
write_ports(json, "overridable_initializers", graph, graph.inputs(), true);
std::map<std::string, uint64_t> operators;
uint64_t weights = 0;
count_operators(graph, operators, weights);
json.field("nodes", static_cast<uint64_t>(graph.node_count())).field("initializer_bytes", weights);
json.key("operators").begin_object();
for (const auto& [name, count] : operators) json.field(name, count);
json.end_object();
ModelContextSource source(*model, path_folder(path), &journal);
const auto nodes = ep_context_nodes(graph);
Verdict worst{nodes.empty() ? "not_compiled" : "optimal", {}};
json.key("ep_context_nodes").begin_array();
for (const Node* node : nodes) {
  Verdict verdict = write_context_node(json, *node, source, options, providers);
  if (severity_of(verdict.word) > severity_of(worst.word)) worst = std::move(verdict);
}
json.end_array();
if (options.details) json.field("text", print_graph(graph));
write_verdict(json, worst);
json.end_object();
return json.text();
}

}  // namespace

Result<std::string> inspect_file(const std::string& path, const InspectOptions& options,
                                 const ProviderRegistry& providers) {
  auto map = FileMap::open(path);
  if (map.is_ok()) {
    const Bytes bytes = (*map)->bytes();
    const bool is_binary = bytes.size() >= sizeof kContextMagic &&
                           std::memcmp(bytes.data(), kContextMagic, sizeof kContextMagic) == 0;
    if (is_binary)
      return inspect_binary(path, FileMap::blob(*map, 0, bytes.size()), options, providers);
  } else if (map.status().code() != Code::kNoSuchFile) {
    return map.status();
  }
  return inspect_model(path, options, providers);
}

}  // namespace ortc

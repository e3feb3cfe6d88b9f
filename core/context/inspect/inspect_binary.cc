// SPDX-License-Identifier: MIT
// A context binary by itself: header, graphs, their plans.
#include "core/compile/lowering.h"
#include "core/context/inspect/inspect_parts.h"
#include "core/plan/plan.h"

namespace ortc {
namespace {

// A plan that cannot be opened here makes the verdict worse.
void write_plan(JsonWriter& json, ContextView::Graph graph, const KernelRegistry& kernels,
                const InspectOptions& options, Verdict& verdict) {
  json.field("plan_bytes", static_cast<uint64_t>(graph.plan_image.size()));
  json.field("tensors", static_cast<uint64_t>(graph.tensors.size()));
  auto plan = Plan::open(std::move(graph.plan_image), std::move(graph.tensors), kernels);
  if (!plan.is_ok()) {
    verdict.worsen({"unsupported", plan.status().message()});
    return;
  }
  json.field("steps", static_cast<uint64_t>((*plan)->body(0).steps.count));
  if (options.details) json.field("plan", print_plan(**plan));
}

void write_graphs(JsonWriter& json, const ContextBinary& binary, const InspectOptions& options,
                  const ProviderRegistry& providers, Verdict& verdict) {
  const auto factory = providers.find(binary.header().provider);
  json.key("graphs").begin_array();
  for (const std::string& name : binary.graph_names()) {
    json.begin_object().field("name", name);
    auto graph = binary.graph(name);
    if (!graph.is_ok()) {
      verdict.worsen({"broken", graph.status().message()});
    } else if (!graph->plan_image.empty()) {
      if (factory != nullptr && factory->kernels() != nullptr) {
        write_plan(json, std::move(graph).value(), *factory->kernels(), options, verdict);
      }
    } else {
      json.field("blob_bytes", static_cast<uint64_t>(graph->blob.size()));
    }
    json.end_object();
  }
  json.end_array();
}

// Tensors of a container have numbers and no names.
void write_tensors(JsonWriter& json, const ContextBinary& binary) {
  json.key("stored_tensors").begin_array();
  for (uint32_t i = 0; i < binary.tensor_count(); ++i) {
    const ContextBinary::TensorFacts facts = binary.tensor_facts(i);
    json.begin_object().field("tensor", static_cast<uint64_t>(i));
    json.field("codec", facts.is_frame ? "zstd" : "plain");
    json.field("data_bytes", facts.bytes).field("stored_bytes", facts.stored_bytes);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Result<std::string> inspect_binary(const std::string& path, Blob bytes,
                                   const InspectOptions& options,
                                   const ProviderRegistry& providers) {
  JsonWriter json;
  json.begin_object().field("schema", "ortc.inspect/1").field("kind", "context_binary");
  json.field("path", path);
  const auto opened = ContextBinary::open(std::move(bytes), str_cat("'", path, "'"));
  Verdict verdict;
  if (!opened.is_ok()) {
    verdict = {"broken", opened.status().message()};
  } else {
    const ContextBinary& binary = **opened;
    write_header(json, binary.header());
    write_storage(json, binary);
    verdict = judge_context(binary, providers);
    write_graphs(json, binary, options, providers, verdict);
    if (options.details) {
      json.field("kernels", binary.kernels());
      write_tensors(json, binary);
    }
    if (options.verify_data) {
      const Status status = binary.verify_data();
      json.field("data_verified", status.is_ok());
      if (!status.is_ok()) verdict.worsen({"broken", status.message()});
    }
  }
  write_verdict(json, verdict);
  json.end_object();
  return json.text();
}

}  // namespace ortc

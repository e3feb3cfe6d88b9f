// SPDX-License-Identifier: MIT
// Partitioning a loaded model: see the header.
#include "core/session/partitioned_model.h"

#include <algorithm>

#include "core/context/context_source.h"

namespace ortc {
namespace {

// EPContext nodes that no provider took.
Status check_left_over_contexts(const PartitionedModel& model, const Making& making) {
  for (const Node* node : ep_context_nodes(*model.loaded.model->graph)) {
    if (node->callee() != kNoCallee) continue;
    const std::string_view source = node->string_attribute("source", "");
    const auto known = making.environment().providers().find_source(source);
    return not_implemented(
        node->label(), " with source '", source,
        "' was taken by no execution provider of the session (", model.providers.names(), "); ",
        known != nullptr ? str_cat("add '", known->name(), "' to the session options")
                         : std::string("register the library of the provider that made it"));
  }
  return Status::ok();
}

Status check_compiled_before(const PartitionedModel& model, const Making& making) {
  if (!making.context().disable_compile) return Status::ok();
  for (const Partition& partition : model.partitions) {
    if (partition.claim.context_node != nullptr) continue;
    return make_status(Code::kModelRequiresCompilation, "session.disable_model_compile=1, but ",
                       model.providers.claiming[partition.provider].factory->name(),
                       " would have to compile ", partition.node_count,
                       " nodes; compile the model first");
  }
  return Status::ok();
}

Status check_fallback(const PartitionedModel& model, const Making& making) {
  const auto& left = making.report.assignments;
  if (!making.settings().disable_cpu_fallback || left.empty()) return Status::ok();
  const Assignment& first = left.front();
  return fail("session.disable_cpu_ep_fallback=1, but ", left.size(), " nodes stay on ",
              model.providers.rest.factory->name(), ", the first: ", first.op_type, " '",
              first.node, "'",
              first.reason.empty() ? std::string() : str_cat(" (", first.reason, ")"));
}

AssignedPart::Node describe(const Node& node) {
  return AssignedPart::Node{node.name(), node.domain(), node.op_type()};
}

void record_graph(const PartitionedModel& model, const Graph& graph,
                  std::vector<AssignedPart>& parts) {
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr) continue;
    AssignedPart part;
    if (node->callee() == kNoCallee) {
      for (const Graph* body : node->subgraphs()) record_graph(model, *body, parts);
      part.provider = model.providers.rest.factory->name();
      part.nodes.push_back(describe(*node));
    } else {
      const Partition& partition = model.partitions[node->callee()];
      part.provider = model.providers.claiming[partition.provider].factory->name();
      if (partition.claim.context_node != nullptr) {
        part.nodes.push_back(describe(*node));
      } else {
        const Graph& inner = *partition.claim.graph;
        for (NodeId n = 0; n < inner.node_bound(); ++n) {
          if (inner.node(n) != nullptr) part.nodes.push_back(describe(*inner.node(n)));
        }
      }
    }
    parts.push_back(std::move(part));
  }
}

PartitionOptions partition_options(const Making& making) {
  PartitionOptions options;
  options.node_name_prefix = making.context().node_name_prefix;
  options.for_contexts = making.context().enable;
  options.leave_constants = making.context().weightless_nodes;
  options.logger = making.logger();
  return options;
}

}  // namespace

bool PartitionedModel::has_new_partitions() const {
  return std::any_of(partitions.begin(), partitions.end(), [](const Partition& partition) {
    return partition.claim.context_node == nullptr;
  });
}

Result<PartitionedModel> partition_model(LoadedModel loaded, SessionProviders providers,
                                         Making& making) {
  RETURN_IF_ERROR(making.begin_stage("partition", ""));
  PartitionedModel model;
  model.loaded = std::move(loaded);
  model.providers = std::move(providers);
  for (ExecutionProvider* provider : model.providers.list()) {
    provider->see_model(*model.loaded.model);
  }
  ASSIGN_OR_RETURN(
      PartitionResult result,
      partition(*model.loaded.model->graph, model.providers.list(), partition_options(making)));
  model.partitions = std::move(result.partitions);
  making.report.assignments = std::move(result.assignments);
  RETURN_IF_ERROR(check_compiled_before(model, making));
  RETURN_IF_ERROR(check_fallback(model, making));
  RETURN_IF_ERROR(check_left_over_contexts(model, making));
  if (making.settings().record_assignment) {
    auto parts = std::make_unique<std::vector<AssignedPart>>();
    record_graph(model, *model.loaded.model->graph, *parts);
    model.assigned_parts = std::move(parts);
  }
  return model;
}

Status name_partitions(PartitionedModel& model, Making& making, Work work) {
  PartitionOptions options = partition_options(making);
  options.work = std::move(work);
  RETURN_IF_ERROR(name_claims(model.partitions, model.providers.list(), options));
  for (const Partition& one : model.partitions) {
    making.report.partitions.push_back(
        {one.claim.name, std::string(model.providers.claiming[one.provider].factory->name()),
         one.node_count});
  }
  return Status::ok();
}

}  // namespace ortc

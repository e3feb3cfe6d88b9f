// SPDX-License-Identifier: MIT
// The AOT provider: see the header.
#include "providers/aot/aot_provider.h"

#include <algorithm>
#include <set>

#include "core/base/version.h"
#include "core/compile/lowering.h"
#include "core/graph/walk.h"
#include "core/optimise/pipeline.h"
#include "core/partition/partitioner.h"
#include "core/plan/plan.h"
#include "providers/aot/aot_options.h"
#include "providers/aot/capability.h"
#include "providers/aot/compatibility.h"
#include "providers/aot/target.h"
#include "providers/aot/weights.h"
#include "providers/cpu/fusions/fusions.h"

namespace ortc::aot {
namespace {

// How far a claim is when it is optimised, and when it is lowered; the rest is for its context.
constexpr double kOptimisedShare = 0.2, kLoweredShare = 0.8;

bool is_own_context(const Node& node) {
  if (!node.is_op("EPContext", kMicrosoftDomain)) return false;
  const std::string_view source = node.string_attribute("source", "");
  return equals_ignoring_case(source, kContextSource) ||
         equals_ignoring_case(source, kProviderName);
}

class AotProvider final : public ExecutionProvider {
 public:
  AotProvider(const AotOptions& options, Logger logger)
      : target_(options.target),
        excluded_operators_(options.excluded_operators.begin(), options.excluded_operators.end()),
        weights_(static_cast<WeightType>(options.weights)),
        low_memory_(options.low_memory),
        winograd_(options.winograd),
        logger_(std::move(logger)),
        rules_(cpu::lowering_rules()),
        evaluator_(rules_.kernels, lowest_isa(options.target)),
        nodes_(std::make_shared<const OpsetImports>(OpsetImports{{"com.microsoft", 1}})) {}

  std::string_view name() const override { return kProviderName; }
  std::string_view short_name() const override { return "AOT"; }
  std::string_view target() const override { return target_; }
  Status check_runs_here() const override { return aot::check_runs_here(target_); }

  Result<Capability> get_capability(const Graph& graph) override {
    Capability capability;
    std::vector<std::string> reasons(graph.node_bound());
    for (const Node& node : nodes_of(graph)) {
      const NodeId id = node.id();
      if (is_own_context(node)) {
        capability.groups.push_back({{id}});
        reasons[id] = "it is compiled already";
        continue;
      }
      reasons[id] = why_not(node, rules_, excluded_operators_);
      if (!reasons[id].empty()) capability.refusals.push_back({id, reasons[id]});
    }
    ASSIGN_OR_RETURN(auto groups, convex_groups(graph, [&](const Node& node) {
                       return reasons[node.id()].empty();
                     }));
    for (NodeGroup& group : groups) capability.groups.push_back(std::move(group));
    return capability;
  }

  Result<std::vector<CompiledClaim>> compile(std::span<const Claim> claims,
                                             CompileContext& context) override {
    std::vector<CompiledClaim> compiled;
    sink_ = context.sink;
    const Work whole = context.work;
    const std::vector<double> ends = shares(claims);
    for (const Claim& claim : claims) {
      const size_t i = compiled.size();
      context.work = whole.part(i == 0 ? 0 : ends[i - 1], ends[i]);
      RETURN_IF_ERROR(context.work.go_on());
      auto result =
          claim.context_node != nullptr ? load(claim, context) : compile_claim(claim, context);
      if (!result.is_ok()) {
        Status status = result.status();
        return std::move(status.note(str_cat("partition '", claim.name, "'")));
      }
      compiled.push_back(std::move(result).value());
    }
    return compiled;
  }

  // The first node carries the context, the others find their graphs in it.
  Result<std::vector<const Node*>> get_ep_context_nodes() override {
    std::vector<const Node*> made;
    if (sink_ == nullptr) return made;
    for (const std::string& partition : partitions_) {
      std::vector<Attribute> attributes;
      const bool is_main = made.empty();
      attributes.push_back(Attribute::of_int("main_context", is_main ? 1 : 0));
      attributes.push_back(Attribute::of_int("embed_mode", sink_->is_embedded() ? 1 : 0));
      if (is_main) {
        ASSIGN_OR_RETURN(Blob content, sink_->cache_context());
        attributes.push_back(Attribute::of_blob("ep_cache_context", std::move(content)));
      }
      attributes.push_back(Attribute::of_string("ep_sdk_version", std::string(kLibraryVersion)));
      attributes.push_back(Attribute::of_string("hardware_architecture", target_));
      attributes.push_back(Attribute::of_string("partition_name", partition));
      attributes.push_back(Attribute::of_string("source", std::string(kContextSource)));
      ASSIGN_OR_RETURN(Node * node, nodes_.add_node("EPContext", std::string(kMicrosoftDomain),
                                                    partition, {}, {}, std::move(attributes)));
      made.push_back(node);
    }
    return made;
  }

  std::string compatibility_info() const override {
    const std::vector<std::string> kernels(used_kernels_.begin(), used_kernels_.end());
    return kernels.empty() ? std::string() : compatibility_text(target_, kernels);
  }

 private:
  // Where each claim's part of the work ends.
  static std::vector<double> shares(std::span<const Claim> claims) {
    std::vector<double> ends;
    double total = 0;
    for (const Claim& claim : claims) {
      // A context that is there is opened, no more.
      total += claim.graph != nullptr ? static_cast<double>(lowering_units(*claim.graph)) : 1;
      ends.push_back(total);
    }
    for (double& end : ends) end /= total;
    return ends;
  }

  Result<CompiledClaim> load(const Claim& claim, CompileContext& context) {
    const Node& node = *claim.context_node;
    if (context.source == nullptr)
      return invalid_graph(node.label(), ": no context can be opened here");
    ASSIGN_OR_RETURN(const ContextView* view, context.source->open(node));
    ASSIGN_OR_RETURN(ContextView::Graph graph,
                     view->graph(node.string_attribute("partition_name", node.name())));
    CompiledClaim compiled;
    if (!context.to_run) return compiled;
    auto isa = isa_of_context(view->target());
    RETURN_IF_ERROR_WHILE(isa.status(), node.label(), ": its context");
    compiled.isa_max = *isa;
    auto plan = Plan::open(std::move(graph.plan_image), std::move(graph.tensors), rules_.kernels);
    if (!plan.is_ok()) {
      Status status = plan.status();
      return std::move(status.note("in its context"));
    }
    compiled.plan = std::move(plan).value();
    return compiled;
  }

  Result<CompiledClaim> compile_claim(const Claim& claim, CompileContext& context) {
    ASSIGN_OR_RETURN(const std::shared_ptr<TensorMemory> scratch, scratch_memory());
    const WithTensorMemory with_scratch(scratch.get());
    ASSIGN_OR_RETURN(Model model, optimised_copy(*claim.graph, context));
    ASSIGN_OR_RETURN(PlanImage plan, lower_claim(*model.graph, context));
    if (sink_ != nullptr) {
      context.work = context.work.part(kLoweredShare, 1);
      context.work.expect(lowering_units(*model.graph));
      RETURN_IF_ERROR(sink_->add_plan(claim.name, plan));
      partitions_.push_back(claim.name);
    }
    return context.to_run ? open_plan(std::move(plan), context) : CompiledClaim();
  }

  // Where large tensors are made meanwhile; null: in memory.
  Result<std::shared_ptr<TensorMemory>> scratch_memory() {
    std::shared_ptr<TensorMemory> scratch;
    if (!low_memory_ || sink_ == nullptr) return scratch;
    ASSIGN_OR_RETURN(scratch, sink_->scratch());
    if (scratch == nullptr) {
      ORTC_LOG(logger_, kWarning, "compile",
               "low_memory has no effect: the context does not go to a file");
    }
    return scratch;
  }

  // Full strength inside the claim, whatever level the model's graph was optimised with.
  Result<Model> optimised_copy(const Graph& graph, const CompileContext& context) {
    Model model;
    model.graph = graph.clone();
    model.opsets = graph.opsets();
    OptimiseOptions options;
    options.lenient_shapes = true;  // strict sessions would not have come here
    // (The session has warned of names that no pass has.)
    for (const Pass& pass : graph_passes()) {
      const auto& names = context.disabled_optimizers;
      const bool is_disabled = std::find(names.begin(), names.end(), pass.name) != names.end();
      if (is_disabled) options.disabled_passes.emplace(pass.name);
    }
    options.logger = logger_;
    options.work = context.work.part(0, kOptimisedShare);
    auto passes = optimise(model, evaluator_, options);
    if (!passes.is_ok()) return passes.status();
    ASSIGN_OR_RETURN(const int converted, convert_weights(*model.graph, weights_));
    if (converted > 0) {
      ORTC_LOG(logger_, kInfo, "compile", converted, " weights were made smaller");
    }
    return model;
  }

  Result<PlanImage> lower_claim(Graph& graph, const CompileContext& context) {
    LoweringOptions lowering;
    lowering.rules =
        &cpu::lowering_rules({.rounds_rows = context.rounds_rows, .winograd = winograd_});
    lowering.logger = logger_;
    lowering.work = context.work.part(kOptimisedShare, kLoweredShare);
    ASSIGN_OR_RETURN(PlanImage plan, lower_in_place(graph, lowering));
    for (std::string& kernel : kernels_of_image(plan.image.bytes()))
      used_kernels_.insert(std::move(kernel));
    return plan;
  }

  Result<CompiledClaim> open_plan(PlanImage plan, const CompileContext& context) {
    CompiledClaim compiled;
    ASSIGN_OR_RETURN(compiled.isa_max, isa_of_context(target_));
    std::vector<Blob> tensors;
    for (const Tensor& tensor : plan.tensors) {
      Blob bytes(tensor.bytes(), tensor.owner());
      tensors.push_back(context.share_weights ? context.share_weights(std::move(bytes))
                                              : std::move(bytes));
    }
    ASSIGN_OR_RETURN(compiled.plan,
                     Plan::open(std::move(plan.image), std::move(tensors), rules_.kernels));
    return compiled;
  }

  std::string target_;                        // of several all
  std::set<std::string> excluded_operators_;  // left to other providers
  WeightType weights_;
  bool low_memory_;
  bool winograd_;
  Logger logger_;
  const LoweringRules& rules_;
  Evaluator evaluator_;
  ContextSink* sink_ = nullptr;
  std::vector<std::string> partitions_;  // compiled, in order
  std::set<std::string> used_kernels_;
  Graph nodes_;  // holds the EPContext nodes
};

}  // namespace

std::unique_ptr<ExecutionProvider> make_provider(const AotOptions& options, Logger logger) {
  return std::make_unique<AotProvider>(options, std::move(logger));
}

}  // namespace ortc::aot

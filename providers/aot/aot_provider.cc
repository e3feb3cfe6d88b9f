// SPDX-License-Identifier: MIT
// The AOT provider: see the header.
#include "providers/aot/aot_provider.h"

#include <algorithm>
#include <set>

#include "core/base/version.h"
#include "core/compile/lowering.h"
#include "core/optimise/pipeline.h"
#include "core/partition/partitioner.h"
#include "core/plan/plan.h"
#include "core/platform/target_list.h"
#include "core/provider/registry.h"
#include "providers/aot/aot_options.h"
#include "providers/aot/capability.h"
#include "providers/aot/target.h"
#include "providers/aot/weights.h"
#include "providers/cpu/fusions/fusions.h"

namespace ortc::aot {
namespace {

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
    for (NodeId id = 0; id < graph.node_bound(); ++id) {
      const Node* node = graph.node(id);
      if (node == nullptr) continue;
      if (is_own_context(*node)) {
        capability.groups.push_back({{id}});
        reasons[id] = "it is compiled already";
        continue;
      }
      reasons[id] = why_not(*node, rules_, excluded_operators_);
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
    std::shared_ptr<TensorMemory> scratch;
    if (low_memory_ && sink_ != nullptr) {
      ASSIGN_OR_RETURN(scratch, sink_->scratch());
      if (scratch == nullptr) {
        ORTC_LOG(logger_, kWarning, "compile",
                 "low_memory has no effect: the context does not go to a file");
      }
    }
    const WithTensorMemory with_scratch(scratch.get());
    // Full strength inside the claim, whatever level the model's graph was optimised with.
    Model model;
    model.graph = claim.graph->clone();
    model.opsets = claim.graph->opsets();
    OptimiseOptions options;
    options.lenient_shapes = true;  // strict sessions would not have come here
    // (The session has warned of names that no pass has.)
    for (const Pass& pass : graph_passes()) {
      const auto& names = context.disabled_optimizers;
      const bool is_disabled = std::find(names.begin(), names.end(), pass.name) != names.end();
      if (is_disabled) options.disabled_passes.emplace(pass.name);
    }
    options.logger = logger_;
    options.work = context.work.part(0, 0.2);
    auto passes = optimise(model, evaluator_, options);
    if (!passes.is_ok()) return passes.status();
    ASSIGN_OR_RETURN(const int converted, convert_weights(*model.graph, weights_));
    if (converted > 0) {
      ORTC_LOG(logger_, kInfo, "compile", converted, " weights were made smaller");
    }
    LoweringOptions lowering;
    lowering.rules =
        &cpu::lowering_rules({.rounds_rows = context.rounds_rows, .winograd = winograd_});
    lowering.logger = logger_;
    lowering.work = context.work.part(0.2, 0.8);
    ASSIGN_OR_RETURN(PlanImage plan, lower_in_place(*model.graph, lowering));
    for (std::string& kernel : kernels_of_image(plan.image.bytes()))
      used_kernels_.insert(std::move(kernel));
    if (sink_ != nullptr) {
      context.work = context.work.part(0.8, 1);
      context.work.expect(lowering_units(*model.graph));
      RETURN_IF_ERROR(sink_->add_plan(claim.name, plan));
      partitions_.push_back(claim.name);
    }
    CompiledClaim compiled;
    if (!context.to_run) return compiled;
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

// What a program may choose to compile for as if it were there.
constexpr std::string_view kVirtualDevices[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"};

DeviceOffer virtual_device(std::string_view target) {
  auto hardware = std::make_shared<HardwareDevice>();
  hardware->metadata = {{"is_virtual", "1"}, {"target", std::string(target)}};
  return {hardware,
          {{"version", std::string(kLibraryVersion)}, {"target", std::string(target)}},
          {{"target", std::string(target)}}};
}

// Several devices of a session are one compilation for all of them, unless the program gave a
// target of its own: theirs is what the first virtual one suggests.
std::string targets_of(std::span<const std::shared_ptr<const EpDevice>> devices,
                       const std::string& given) {
  std::string targets;
  std::string_view suggested;
  for (const auto& device : devices) {
    const auto target = device->options.find("target");
    const bool is_virtual = target != device->options.end();
    if (is_virtual && suggested.empty()) suggested = target->second;
    targets += str_cat(targets.empty() ? "" : ";", is_virtual ? target->second : "host");
  }
  return given == suggested && !suggested.empty() ? targets : given;
}

class AotFactory final : public ProviderFactory {
 public:
  explicit AotFactory(bool has_virtual_devices) : has_virtual_devices_(has_virtual_devices) {}
  std::string_view name() const override { return kProviderName; }
  std::string_view vendor() const override { return "ortc"; }
  std::string_view version() const override { return kLibraryVersion; }
  std::span<const std::string_view> aliases() const override {
    static constexpr std::string_view kAliases[] = {kContextSource};
    return kAliases;
  }
  std::vector<DeviceOffer> devices(
      std::span<const std::shared_ptr<const HardwareDevice>> hardware) const override {
    std::vector<DeviceOffer> offers;
    for (const auto& device : hardware) {
      if (device->type != DeviceType::kCpu) continue;
      offers.push_back(
          {device, {{"version", std::string(version())}, {"targets", target_list()}}, {}});
    }
    if (has_virtual_devices_) {
      for (const std::string_view target : kVirtualDevices) {
        offers.push_back(virtual_device(target));
      }
    }
    return offers;
  }
  Status check_options(const KeyValues& options) const override {
    ASSIGN_OR_RETURN(const AotOptions read, read_aot_options(options));
    return parse_targets(read.target).status();
  }
  Result<std::unique_ptr<ExecutionProvider>> make(const KeyValues& options,
                                                  const Logger& logger) const override {
    return make_for({}, options, logger);
  }
  Result<std::unique_ptr<ExecutionProvider>> make_for(const ProviderRequest& request,
                                                      const KeyValues& options,
                                                      const Logger& logger) const override {
    ASSIGN_OR_RETURN(AotOptions read, read_aot_options(options));
    read.target = targets_of(request.devices, read.target);
    ASSIGN_OR_RETURN(read.target, parse_targets(read.target));
    return std::unique_ptr<ExecutionProvider>(std::make_unique<AotProvider>(read, logger));
  }
  Compatibility judge(std::string_view info, std::string* reason) const override {
    return judge_compatibility(info, nullptr, reason);
  }
  // The worst that one of them says. Virtual devices are asked as if they were there.
  Result<Compatibility> judge_for(std::span<const std::shared_ptr<const EpDevice>> devices,
                                  std::string_view info, std::string* reason) const override {
    if (devices.empty()) return judge(info, reason);
    Compatibility worst = Compatibility::kNotApplicable;
    for (const auto& device : devices) {
      ASSIGN_OR_RETURN(const std::optional<Target> target, virtual_target(*device));
      std::string why;
      const Compatibility verdict = judge_compatibility(info, target ? &*target : nullptr, &why);
      if (device != devices.front() && verdict <= worst) continue;
      worst = verdict;
      if (reason != nullptr) *reason = std::move(why);
    }
    return worst;
  }
  // What is compiled for a virtual device may be for another processor.
  Result<Incompatibility> incompatibility(
      const std::shared_ptr<const HardwareDevice>& hardware) const override {
    const auto target = hardware->metadata.find("target");
    if (target == hardware->metadata.end()) return ProviderFactory::incompatibility(hardware);
    Incompatibility found;
    if (judge_target(target->second, nullptr, &found.notes) == Compatibility::kUnsupported) {
      found.reasons = Incompatibility::kDevice;
    }
    return found;
  }
  // Of equals the one that uses most of the processor.
  Result<std::optional<size_t>> choose_candidate(
      const std::shared_ptr<const EpDevice>& device, std::span<const KeyValues> candidates,
      const SessionOptions* session_options) const override {
    ASSIGN_OR_RETURN(const std::optional<size_t> first,
                     ProviderFactory::choose_candidate(device, candidates, session_options));
    if (!first) return first;
    const auto text_of = [&](size_t i) { return candidates[i].at("0.ep_compatibility_info"); };
    ASSIGN_OR_RETURN(const Compatibility verdict,
                     judge_for({&device, 1}, text_of(*first), nullptr));
    std::vector<size_t> equals;
    std::vector<std::string> texts;
    for (size_t i = *first; i < candidates.size(); ++i) {
      ASSIGN_OR_RETURN(const Compatibility other, judge_for({&device, 1}, text_of(i), nullptr));
      if (other != verdict || candidates[i].at("num_models") != "1") continue;
      equals.push_back(i);
      texts.push_back(text_of(i));
    }
    ASSIGN_OR_RETURN(const std::optional<Target> there, virtual_target(*device));
    if (equals.empty()) return first;
    return std::optional<size_t>(equals[best_of(texts, there ? &*there : nullptr)]);
  }
  const KernelRegistry* kernels() const override { return &cpu::lowering_rules().kernels; }

 private:
  // What a virtual device stands for; nothing of the processor that is here.
  static Result<std::optional<Target>> virtual_target(const EpDevice& device) {
    const auto name = device.options.find("target");
    if (name == device.options.end()) return std::optional<Target>();
    ASSIGN_OR_RETURN(Target target, parse_target(name->second));
    return std::optional<Target>(std::move(target));
  }

  bool has_virtual_devices_;
};

}  // namespace

std::shared_ptr<const ProviderFactory> factory(bool has_virtual_devices) {
  return std::make_shared<AotFactory>(has_virtual_devices);
}

}  // namespace ortc::aot

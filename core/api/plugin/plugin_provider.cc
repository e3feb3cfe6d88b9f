// SPDX-License-Identifier: MIT
// A provider of a library: see the header.
#include "core/api/plugin/plugin_provider.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/api/plugin/capture/plugin_capture.h"
#include "core/api/plugin/context_node_graphs.h"
#include "core/api/plugin/ep_instance.h"
#include "core/api/plugin/kernels/single_nodes.h"
#include "core/api/plugin/layout/plugin_layout.h"
#include "core/api/plugin/memory/plugin_memory.h"
#include "core/api/plugin/plugin_object.h"
#include "core/api/plugin/plugin_views.h"
#include "core/api/plugin/profiling/plugin_profiler.h"
#include "core/api/plugin/support_info.h"

namespace ortc::api {
namespace {

class PluginProvider final : public ExecutionProvider {
 public:
  PluginProvider(std::shared_ptr<EpInstance> instance, bool is_lenient)
      : instance_(std::move(instance)),
        ep_(instance_->ep()),
        is_lenient_(is_lenient),
        layout_(instance_, [this](const Graph& graph, const std::set<NodeId>& claimed) {
          return ask_for_nodes(graph, claimed);
        }) {}

  std::string_view name() const override { return instance_->factory().name(); }
  std::string_view short_name() const override { return name(); }
  ClaimOrder claim_order() const override { return ClaimOrder::kInnerFirst; }

  void see_model(const Model& model) override {
    model_ = &model;
    shown_.forget();
  }

  Result<Capability> get_capability(const Graph& graph) override {
    return ask_for_nodes(graph, {});
  }
  Result<LayoutWishes*> wants_channels_last() override {
    ASSIGN_OR_RETURN(const bool prefers_last, layout_.prefers_last());
    return prefers_last ? &layout_ : nullptr;
  }

  Result<std::vector<CompiledClaim>> compile(std::span<const Claim> claims,
                                             CompileContext& context) override {
    std::vector<Claim> fused;
    std::vector<CompiledClaim> compiled(claims.size());
    for (const Claim& claim : claims) {
      if (claim.single_node == nullptr) fused.push_back(claim);
    }
    if (!fused.empty()) {
      ASSIGN_OR_RETURN(auto made, compile_by_graph(fused, context));
      for (size_t i = 0, k = 0; i < claims.size(); ++i) {
        if (claims[i].single_node == nullptr) compiled[i] = std::move(made[k++]);
      }
    }
    if (fused.size() != claims.size()) {
      RETURN_IF_ERROR(make_kernels(claims, context, compiled));
    }
    return compiled;
  }

  Result<std::vector<std::shared_ptr<const DeviceMemory>>> memories() override {
    ASSIGN_OR_RETURN(const PluginMemories* const own, own_memories());
    return std::vector<std::shared_ptr<const DeviceMemory>>(own->list.begin(), own->list.end());
  }
  Status wait_for_devices() override { return instance_->wait_for_devices(); }

  Result<std::vector<const Node*>> get_ep_context_nodes() override {
    return context_graphs_.nodes();
  }

  // As in ONNX Runtime: before version 29 there was nothing to ask.
  Status check_weightless() const override {
    if (ep_.ort_version_supported < 29) {
      ORTC_LOG(instance_->logger(), kInfo, "plugin", name(), " has version ",
               ep_.ort_version_supported,
               " and cannot tell whether it leaves weights out of its contexts");
      return Status::ok();
    }
    const auto ask = ORTC_SINCE(ep_, 29, GetWeightlessSupport);
    if (ask == nullptr) {
      return not_implemented(name(), " does not implement GetWeightlessSupport, as ",
                             "ep.enable_weightless asks");
    }
    OrtWeightlessSupport support{};
    RETURN_IF_ERROR(instance_->call("GetWeightlessSupport", [&] { return ask(&ep_, &support); }));
    const int32_t number = number_of(support);
    if (number == 1 || number == 2) return Status::ok();  // those of external files, or all
    return make_status(Code::kEpFail, name(), " cannot leave weights out of its contexts, as ",
                       "ep.enable_weightless asks (GetWeightlessSupport gave ", number, ")");
  }

  // Before version 31 nobody asked: libraries that know the functions, by name, use them.
  Status check_context_functions(bool reads, bool writes) const override {
    if (ep_.ort_version_supported < 31) return Status::ok();
    // OrtEpContextDataCallbackSupportFlags.
    constexpr uint32_t kReads = 1, kWrites = 2;
    uint32_t support = 0;
    if (const auto ask = ORTC_SINCE(ep_, 31, GetEpContextDataCallbackSupport)) {
      RETURN_IF_ERROR(
          instance_->call("GetEpContextDataCallbackSupport", [&] { return ask(&ep_, &support); }));
    }
    const auto lacks = [&](bool wanted, uint32_t flag) { return wanted && (support & flag) == 0; };
    const bool no_read = lacks(reads, kReads);
    if (!no_read && !lacks(writes, kWrites)) {
      return Status::ok();
    }
    return make_status(Code::kEpFail, name(), " does not ", no_read ? "read" : "write",
                       " context data by a function of the program, as ",
                       no_read ? "SessionOptionsSetEpContextDataReadFunc"
                               : "ModelCompilationOptions_SetEpContextDataWriteFunc",
                       " asks (GetEpContextDataCallbackSupport gave ", support, ")");
  }

  Result<std::string> compatibility_info_of(const Model& model) override {
    const auto ask = ORTC_SINCE(ep_, 23, GetCompiledModelCompatibilityInfo);
    if (ask == nullptr) return std::string();
    ShownGraphs graphs;
    ASSIGN_OR_RETURN(const OrtGraph* const shown, graphs.show(model, *model.graph));
    const std::string label = instance_->label("GetCompiledModelCompatibilityInfo");
    ASSIGN_OR_RETURN(const char* const text, ask_plugin(label, [&] { return ask(&ep_, shown); }));
    if (text == nullptr) return std::string();
    return text_of_plugin(label, text);
  }

  Status finish_session() override {
    const auto hear = ORTC_SINCE(ep_, 27, OnSessionInitializationEnd);
    Status heard;
    if (hear != nullptr) {
      heard = instance_->call("OnSessionInitializationEnd", [&] { return hear(&ep_); });
    }
    instance_->finish_session();
    return heard;
  }
  bool watches_runs() const override { return instance_->watches_runs(); }
  Status begin_run(const RunFacts& facts) override { return instance_->begin_run(facts); }
  Status end_run(const RunFacts& facts) override { return instance_->end_run(facts); }
  Result<std::unique_ptr<GraphCapture>> make_graph_capture() override {
    return make_plugin_capture(instance_);
  }
  std::unique_ptr<ProviderProfiler> make_profiler() override {
    return make_plugin_profiler(instance_);
  }

  Status set_dynamic_options(const KeyValues& options) override {
    const auto set = ORTC_SINCE(ep_, 23, SetDynamicOptions);
    if (set == nullptr) return Status::ok();
    std::vector<const char*> keys, values;
    for (const auto& [key, value] : options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    return instance_->call("SetDynamicOptions",
                           [&] { return set(&ep_, keys.data(), values.data(), keys.size()); });
  }

 private:
  // Nodes that it claimed before are shown as its own.
  Result<Capability> ask_for_nodes(const Graph& graph, const std::set<NodeId>& claimed) {
    Capability capability;
    const auto ask = ORTC_SINCE(ep_, 23, GetCapability);
    if (ask == nullptr) return capability;
    ASSIGN_OR_RETURN(const OrtGraph* const shown, shown_.show(*model_, graph));
    for (const auto& node : shown->own_nodes) {
      if (claimed.contains(node->node->id())) node->ep_name = name();
    }
    const LentSlots<OrtEpGraphSupportInfo>::Lease info;
    info->open(*shown, &instance_->kernels(), name());
    const Status asked =
        instance_->call("GetCapability", [&] { return ask(&ep_, shown, info.get()); });
    capability.groups = info->close();
    shown_.hide();
    if (asked.is_ok()) return capability;
    if (!is_lenient_) return asked;
    // As in ONNX Runtime others run the graph.
    ORTC_LOG(instance_->logger(), kWarning, "plugin", asked.message(), "; it gets no nodes");
    return Capability();
  }

  // The claims of one graph or body at a time, innermost first, as they were asked for.
  Result<std::vector<CompiledClaim>> compile_by_graph(std::span<const Claim> claims,
                                                      CompileContext& context) {
    std::vector<CompiledClaim> compiled;
    while (!claims.empty()) {
      const auto other = std::ranges::find_if(
          claims, [&](const Claim& claim) { return claim.outer != claims.front().outer; });
      const auto count = static_cast<size_t>(other - claims.begin());
      ASSIGN_OR_RETURN(auto made, compile_fused(claims.first(count), context));
      std::ranges::move(made, std::back_inserter(compiled));
      claims = claims.subspan(count);
    }
    return compiled;
  }

  Result<std::vector<CompiledClaim>> compile_fused(std::span<const Claim> claims,
                                                   CompileContext& context) {
    const auto compile_them = ORTC_SINCE(ep_, 23, Compile);
    if (compile_them == nullptr || ep_.ReleaseNodeComputeInfos == nullptr) {
      return make_status(Code::kEpFail, name(), " claims nodes, but has no ",
                         compile_them == nullptr ? "Compile" : "ReleaseNodeComputeInfos");
    }
    std::vector<std::unique_ptr<ShownClaim>> shown;
    std::vector<const OrtGraph*> graphs;
    std::vector<const OrtNode*> nodes;
    for (const Claim& claim : claims) {
      ASSIGN_OR_RETURN(auto one, ShownClaim::create(*model_, claim, name()));
      graphs.push_back(one->graph());
      nodes.push_back(one->fused_node());
      shown.push_back(std::move(one));
    }
    std::vector<OrtNodeComputeInfo*> infos(claims.size());
    std::vector<OrtNode*> context_nodes(claims.size());
    const Status status = instance_->call("Compile", [&] {
      return compile_them(&ep_, graphs.data(), nodes.data(), claims.size(), infos.data(),
                          context_nodes.data());
    });
    // What a Compile that fails has made goes back as well; so it does in ONNX Runtime.
    context_graphs_.take(std::move(context_nodes));
    for (const auto& one : shown) one->forget_graph();
    const auto compiled =
        std::make_shared<const ComputeInfos>(instance_, std::move(infos), std::move(shown));
    RETURN_IF_ERROR(status);
    if (context.sink != nullptr) RETURN_IF_ERROR(context_graphs_.check(claims, name()));
    if (!context.to_run) return objects_of(claims, compiled, nullptr);
    ASSIGN_OR_RETURN(const PluginMemories* const own, own_memories());
    return objects_of(claims, compiled, own);
  }

  Status make_kernels(std::span<const Claim> claims, const CompileContext& context,
                      std::span<CompiledClaim> compiled) {
    KernelPlace place{instance_, {}, context.kernels, context.config, context.share_weights};
    if (context.to_run) {
      ASSIGN_OR_RETURN(const PluginMemories* const own, own_memories());
      place.memories = *own;
    }
    for (size_t i = 0; i < claims.size(); ++i) {
      if (claims[i].single_node == nullptr) continue;
      ASSIGN_OR_RETURN(compiled[i].object,
                       make_single_node(place, *claims[i].single_node, context.to_run));
    }
    return Status::ok();
  }

  static Result<std::vector<CompiledClaim>> objects_of(
      std::span<const Claim> claims, const std::shared_ptr<const ComputeInfos>& compiled,
      const PluginMemories* memories) {
    std::vector<CompiledClaim> result(claims.size());
    for (size_t i = 0; i < claims.size(); ++i) {
      RETURN_IF_ERROR(compiled->check(i, claims[i].name));
      if (memories == nullptr) continue;
      ASSIGN_OR_RETURN(result[i].object,
                       make_plugin_object(compiled, i, claims[i].name, *memories));
    }
    return result;
  }

  // Made when the first thing will run: what is compiled to be written needs no device.
  Result<const PluginMemories*> own_memories() {
    if (!memories_.has_value()) {
      ASSIGN_OR_RETURN(memories_, PluginMemories::create(instance_));
    }
    return &*memories_;
  }

  std::shared_ptr<EpInstance> instance_;
  std::optional<PluginMemories> memories_;
  OrtEp& ep_;
  const bool is_lenient_;  // the session came through ONNX Runtime's table
  PluginLayout layout_;
  const Model* model_ = nullptr;
  ShownGraphs shown_;
  ContextNodeGraphs context_graphs_;
};

}  // namespace

Result<std::unique_ptr<ExecutionProvider>> make_plugin_provider(
    std::shared_ptr<const PluginFactory> factory, const ProviderRequest& request,
    const KeyValues& options, const Logger& logger) {
  const bool is_lenient = request.session_options != nullptr && request.session_options->lenient;
  ASSIGN_OR_RETURN(auto instance, EpInstance::create(std::move(factory), request, options, logger));
  return std::unique_ptr<ExecutionProvider>(
      std::make_unique<PluginProvider>(std::move(instance), is_lenient));
}

}  // namespace ortc::api

// SPDX-License-Identifier: MIT
// The provider of a session: see the header. What it claims, and the functions that the host calls.
#include "providers/ortc_ep/ep.h"

#include "providers/aot/compatibility.h"

namespace ortc::ort_ep {
namespace {

Ep& own(OrtEp* ep) { return *static_cast<Ep*>(ep); }

const char* get_name(const OrtEp* ep) noexcept { return static_cast<const Ep*>(ep)->name.c_str(); }

OrtStatus* get_capability(OrtEp* ep, const OrtGraph* graph, OrtEpGraphSupportInfo* info) noexcept {
  return at_border(own(ep).host, [&] { return own(ep).claim(*graph, *info); });
}

OrtStatus* compile(OrtEp* ep, const OrtGraph** graphs, const OrtNode** fused, size_t count,
                   OrtNodeComputeInfo** infos, OrtNode** context_nodes) noexcept {
  return at_border(own(ep).host,
                   [&] { return own(ep).compile(graphs, fused, count, infos, context_nodes); });
}

void release_infos(OrtEp*, OrtNodeComputeInfo** infos, size_t count) noexcept {
  for (size_t i = 0; i < count; ++i) delete static_cast<ComputeInfo*>(infos[i]);
}

const char* get_compatibility(OrtEp* ep, const OrtGraph*) noexcept {
  try {
    return own(ep).compatibility();
  } catch (...) {
    return "";  // the model says nothing of what it needs
  }
}

OrtStatus* may_run_concurrently(OrtEp*, bool* is_supported) noexcept {
  *is_supported = true;
  return nullptr;
}

// OrtEpContextDataCallbackSupportFlags: contexts are read and written by functions of the program.
OrtStatus* get_callback_support(const OrtEp*, uint32_t* flags) noexcept {
  constexpr uint32_t kReads = 1, kWrites = 2;
  *flags = kReads | kWrites;
  return nullptr;
}

OrtStatus* on_session_end(OrtEp* ep) noexcept {
  return at_border(own(ep).host, [&] { return own(ep).finish(); });
}

}  // namespace

Ep::Ep(const Host& with, std::shared_ptr<Shared> shared, EpSettings settings,
       std::shared_ptr<Machine> machine, Logger logger)
    : OrtEp{},
      host(with),
      name(shared->ep_name),
      shared_(std::move(shared)),
      settings_(std::move(settings)),
      machine_(std::move(machine)),
      logger_(std::move(logger)),
      borrowed_(std::make_shared<int>()) {
  ort_version_supported = host.version;
  GetName = get_name;
  GetCapability = get_capability;
  Compile = ort_ep::compile;
  ReleaseNodeComputeInfos = release_infos;
  GetCompiledModelCompatibilityInfo = get_compatibility;
  IsConcurrentRunSupported = may_run_concurrently;
  OnSessionInitializationEnd = on_session_end;
  GetEpContextDataCallbackSupport = get_callback_support;
}

// Hosts that do not tell the end of a session's making. Of a last model that had something to
// compile the binary is published by now, or it has failed; so has one that was not asked about.
Ep::~Ep() {
  try {
    const bool has_nothing = was_asked_ && !has_claimed_ && !has_failed_;
    const Status status = has_nothing ? finish() : give_up();
    if (!status.is_ok()) ORTC_LOG(logger_, kError, "context", status.to_string());
  } catch (...) {
  }
}

bool Ep::is_last_of_group() const {
  const ContextSettings& context = settings_.session.context;
  return context.enable && context.share && context.stop_share && !is_published_;
}

Status Ep::finish() {
  if (!is_last_of_group()) return Status::ok();
  is_published_ = true;
  return shared_->group.publish();
}

// ONNX Runtime has written the other models: the group stays open, so that the last one can be
// compiled again. In ortc it was given up.
Status Ep::give_up() {
  if (is_last_of_group() && host.is_ortc) shared_->group.give_up();
  return Status::ok();
}

const char* Ep::compatibility() {
  const std::vector<std::string> kernels(kernels_.begin(), kernels_.end());
  compatibility_ = kernels.empty() ? std::string() : aot::compatibility_text(target_, kernels);
  return compatibility_.c_str();
}

// An If, Loop or Scan that the provider takes whole has nothing left in it to claim.
Result<bool> Ep::is_taken_with_owner(const OrtNode* owner) {
  if (owner == nullptr) return false;
  ASSIGN_OR_RETURN(const HostGraph alone, HostGraphReader(host, borrowed_).read_alone(*owner));
  ASSIGN_OR_RETURN(auto provider, shared_->aot->make(settings_.options, logger_));
  ASSIGN_OR_RETURN(const Capability capability, provider->get_capability(*alone.graph));
  return !capability.groups.empty();
}

Status Ep::claim(const OrtGraph& graph, OrtEpGraphSupportInfo& info) {
  was_asked_ = true;
  const OrtNode* owner = nullptr;
  ORTC_ASK(host, Graph_GetParentNode(&graph, &owner));
  // A body need not look through all of the model again.
  if (owner == nullptr || !contexts_.is_whole) {
    ASSIGN_OR_RETURN(contexts_, read_context_nodes(host, graph, name));
  }
  ASSIGN_OR_RETURN(const bool is_taken, is_taken_with_owner(owner));
  if (is_taken) return Status::ok();
  ASSIGN_OR_RETURN(const HostGraph read, HostGraphReader(host, borrowed_).read(graph));
  ASSIGN_OR_RETURN(auto provider, shared_->aot->make(settings_.options, logger_));
  for (NodeId id = 0; id < read.graph->node_bound(); ++id) {
    Node* node = read.graph->node(id);
    if (node == nullptr || !node->is_op("EPContext", kMicrosoftDomain)) continue;
    become_aot_source(*node, name);
  }
  ASSIGN_OR_RETURN(const Capability capability, provider->get_capability(*read.graph));
  for (const NodeGroup& group : capability.groups) {
    std::vector<const OrtNode*> nodes;
    for (NodeId id : group.nodes) nodes.push_back(read.nodes[id]);
    const bool is_context = nodes.size() == 1 && is_context_node(host, *nodes.front());
    // Hosts put no EPContext nodes into bodies.
    if (owner != nullptr && settings_.session.context.enable && !is_context) continue;
    has_claimed_ = has_claimed_ || !is_context;
    OrtNodeFusionOptions fusion{};
    fusion.ort_version_supported = host.version;
    fusion.drop_constant_initializers = !is_context;
    ORTC_ASK_EP(host,
                EpGraphSupportInfo_AddNodesToFuse(&info, nodes.data(), nodes.size(), &fusion));
  }
  return Status::ok();
}

}  // namespace ortc::ort_ep

// SPDX-License-Identifier: MIT
// One OrtEp: see the header.
#include "core/api/plugin/ep_instance.h"

#include <algorithm>

#include "core/api/plugin/shown_options.h"
#include "core/api/session/run_options_handle.h"

namespace ortc::api {
namespace {

bool is_default(const OrtMemoryInfo& info) {
  return info.device_mem_type == OrtDeviceMemoryType_DEFAULT &&
         info.allocator_type != OrtReadOnlyAllocator;
}

bool wants_no_sync(const RunFacts& facts) {
  if (facts.config == nullptr) return false;
  const auto entry = facts.config->find("disable_synchronize_execution_providers");
  return entry != facts.config->end() && entry->second == "1";
}

void fill(OrtRunOptions& options, const RunFacts& facts) {
  options.options.log_severity = facts.log_severity;
  options.options.log_verbosity = facts.log_verbosity;
  options.options.tag = facts.tag;
  if (facts.config != nullptr) options.options.config = *facts.config;
}

}  // namespace

EpInstance::EpInstance(std::shared_ptr<const PluginFactory> factory,
                       const std::vector<DeviceOffer>& offers, const Logger& logger)
    : factory_(std::move(factory)), devices_(offers), logger_{logger} {}

// When the OrtEp was made: with it a library may tell of more.
void EpInstance::take_memories(const std::vector<DeviceOffer>& offers) {
  for (const DeviceOffer& offer : offers) {
    std::optional<OrtMemoryInfo>& plain = defaults_.emplace_back();
    for (const MemoryInfo& memory : offer.memories) {
      const OrtMemoryInfo info = memory_info_of(memory);
      const bool is_known = std::ranges::any_of(memories_, [&](const OrtMemoryInfo& known) {
        return is_same_memory(known, info) && known.allocator_type == info.allocator_type;
      });
      if (!is_known) memories_.push_back(info);
      if (!plain.has_value() && is_default(info)) plain = info;
    }
  }
}

// What the OrtEp says, else the first device that has memory of its own.
Result<OrtMemoryInfo> EpInstance::default_memory() const {
  if (const auto ask = ORTC_SINCE(*ep_, 27, GetDefaultMemoryDevice); ask != nullptr) {
    const OrtMemoryDevice* device = nullptr;
    RETURN_IF_ERROR(call("GetDefaultMemoryDevice", [&] { return ask(ep_, &device); }));
    if (device != nullptr) return *reinterpret_cast<const OrtMemoryInfo*>(device);
  }
  for (const auto& memory : defaults_) {
    const bool is_same = memory.has_value() == defaults_.front().has_value() &&
                         (!memory.has_value() || is_same_memory(*memory, *defaults_.front()));
    if (is_same) continue;
    return invalid_argument("the devices chosen for ", factory_->name(),
                            " have different memories; a session can use one of them");
  }
  if (defaults_.empty()) return cpu_memory();
  return defaults_.front().value_or(cpu_memory());
}

Status EpInstance::wait_for_devices() {
  const auto sync = ORTC_SINCE(*ep_, 25, Sync);
  if (sync == nullptr) return Status::ok();
  return call("Sync", [&] { return sync(ep_); });
}

Result<std::shared_ptr<EpInstance>> EpInstance::create(std::shared_ptr<const PluginFactory> factory,
                                                       const ProviderRequest& request,
                                                       const KeyValues& options,
                                                       const Logger& logger) {
  auto shown = show_options(request.session_options, options, *factory);
  const auto offers = factory->chosen(request.devices);
  std::shared_ptr<EpInstance> made(new EpInstance(std::move(factory), offers, logger));
  OrtEpFactory& plugin = made->factory_->plugin();
  OrtEp* ep = nullptr;
  RETURN_IF_ERROR(made->call("CreateEp", [&] {
    return plugin.CreateEp(&plugin, made->devices_.hardware(), made->devices_.metadata(),
                           made->devices_.count(), shown.get(), &made->logger_, &ep);
  }));
  made->ep_ = ep;
  made->options_ = std::move(shown);
  RETURN_IF_ERROR(made->check());
  made->take_memories(made->factory_->chosen(request.devices));
  RETURN_IF_ERROR(made->ask_for_turns());
  RETURN_IF_ERROR(made->take_kernels());
  return made;
}

void EpInstance::finish_session() {
  SessionOptions& options = options_->options;
  options.initializers.clear();
  options.external_initializers.clear();
  options.external_files.clear();
  options.weightless_source = {};
  options.read_context_data = nullptr;
  options.write_context_data = nullptr;
  options.sharing_group.reset();
  options.packed_weights.reset();
  options.tensor_maker.reset();
  options.custom_operators.reset();
}

EpInstance::~EpInstance() {
  if (ep_ == nullptr) return;
  OrtEpFactory& plugin = factory_->plugin();
  const PluginLibrary::Scope scope(factory_->library());
  end_plugin([&] { plugin.ReleaseEp(&plugin, ep_); });
}

Status EpInstance::check() {
  const std::string label = factory_->label("CreateEp");
  if (ep_ == nullptr) return make_status(Code::kEpFail, label, " gave no OrtEp");
  if (ep_->ort_version_supported < kFirstPluginVersion) {
    return make_status(Code::kEpFail, label, " gave an OrtEp of version ",
                       ep_->ort_version_supported, ", expected ", kFirstPluginVersion, " or more");
  }
  if (ep_->GetName == nullptr)
    return make_status(Code::kEpFail, label, " gave one without GetName");
  ASSIGN_OR_RETURN(const char* const text, ask_plugin(label, [&] { return ep_->GetName(ep_); }));
  ASSIGN_OR_RETURN(const std::string name, text_of_plugin(label + "'s GetName", text));
  if (name == factory_->name()) return Status::ok();
  return make_status(Code::kEpFail, label, " gave an OrtEp called '", name, "'");
}

Status EpInstance::ask_for_turns() {
  const auto ask = ORTC_SINCE(*ep_, 24, IsConcurrentRunSupported);
  if (ask == nullptr) return Status::ok();
  bool is_supported = true;
  RETURN_IF_ERROR(call("IsConcurrentRunSupported", [&] { return ask(ep_, &is_supported); }));
  takes_turns_ = !is_supported;
  return Status::ok();
}

// A copy: the library may end the registry with the OrtEp or before.
Status EpInstance::take_kernels() {
  const auto ask = ORTC_SINCE(*ep_, 24, GetKernelRegistry);
  if (ask == nullptr) return Status::ok();
  const OrtKernelRegistry* registry = nullptr;
  RETURN_IF_ERROR(call("GetKernelRegistry", [&] { return ask(ep_, &registry); }));
  if (registry != nullptr) kernels_ = *registry;
  return Status::ok();
}

bool EpInstance::watches_runs() const {
  return takes_turns_ || ORTC_SINCE(*ep_, 23, OnRunStart) != nullptr ||
         ORTC_SINCE(*ep_, 23, OnRunEnd) != nullptr;
}

Result<RunTurns::Turn> EpInstance::turn(const std::atomic<bool>* terminate) {
  if (!takes_turns_) return RunTurns::Turn();
  return turns_.take(factory_->name(), terminate);
}

Status EpInstance::begin_run(const RunFacts& facts) {
  ASSIGN_OR_RETURN(RunTurns::Turn turn, this->turn(facts.terminate));
  if (const auto begin = ORTC_SINCE(*ep_, 23, OnRunStart); begin != nullptr) {
    OrtRunOptions options;
    fill(options, facts);
    RETURN_IF_ERROR(call("OnRunStart", [&] { return begin(ep_, &options); }));
  }
  turn.keep();  // until end_run()
  return Status::ok();
}

Status EpInstance::end_run(const RunFacts& facts) {
  const RunTurns::Turn turn = takes_turns_ ? turns_.kept() : RunTurns::Turn();
  const auto end = ORTC_SINCE(*ep_, 23, OnRunEnd);
  if (end == nullptr) return Status::ok();
  OrtRunOptions options;
  std::string what;
  try {
    what = label("OnRunEnd");
    fill(options, facts);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // The library heard of the beginning: it hears of the end without what does not fit.
  }
  const PluginLibrary::Scope scope(factory_->library());
  return call_plugin(what, [&] { return end(ep_, &options, !wants_no_sync(facts)); });
}

}  // namespace ortc::api

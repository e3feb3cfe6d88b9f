// SPDX-License-Identifier: MIT
// The test library's factory and provider: what they claim, and what they do wrong. See the header.
#include "test_library.h"

#include <cstring>
#include <stdexcept>
#include <thread>

namespace test_library {
namespace {

constexpr char kOptionPrefix[] = "ep.testlibraryep.";

const OrtModelEditorApi* editor = nullptr;

// Calls that the runtime has made.
std::atomic<int> runs_begun{0}, runs_ended{0};
std::atomic<int> dynamic_options{0};
std::atomic<int> log_levels{0};  // of the last run that began: ten times its severity and verbosity
int compile_calls = 0;  // since a provider was made: a digit for each, the graphs that it was given
OrtEpDevice* foreign_device = nullptr;
// What GetSupportedDevices made, for what, and what CreateEp was called for.
OrtEpDevice* made_device = nullptr;
const OrtHardwareDevice *made_for = nullptr, *created_for = nullptr;

struct Factory : OrtEpFactory {
  Factory() : OrtEpFactory{} { ++alive; }
  ~Factory() {
    if (hardware != nullptr) ep_api->ReleaseHardwareDevice(hardware);
    ort->ReleaseMemoryInfo(memory);
    --alive;
  }
  bool does(const char* what) const { return fault == what; }
  std::string fault, name = kName;
  OrtHardwareDevice* hardware = nullptr;
  OrtMemoryInfo* memory = nullptr;
};

using test_library::own;
Factory& own(OrtEpFactory* factory) { return *static_cast<Factory*>(factory); }
const Factory& own(const OrtEpFactory* factory) { return *static_cast<const Factory*>(factory); }

std::string option(const OrtSessionOptions* options, const std::string& key) {
  char value[256];
  size_t size = sizeof value;
  if (OrtStatus* status = ort->GetSessionConfigEntry(options, key.c_str(), value, &size)) {
    ort->ReleaseStatus(status);
    return {};
  }
  return value;
}

// The provider of a session.

// Each node from a thread of its own, beside threads that ask about the graph.
OrtStatus* claim_on_threads(OrtEpGraphSupportInfo* support,
                            const std::vector<const OrtNode*>& nodes) {
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (const OrtNode* node : nodes) {
    threads.emplace_back([&failures, support, node] {
      try {
        for (int i = 0; i < 50; ++i) {
          if (inputs_of(node).size() != 2) ++failures;
        }
        OrtNodeFusionOptions fusion{};
        fusion.ort_version_supported = ORT_API_VERSION;
        must(ep_api->EpGraphSupportInfo_AddNodesToFuse(support, &node, 1, &fusion));
      } catch (const std::exception&) {
        ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures == 0 ? nullptr : error("a thread failed");
}

OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
  const Ep& ep = own(self);
  if (ep.does("capability_error")) return error("no capability");
  if (ep.does("late_options") && option(ep.options, std::string(kOptionPrefix) + "fault").empty())
    return error("no options");
  if (ep.does("capability_throws")) throw std::runtime_error("thrown over a graph");
  size_t count = 0;
  must(ort->Graph_GetNumNodes(graph, &count));
  std::vector<const OrtNode*> nodes(count), muls;
  must(ort->Graph_GetNodes(graph, nodes.data(), count));
  for (const OrtNode* node : nodes) {
    const char *type = nullptr, *domain = nullptr;
    must(ort->Node_GetOperatorType(node, &type));
    must(ort->Node_GetDomain(node, &domain));
    if (std::strcmp(type, "Mul") == 0 && *domain == '\0') muls.push_back(node);
  }
  if (muls.empty()) return nullptr;
  keep_graph(ep, graph, support);
  if (ep.does("claims_on_threads")) return claim_on_threads(support, muls);
  OrtNodeFusionOptions fusion{};
  fusion.ort_version_supported = ORT_API_VERSION;
  fusion.drop_constant_initializers = ep.drops;
  if (ep.does("foreign_node")) {
    int something = 0;
    const auto* node = reinterpret_cast<const OrtNode*>(&something);
    return ep_api->EpGraphSupportInfo_AddNodesToFuse(support, &node, 1, &fusion);
  }
  if (ep.does("single_node")) {
    return ep_api->EpGraphSupportInfo_AddSingleNode(support, muls.front());
  }
  if (ep.does("no_nodes")) {
    return ep_api->EpGraphSupportInfo_AddNodesToFuse(support, muls.data(), 0, &fusion);
  }
  if (ep.does("node_twice")) muls.push_back(muls.front());
  if (ep.groups_all || ep.does("node_twice")) {
    return ep_api->EpGraphSupportInfo_AddNodesToFuse(support, muls.data(), muls.size(), &fusion);
  }
  for (const OrtNode* node : muls) {
    must(ep_api->EpGraphSupportInfo_AddNodesToFuse(support, &node, 1, &fusion));
    if (ep.does("two_groups")) {
      must(ep_api->EpGraphSupportInfo_AddNodesToFuse(support, &node, 1, &fusion));
    }
  }
  return nullptr;
}

OrtNode* context_node(const Ep& ep, const OrtNode* fused) {
  const char* name = nullptr;
  must(ort->Node_GetName(fused, &name));
  if (ep.does("wrong_context_name")) name = "somebody else";
  if (ep.does("bad_context_name")) name = "not \xff utf-8";
  const auto inputs = inputs_of(fused), outputs = outputs_of(fused);
  std::vector<const char*> in, out;
  for (const std::string& input : inputs) in.push_back(input.c_str());
  for (const std::string& output : outputs) out.push_back(output.c_str());
  OrtOpAttr* source = nullptr;
  must(ort->CreateOpAttr("source", kName, sizeof kName - 1, ORT_OP_ATTR_STRING, &source));
  OrtNode* node = nullptr;
  must(editor->CreateNode(ep.does("wrong_context_op") ? "Relu" : "EPContext", "com.microsoft", name,
                          in.data(), in.size(), out.data(), out.size(), &source, 1, &node));
  return node;
}

OrtStatus* compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused, size_t count,
                   OrtNodeComputeInfo** infos, OrtNode** context_nodes) {
  const Ep& ep = own(self);
  compile_calls = compile_calls * 10 + static_cast<int>(count);
  if (ep.does("compile_error")) return error("cannot compile");
  if (ep.does("second_compile_error") && compile_calls >= 10) return error("cannot compile again");
  if (ep.does("compile_throws")) throw std::runtime_error("thrown while compiling");
  for (size_t i = 0; i < count; ++i) {
    if (!ep.does("null_info")) infos[i] = compile_one(own(self), graphs[i], fused[i]).release();
    if (ep.makes_contexts && !ep.does("null_context")) {
      context_nodes[i] = context_node(ep, fused[i]);
    }
  }
  if (ep.does("compile_error_late")) return error("cannot compile after all");
  if (ep.does("released_context")) ort->ReleaseNode(context_nodes[0]);
  if (ep.does("same_context_twice") && count > 1) {
    ort->ReleaseNode(context_nodes[1]);
    context_nodes[1] = context_nodes[0];
  }
  return nullptr;
}

void release_infos(OrtEp*, OrtNodeComputeInfo** infos, size_t count) {
  for (size_t i = 0; i < count; ++i) delete &own(infos[i]);
}

OrtStatus* run_start(OrtEp* self, const OrtRunOptions* options) {
  const Ep& ep = own(self);
  if (ep.does("run_start_error")) return error("cannot begin");
  if (ep.does("late_options") && option(ep.options, std::string(kOptionPrefix) + "fault").empty())
    return error("no options");
  const char* tag = nullptr;
  must(ort->RunOptionsGetRunTag(options, &tag));
  int severity = 0, verbosity = 0;
  must(ort->RunOptionsGetRunLogSeverityLevel(options, &severity));
  must(ort->RunOptionsGetRunLogVerbosityLevel(options, &verbosity));
  log_levels = severity * 10 + verbosity;
  if (own(self).captures) begin_recording(own(self), options);
  ++runs_begun;
  return nullptr;
}

OrtStatus* run_end(OrtEp* self, const OrtRunOptions*, bool) {
  ++runs_ended;
  return own(self).does("run_end_error") ? error("cannot end") : nullptr;
}

OrtStatus* set_dynamic(OrtEp* self, const char* const*, const char* const*, size_t count) {
  dynamic_options += static_cast<int>(count);
  return own(self).does("dynamic_error") ? error("not now") : nullptr;
}

OrtStatus* never(OrtEp*) { return error("a member that is too young was called"); }

// What it says of contexts without weights; a version before 29 says nothing.
void fill_weightless(Ep& ep) {
  if (ep.does("weightless_28")) {
    ep.ort_version_supported = 28;  // the member is whatever was in the memory
    ep.GetWeightlessSupport = reinterpret_cast<decltype(ep.GetWeightlessSupport)>(uintptr_t{16});
  }
  if (ep.does("weightless_28") || ep.does("weightless_missing")) return;
  ep.GetWeightlessSupport = [](const OrtEp* self, OrtWeightlessSupport* support) -> OrtStatus* {
    if (own(self).does("weightless_error")) return error("no licence");
    *support =
        own(self).does("weightless_all") ? OrtWeightlessSupport_ALL : OrtWeightlessSupport_NONE;
    return nullptr;
  };
}

void fill(Ep& ep) {
  ep.ort_version_supported = ep.does("old_ep") ? 21 : ep.does("new_ep") ? 99 : ORT_API_VERSION;
  ep.GetName = [](const OrtEp* self) -> const char* {
    return own(self).does("null_ep_name")  ? nullptr
           : own(self).does("bad_ep_name") ? "not \xff utf-8"
                                           : own(self).name.c_str();
  };
  if (ep.does("no_ep_name")) ep.GetName = nullptr;
  ep.GetCapability = get_capability;
  ep.Compile = ep.does("no_compile") ? nullptr : compile;
  ep.ReleaseNodeComputeInfos = release_infos;
  ep.OnRunStart = run_start;
  ep.OnRunEnd = run_end;
  ep.SetDynamicOptions = set_dynamic;
  ep.GetEpContextDataCallbackSupport = [](const OrtEp* self, uint32_t* flags) -> OrtStatus* {
    const Ep& ep = own(self);
    *flags = ep.does("writes_contexts") ? OrtEpContextDataCallbackSupportFlags_WRITE
                                        : OrtEpContextDataCallbackSupportFlags_NONE;
    return ep.does("support_error") ? error("cannot tell") : nullptr;
  };
  ep.GetPreferredDataLayout = [](OrtEp* self, OrtEpDataLayout* layout) -> OrtStatus* {
    *layout = own(self).does("nhwc") ? OrtEpDataLayout_NHWC : OrtEpDataLayout_NCHW;
    return own(self).does("layout_error") ? error("no layout") : nullptr;
  };
  ep.IsConcurrentRunSupported = [](OrtEp* self, bool* answer) -> OrtStatus* {
    *answer = !own(self).does("one_run");
    return own(self).does("concurrent_error") ? error("cannot tell") : nullptr;
  };
  ep.OnSessionInitializationEnd = [](OrtEp* self) -> OrtStatus* {
    return own(self).does("session_end_error") ? error("not finished") : nullptr;
  };
  if (ep.fault.rfind("weightless_", 0) == 0) fill_weightless(ep);
  add_profiler(ep);
  add_capture(ep);
  if (ep.does("version_22") || ep.does("version_23")) {
    // Members that are younger than the version are whatever was in the memory.
    ep.ort_version_supported = ep.does("version_22") ? 22 : 23;
    ep.IsConcurrentRunSupported =
        reinterpret_cast<decltype(ep.IsConcurrentRunSupported)>(uintptr_t{16});
    ep.Sync = never;
    ep.CreateProfiler = reinterpret_cast<decltype(ep.CreateProfiler)>(uintptr_t{16});
    ep.OnSessionInitializationEnd = never;
    ep.IsGraphCaptureEnabled = reinterpret_cast<decltype(ep.IsGraphCaptureEnabled)>(uintptr_t{16});
    ep.GetWeightlessSupport = reinterpret_cast<decltype(ep.GetWeightlessSupport)>(uintptr_t{16});
  }
  if (ep.does("version_22")) ep.GetCapability = nullptr;
}

// The factory.

// Memory that the device did not have when it was offered.
void add_memory_late(Factory& factory) {
  if (factory.memory == nullptr) {
    must(ort->CreateMemoryInfo_V2("Late", OrtMemoryInfoDeviceType_GPU, 7, 0,
                                  OrtDeviceMemoryType_HOST_ACCESSIBLE, 0, OrtDeviceAllocator,
                                  &factory.memory));
  }
  must(ep_api->EpDevice_AddAllocatorInfo(made_device, factory.memory));
}

OrtStatus* create_ep(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                     const OrtKeyValuePairs* const*, size_t count, const OrtSessionOptions* options,
                     const OrtLogger* logger, OrtEp** out) {
  auto ep = std::make_unique<Ep>();
  created_for = count != 0 ? hardware[0] : nullptr;
  ep->name = own(self).name;
  ep->options = options;
  ep->fault = option(options, std::string(kOptionPrefix) + "fault");
  ep->groups_all = option(options, std::string(kOptionPrefix) + "groups") == "all";
  ep->drops = option(options, std::string(kOptionPrefix) + "drop") == "1";
  ep->makes_contexts = option(options, "ep.context_enable") == "1";
  keep_logger(*ep, logger);
  if (ep->does("create_ep_error")) return error("no provider");
  if (ep->does("create_ep_throws")) throw std::runtime_error("thrown in place of a provider");
  if (ep->does("null_ep")) return nullptr;
  if (count == 0 || logger == nullptr) return error("no device or no logger");
  if (ep->does("wrong_ep_name")) ep->name = "AnotherEp";
  if (ep->does("late_memory")) add_memory_late(own(self));
  fill(*ep);
  compile_calls = 0;
  *out = ep.get();
  if (ep->does("create_ep_late")) return error("no provider after all");  // it ends here
  ep.release();
  return nullptr;
}

OrtStatus* validate(OrtEpFactory* self, const OrtHardwareDevice* const*, size_t, const char* info,
                    OrtCompiledModelCompatibility* verdict) {
  if (own(self).does("validate_error")) return error("cannot judge");
  const std::string text = info;
  *verdict = text == "optimal" ? OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL
             : text == "suboptimal"
                 ? OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION
             : text == "unsupported" ? OrtCompiledModelCompatibility_EP_UNSUPPORTED
             : text == "nonsense"    ? static_cast<OrtCompiledModelCompatibility>(77)
                                     : OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  return nullptr;
}

OrtStatus* make_device(Factory& factory, const OrtHardwareDevice* hardware, OrtEpDevice** out) {
  OrtKeyValuePairs *metadata = nullptr, *options = nullptr;
  ort->CreateKeyValuePairs(&metadata);
  ort->CreateKeyValuePairs(&options);
  ort->AddKeyValuePair(metadata, "colour", "green");
  ort->AddKeyValuePair(options, "speed", "high");
  if (factory.does("bad_key")) ort->AddKeyValuePair(metadata, "not \xff utf-8", "");
  if (factory.does("bad_value")) ort->AddKeyValuePair(metadata, "key", "not \xff utf-8");
  if (factory.does("bad_option")) ort->AddKeyValuePair(options, "not \xff utf-8", "");
  if (factory.does("own_version")) ort->AddKeyValuePair(metadata, "version", "7");
  if (factory.does("own_version_22")) {
    ort->AddKeyValuePair(metadata, "version", "7");
    ort->AddKeyValuePair(metadata, "library_path", "somewhere");
    ort->AddKeyValuePair(metadata, "library_build", "some day");
  }
  OrtStatus* status = ep_api->CreateEpDevice(&factory, hardware, metadata, options, out);
  ort->ReleaseKeyValuePairs(metadata);
  ort->ReleaseKeyValuePairs(options);
  return status;
}

OrtStatus* get_devices(OrtEpFactory* self, const OrtHardwareDevice* const* devices, size_t count,
                       OrtEpDevice** out, size_t max, size_t* made) {
  Factory& factory = own(self);
  *made = 0;
  if (factory.does("devices_error")) return error("no devices");
  if (factory.does("devices_throw")) throw std::runtime_error("thrown in place of devices");
  if (factory.does("no_devices") || max < 2) return nullptr;
  if (factory.does("many_devices")) *made = max + 1;
  if (factory.does("null_device")) *made = 1;
  if (*made != 0) return nullptr;
  if (factory.does("foreign_device")) {
    out[0] = foreign_device;
    *made = 1;
    return nullptr;
  }
  const OrtHardwareDevice* hardware = nullptr;
  for (size_t i = 0; i < count; ++i) {
    if (ort->HardwareDevice_Type(devices[i]) == OrtHardwareDeviceType_CPU) hardware = devices[i];
  }
  if (factory.does("virtual_device")) {
    OrtKeyValuePairs* metadata = nullptr;
    ort->CreateKeyValuePairs(&metadata);
    ort->AddKeyValuePair(metadata, "is_virtual", "1");
    must(ep_api->CreateHardwareDevice(OrtHardwareDeviceType_GPU, 5, 6, "nobody", metadata,
                                      &factory.hardware));
    ort->ReleaseKeyValuePairs(metadata);
    hardware = factory.hardware;
  }
  if (OrtStatus* status = make_device(factory, hardware, &out[0])) return status;
  made_device = out[0];
  made_for = hardware;
  if (factory.does("devices_released")) {  // but left in the array
    ep_api->ReleaseEpDevice(out[0]);
    return error("no second device");
  }
  *made = 1;
  if (factory.does("released_device")) ep_api->ReleaseEpDevice(out[0]);
  if (factory.does("uncounted_device")) {
    if (OrtStatus* status = make_device(factory, hardware, &out[1])) return status;
    ep_api->ReleaseEpDevice(out[1]);
  }
  if (factory.does("same_device_twice")) out[(*made)++] = out[0];
  return nullptr;
}

std::unique_ptr<Factory> make_factory(const std::string& fault) {
  auto factory = std::make_unique<Factory>();
  factory->fault = fault;
  if (fault == "cpu_name") factory->name = "CPUExecutionProvider";
  if (fault == "bad_name") factory->name = "not \xff utf-8";
  if (fault == "empty_name") factory->name = "";
  if (fault == "another_name") factory->name = "AnotherTestEp";
  factory->ort_version_supported = fault == "old_factory"      ? 3
                                   : fault == "new_factory"    ? 99
                                   : fault == "own_version_22" ? 22
                                                               : ORT_API_VERSION;
  factory->GetName = [](const OrtEpFactory* self) -> const char* {
    return own(self).does("null_name") ? nullptr : own(self).name.c_str();
  };
  factory->GetVendor = [](const OrtEpFactory* self) -> const char* {
    return own(self).does("null_vendor")  ? nullptr
           : own(self).does("bad_vendor") ? "not \xff utf-8"
                                          : "testers";
  };
  factory->GetVersion = [](const OrtEpFactory* self) -> const char* {
    return own(self).does("bad_version")        ? "first"
           : own(self).does("bad_version_text") ? "1.2.3-\xff"
                                                : "1.2.3";
  };
  factory->GetSupportedDevices = fault == "no_get_devices" ? nullptr : get_devices;
  factory->CreateEp = create_ep;
  factory->ReleaseEp = [](OrtEpFactory*, OrtEp* ep) { delete &own(ep); };
  factory->ValidateCompiledModelCompatibilityInfo = validate;
  factory->CreateAllocator = [](OrtEpFactory*, const OrtMemoryInfo*, const OrtKeyValuePairs*,
                                OrtAllocator**) { return error("no allocator for it"); };
  factory->ReleaseAllocator = [](OrtEpFactory*, OrtAllocator*) {};
  return factory;
}

}  // namespace
}  // namespace test_library

using namespace test_library;

extern "C" {

ORT_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t max, size_t* count) {
  ort = base->GetApi(ORT_API_VERSION);
  ep_api = ort->GetEpApi();
  editor = ort->GetModelEditorApi();
  const char* mark = std::strchr(name, '?');
  std::string fault = mark != nullptr ? mark + 1 : "";
  if (fault.size() > 8 && fault.substr(fault.size() - 8) == ".virtual") {
    fault.resize(fault.size() - 8);
  }
  if (fault == "create_error" || logger == nullptr) return error("no factories today");
  if (fault == "create_throws") throw std::runtime_error("thrown in place of factories");
  if (fault == "no_factories") return nullptr;
  if (fault == "null_factory") {
    *count = 1;
    return nullptr;
  }
  factories[0] = make_factory(fault).release();
  *count = fault == "many_factories" ? max + 1 : 1;
  if (fault == "two_of_one_name") {
    factories[1] = make_factory(fault).release();
    *count = 2;
  }
  if (fault == "same_factory_twice") factories[(*count)++] = factories[0];
  return nullptr;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  delete &own(factory);
  return nullptr;
}

ORT_EXPORT int test_library_alive() { return alive; }
ORT_EXPORT int test_library_runs_begun() { return runs_begun; }
ORT_EXPORT int test_library_runs_ended() { return runs_ended; }
ORT_EXPORT int test_library_log_levels() { return log_levels; }
ORT_EXPORT int test_library_compile_calls() { return compile_calls; }
ORT_EXPORT int test_library_dynamic_options() { return dynamic_options; }
ORT_EXPORT const OrtEpDevice* test_library_device() { return made_device; }
ORT_EXPORT int test_library_knows_its_hardware() { return created_for == made_for ? 1 : 0; }
ORT_EXPORT void test_library_give(OrtEpDevice* device) { foreign_device = device; }

}  // extern "C"

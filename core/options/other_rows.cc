// SPDX-License-Identifier: MIT
// Config keys of runs and environments, and options that may change while a session lives.
#include "core/options/option_tables.h"

namespace ortc {
namespace {

// Devices with ';' between; here only the processor has an arena, device 0 of its kind.
Status judge_arenas(std::string_view value) {
  for (std::string_view rest = value; !value.empty();) {
    const size_t end = rest.find(';');
    const std::string_view device = rest.substr(0, end);
    if (device != "cpu" && device != "cpu:0") {
      return invalid_argument("expected \"cpu:0\", the only arena that there is, found \"", value,
                              "\"");
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {};
}

#define FIELD(path) \
  [](void* settings) -> OptionPlace { return &static_cast<RunSettings*>(settings)->path; }

// Run options, for OrtAddRunConfigEntry().
constexpr OptionRow kRunRows[] = {
    {"memory.enable_memory_arena_shrinkage", "kOrtRunOptionsConfigEnableMemoryArenaShrinkage",
     text(), "", "\"cpu:0\": memory that the session keeps goes back when the run ends.",
     FIELD(shrink_arenas), judge_arenas},
    {"disable_synchronize_execution_providers",
     "kOrtRunOptionsConfigDisableSynchronizeExecutionProviders", text(), "0",
     "\"1\": the run does not wait for devices."},
    {"qnn.htp_perf_mode", "kOrtRunOptionsConfigQnnPerfMode", text(), "",
     "Power mode of a QNN device during the run."},
    {"qnn.htp_perf_mode_post_run", "kOrtRunOptionsConfigQnnPerfModePostRun", text(), "",
     "Power mode of a QNN device after the run."},
    {"qnn.rpc_control_latency", "kOrtRunOptionsConfigQnnRpcControlLatency", text(), "",
     "Latency of calls to a QNN device, in microseconds."},
    {"qnn.lora_config", "kOrtRunOptionsConfigQnnLoraConfig", text(), "",
     "LoRA adapters of a QNN context."},
    {"gpu_graph_id", "kOrtRunOptionsConfigCudaGraphAnnotation", text(), "",
     "Which captured graph of a GPU the run replays."},
};

#undef FIELD
#define FIELD(path) \
  [](void* settings) -> OptionPlace { return &static_cast<EnvironmentSettings*>(settings)->path; }

// The environment, for OrtCreateEnvWithOptions().
constexpr OptionRow kEnvironmentRows[] = {
    {"allow_virtual_devices", "kOrtEnvAllowVirtualDevices", flag(), "0",
     "\"1\": execution providers may offer devices that are not there, to compile for.",
     FIELD(allow_virtual_devices)},
};

#undef FIELD

constexpr OptionWord kWorkloads[] = {{"Default", 0}, {"Efficient", 1}};

// Options of an execution provider that may change while a session lives.
constexpr OptionRow kDynamicRows[] = {
    {"ep.dynamic.workload_type", "kOrtEpDynamicOptionsWorkloadType", word(kWorkloads), "Default",
     "Whether the session should be fast or frugal."},
    {"ep.dynamic.qnn_htp_performance_mode", "kOrtEpDynamicOptionsQnnHtpPerformanceMode", text(), "",
     "Power mode of a QNN device."},
};

}  // namespace

std::span<const OptionRow> run_rows() { return kRunRows; }
std::span<const OptionRow> environment_rows() { return kEnvironmentRows; }
std::span<const OptionRow> dynamic_rows() { return kDynamicRows; }

}  // namespace ortc

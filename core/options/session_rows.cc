// SPDX-License-Identifier: MIT
// Config keys of sessions that have an effect, besides those of compiled models.
#include "core/options/option_tables.h"
#include "core/platform/machine/thread_affinity.h"
#include "core/platform/pool/pool_settings.h"

namespace ortc {
namespace {

#define FIELD(path) \
  [](void* settings) -> OptionPlace { return &static_cast<SessionSettings*>(settings)->path; }

// Flags that are the texts of setters take more words than "0" and "1".
constexpr OptionWord kGroupIfBusy[] = {{"wait", 0}, {"refuse", 1}};
constexpr OptionWord kSwitch[] = {{"0", 0}, {"1", 1}, {"false", 0}, {"true", 1}};
constexpr OptionWord kModes[] = {{"sequential", 0},   {"parallel", 1}, {"ort_sequential", 0},
                                 {"ort_parallel", 1}, {"0", 0},        {"1", 1}};
constexpr OptionWord kLevels[] = {{"disable_all", 0},
                                  {"enable_basic", 1},
                                  {"enable_extended", 2},
                                  {"enable_layout", 3},
                                  {"enable_all", 99},
                                  {"0", 0},
                                  {"1", 1},
                                  {"2", 2},
                                  {"3", 3},
                                  {"99", 99}};
constexpr OptionWord kResidencies[] = {{"lazy", static_cast<int>(Residency::kLazy)},
                                       {"prefetch", static_cast<int>(Residency::kPrefetch)},
                                       {"populate", static_cast<int>(Residency::kPopulate)},
                                       {"locked", static_cast<int>(Residency::kLocked)},
                                       {"copied", static_cast<int>(Residency::kCopied)}};
constexpr OptionWord kFormats[] = {{"ONNX", 0}, {"ORT", 1}};

static_assert(kThreadCountMax == 1024);  // the rows are read as text, too

// Sessions: execution providers, files, the optimiser, threads and memory; also the texts of the
// setters of session options, for programs that read them from a file.
constexpr OptionRow kSessionRows[] = {
    {"session.disable_cpu_ep_fallback", "kOrtSessionOptionsDisableCPUEPFallback", flag(), "0",
     "\"1\": a node that only the default provider would take is a failure.",
     FIELD(disable_cpu_fallback)},
    {"session.record_ep_graph_assignment_info", "kOrtSessionOptionsRecordEpGraphAssignmentInfo",
     flag(), "0",
     "\"1\": keep which provider took which node; of a compiled model, one from a cache too, these "
     "are its EPContext nodes.",
     FIELD(record_assignment)},
    {"session.strict_shape_type_inference", "kOrtSessionOptionsConfigStrictShapeTypeInference",
     flag(), "0",
     "\"1\": a shape in the model that contradicts what its nodes compute is a failure; otherwise "
     "it is a warning, and what contradicts counts as unknown.",
     FIELD(strict_shapes)},
    {"session.disable_file_mapping", "kOrtSessionOptionsDisableFileMapping", flag(), "0",
     "\"1\": files are read into memory instead of mapped; for file systems where others "
     "may truncate a file in use, which would end any process that maps it. Ours, not ONNX "
     "Runtime's.",
     FIELD(disable_file_mapping)},
    {"session.context_residency", "kOrtSessionOptionsConfigContextResidency", word(kResidencies),
     "lazy",
     "When weights come into memory: \"lazy\" with the first run that reads them, \"prefetch\" by "
     "a thread while the session is used already, \"populate\" before the session is made, "
     "\"locked\" the same and they stay there, \"copied\" out of their files into memory of the "
     "process. Ours, not ONNX Runtime's.",
     FIELD(residency)},
    {"session.group_exclusive", "kOrtSessionOptionsConfigGroupExclusive", flag(), "0",
     "\"1\": sessions of one sharing group (ep.share_ep_contexts, or a handle) run one at a time, "
     "and "
     "share the memory of their activations: the most that one needs, not the sum. Ours, not ONNX "
     "Runtime's.",
     FIELD(group_exclusive)},
    {"session.group_if_busy", "kOrtSessionOptionsConfigGroupIfBusy", word(kGroupIfBusy), "wait",
     "What a run does while another one of its group is at work: \"wait\", or \"refuse\": fail at "
     "once. Ours, not ONNX Runtime's.",
     FIELD(group_refuses_if_busy)},
    {"optimization.disable_specified_optimizers", "kOrtSessionOptionsDisableSpecifiedOptimizers",
     list(';'), "", "Names of passes that are not to run, separated by semicolons.",
     FIELD(disabled_optimizers)},
    {"session.graph_optimization_level", "kOrtSessionOptionsConfigGraphOptimizationLevel",
     word(kLevels), "enable_all", "As OrtSetSessionGraphOptimizationLevel().", FIELD(level)},
    {"session.optimized_model_filepath", "kOrtSessionOptionsConfigOptimizedModelFilePath", text(),
     "", "As OrtSetOptimizedModelFilePath().", FIELD(optimised_model.path)},
    {"session.optimized_model_external_initializers_file_name",
     "kOrtSessionOptionsOptimizedModelExternalInitializersFileName", text(), "",
     "A file for the initializers of the optimised model, in its folder.",
     FIELD(optimised_model.external_file)},
    {"session.optimized_model_external_initializers_min_size_in_bytes",
     "kOrtSessionOptionsOptimizedModelExternalInitializersMinSizeInBytes", bytes(), "1024",
     "Initializers smaller than this stay in the optimised model.",
     FIELD(optimised_model.external_threshold)},
    {"session.save_model_format", "kOrtSessionOptionsConfigSaveModelFormat", word(kFormats), "",
     "Of the optimised model; by default as the extension of its name says. ORT is not "
     "implemented.",
     FIELD(optimised_model.format)},
    {"session.intra_op_num_threads", "kOrtSessionOptionsConfigIntraOpNumThreads", number(0, 1024),
     "0", "As OrtSetIntraOpNumThreads(); 0: one thread per processor.", FIELD(intra_op_threads)},
    {"session.inter_op_num_threads", "kOrtSessionOptionsConfigInterOpNumThreads", number(0, 1024),
     "0", "As OrtSetInterOpNumThreads().", FIELD(inter_op_threads)},
    {"session.execution_mode", "kOrtSessionOptionsConfigExecutionMode", word(kModes), "sequential",
     "As OrtSetSessionExecutionMode().", FIELD(parallel_execution)},
    {"session.use_per_session_threads", "kOrtSessionOptionsConfigUsePerSessionThreads",
     word(kSwitch), "1", "\"0\": as OrtDisablePerSessionThreads().", FIELD(own_threads)},
    {"session.intra_op.allow_spinning", "kOrtSessionOptionsConfigAllowIntraOpSpinning", flag(), "1",
     "\"0\": idle threads of an operator sleep at once.", FIELD(allow_spinning)},
    {"session.intra_op.spin_duration_us", "kOrtSessionOptionsConfigIntraOpSpinDurationUs",
     number(0, 1000000), "50", "How long idle threads of an operator stay awake.",
     FIELD(spin_duration_us)},
    {"session.intra_op_thread_affinities", "kOrtSessionOptionsConfigIntraOpThreadAffinities",
     text(), "",
     "Processors on which the threads of operators stay, counted from 1: \"1,2;3-6\" has a group "
     "for each thread but the caller's.",
     FIELD(thread_affinities), judge_affinities},
    {"session.set_denormal_as_zero", "kOrtSessionOptionsConfigSetDenormalAsZero", flag(), "0",
     "\"1\": runs take denormal numbers for zero, on all their threads; the program's own threads "
     "compute as before when a run has ended.",
     FIELD(denormals_as_zero)},
    {"session.use_deterministic_compute", "kOrtSessionOptionsConfigUseDeterministicCompute",
     word(kSwitch), "0",
     "As OrtSetDeterministicCompute(); results never depend on the number of threads.",
     FIELD(deterministic)},
    {"session.qdq_matmulnbits_accuracy_level", "kOrtSessionOptionsQDQMatMulNBitsAccuracyLevel",
     number(0, 4), "4",
     "Of products by weights of 4 or 8 bits from DequantizeLinear: 4 rounds rows to 8 bits, 0 to "
     "3 compute in float32. Holds when the model is compiled.",
     FIELD(small_weights_accuracy)},
    {"session.enable_cpu_mem_arena", "kOrtSessionOptionsConfigEnableCpuMemArena", word(kSwitch),
     "1", "As OrtEnableCpuMemArena() and OrtDisableCpuMemArena().", FIELD(memory_arena)},
    {"session.enable_mem_pattern", "kOrtSessionOptionsConfigEnableMemPattern", word(kSwitch), "1",
     "As OrtEnableMemPattern() and OrtDisableMemPattern().", FIELD(memory_pattern)},
    {"session.use_env_allocators", "kOrtSessionOptionsConfigUseEnvAllocators", flag(), "0",
     "\"1\": results are allocated by the allocator registered with the environment.",
     FIELD(use_env_allocators)},
    {"session.log_id", "kOrtSessionOptionsConfigLogId", text(), "", "As OrtSetSessionLogId().",
     FIELD(log_id)},
    {"session.log_severity_level", "kOrtSessionOptionsConfigLogSeverityLevel", number(-1, 4), "-1",
     "As OrtSetSessionLogSeverityLevel(); -1: as the environment.", FIELD(log_severity)},
    {"session.log_verbosity_level", "kOrtSessionOptionsConfigLogVerbosityLevel", number(0, 1000),
     "0", "As OrtSetSessionLogVerbosityLevel().", FIELD(log_verbosity)},
    {"session.enable_profiling", "kOrtSessionOptionsConfigEnableProfiling", text(), "",
     "As OrtEnableProfiling() with this prefix; \"\": as OrtDisableProfiling().",
     FIELD(profile_prefix)},
};

#undef FIELD

}  // namespace

std::span<const OptionRow> session_rows() { return kSessionRows; }

}  // namespace ortc

// SPDX-License-Identifier: MIT
// The keys of config entries and metadata, with ONNX Runtime's names and texts; the value of an
// entry is a text, "0" or "1" where the comment says no more.
//
// Every session key here is accepted by OrtAddSessionConfigEntry(), every run key by
// OrtAddRunConfigEntry(). A key that has no effect in this library is logged once. Options of an
// execution provider have the form `ep.<provider name in lower case>.<option>`.
#pragma once

// Compiled models: making them with a session, sharing their weights, and finding them again.

/// "1": creating a session also writes a compiled model.
static const char* const kOrtSessionOptionEpContextEnable = "ep.context_enable";
/// Where that model goes; for a model from memory, the folder where its contexts are.
static const char* const kOrtSessionOptionEpContextFilePath = "ep.context_file_path";
/// "1": context data go into the model; "0", the default: into a file beside it.
static const char* const kOrtSessionOptionEpContextEmbedMode = "ep.context_embed_mode";
/// Stands before the names of EPContext nodes, to keep models of a group apart.
static const char* const kOrtSessionOptionEpContextNodeNamePrefix = "ep.context_node_name_prefix";
/// A file for the initializers left in the compiled model; relative to its folder.
static const char* const kOrtSessionOptionsEpContextModelExternalInitializersFileName =
    "ep.context_model_external_initializers_file_name";
/// "1": sessions of a group share one context binary.
static const char* const kOrtSessionOptionShareEpContexts = "ep.share_ep_contexts";
/// "1": this session is the last of its group; the binary is written with it.
static const char* const kOrtSessionOptionStopShareEpContexts = "ep.stop_share_ep_contexts";
/// Older spelling of the next key.
static const char* const kOrtSessionOptionEpEnableWeightlessEpContextNodes =
    "ep.enable_weightless_ep_context_nodes";
/// "1": contexts without weights, which stay in the source model.
static const char* const kOrtSessionOptionEpEnableWeightless = "ep.enable_weightless";
/// Where a context without weights finds them.
static const char* const kOrtSessionOptionEpContextSourceModelPath = "ep.context_source_model_path";
/// "1": only compiled models load; others are MODEL_REQUIRES_COMPILATION.
static const char* const kOrtSessionOptionsDisableModelCompile = "session.disable_model_compile";
/// "1": a context that would run better when compiled anew is a failure.
static const char* const kOrtSessionOptionsFailOnSuboptimalCompiledModel =
    "session.fail_on_suboptimal_compiled_model";
/// Set by the compile functions themselves.
static const char* const kOrtSessionOptionCompileOnly = "session.compile_only";

/// "1": files are read into memory instead of mapped; for file systems where somebody else may
/// truncate a file in use, which would end any process that maps it. Ours, not ONNX Runtime's.
static const char* const kOrtSessionOptionsDisableFileMapping = "session.disable_file_mapping";

// Execution providers and how the graph is divided among them.

/// "1": a node that only the CPU provider would take is a failure.
static const char* const kOrtSessionOptionsDisableCPUEPFallback = "session.disable_cpu_ep_fallback";
/// "1": keep which provider took which node.
static const char* const kOrtSessionOptionsRecordEpGraphAssignmentInfo =
    "session.record_ep_graph_assignment_info";
static const char* const kOrtSessionOptionsLayerAssignmentSettings =
    "session.layer_assignment_settings";
static const char* const kOrtSessionOptionsNameBasedLayerAssignment =
    "session.name_based_layer_assignment";
static const char* const kOrtSessionOptionsResourceCudaPartitioningSettings =
    "session.resource_cuda_partitioning_settings";
static const char* const kNodePartitionConfigFile = "session.node_partition_config_file";
static const char* const kOrtSessionOptionsConfigNnapiEpPartitioningStopOps =
    "ep.nnapi.partitioning_stop_ops";

// Loading a model.

/// The folder of external data, in place of the model's.
static const char* const kOrtSessionOptionsModelExternalInitializersFileFolderPath =
    "session.model_external_initializers_file_folder_path";
/// "1": a shape or type that contradicts the model is a failure, not a warning.
static const char* const kOrtSessionOptionsConfigStrictShapeTypeInference =
    "session.strict_shape_type_inference";
/// "0": opsets that are not released yet are accepted.
static const char* const kOrtSessionOptionsConfigStrictAllowReleasedOpsetsOnly =
    "session.allow_released_opsets_only";
static const char* const kOrtSessionOptionsMaxShapeOverride = "session.max_shape_override";
static const char* const kOrtSessionOptionsConfigLoadModelFormat = "session.load_model_format";
static const char* const kOrtSessionOptionsConfigSaveModelFormat = "session.save_model_format";
static const char* const kOrtSessionOptionsConfigUseORTModelBytesDirectly =
    "session.use_ort_model_bytes_directly";
static const char* const kOrtSessionOptionsConfigUseORTModelBytesForInitializers =
    "session.use_ort_model_bytes_for_initializers";
static const char* const kOrtSessionOptionsConfigUseMemoryMappedOrtModel =
    "session.use_memory_mapped_ort_model";

// The optimiser.

/// Names of passes that shall not run, separated by semicolons.
static const char* const kOrtSessionOptionsDisableSpecifiedOptimizers =
    "optimization.disable_specified_optimizers";
/// Constant folding makes no constant larger than this.
static const char* const kOrtSessionOptionsConstantFoldingMaxOutputSizeInBytes =
    "optimization.constant_folding_max_output_size_in_bytes";
static const char* const kOrtSessionOptionsGraphOptimizationsLoopLevel =
    "session.graph_optimizations_loop_level";
static const char* const kOrtSessionOptionsDisableAheadOfTimeFunctionInlining =
    "session.disable_aot_function_inlining";
static const char* const kOrtSessionOptionsEnableGeluApproximation =
    "optimization.enable_gelu_approximation";
static const char* const kOrtSessionOptionsEnableCastChainElimination =
    "optimization.enable_cast_chain_elimination";
static const char* const kOrtSessionOptionsDisableQuantQDQ = "session.disable_quant_qdq";
static const char* const kOrtSessionOptionsDisableQDQConstantFolding =
    "session.disable_qdq_constant_folding";
static const char* const kOrtSessionOptionsDisableDoubleQDQRemover =
    "session.disable_double_qdq_remover";
static const char* const kOrtSessionOptionsEnableQuantQDQCleanup =
    "session.enable_quant_qdq_cleanup";
static const char* const kOrtSessionOptionsQDQIsInt8Allowed = "session.qdqisint8allowed";
static const char* const kOrtSessionOptionsQDQMatMulNBitsAccuracyLevel =
    "session.qdq_matmulnbits_accuracy_level";
static const char* const kOrtSessionOptionsQDQMatMulNBitsBlockSize =
    "session.qdq_matmulnbits_block_size";
static const char* const kOrtSessionOptionsEnableDQMatMulNBitsFusion =
    "session.enable_dq_matmulnbits_fusion";
static const char* const kOrtSessionOptionsMemoryOptimizerApplyConfig =
    "optimization.memory_optimizer_config";
static const char* const kOrtSessionOptionsMemoryOptimizerProbeConfig =
    "optimization.enable_memory_probe_recompute_config";
static const char* const kOrtSessionOptionsConfigMinimalBuildOptimizations =
    "optimization.minimal_build_optimizations";
static const char* const kOrtSessionOptionsConfigEnableSavedRuntimeOptimizations =
    "session.enable_saved_runtime_optimizations";
static const char* const kDebugLayoutTransformation = "session.debug_layout_transformation";

// Writing the optimised model.
static const char* const kOrtSessionOptionsConfigOptimizedModelFilePath =
    "session.optimized_model_filepath";
static const char* const kOrtSessionOptionsOptimizedModelExternalInitializersFileName =
    "session.optimized_model_external_initializers_file_name";
static const char* const kOrtSessionOptionsOptimizedModelExternalInitializersMinSizeInBytes =
    "session.optimized_model_external_initializers_min_size_in_bytes";
static const char* const kOrtSessionOptionsSavePrePackedConstantInitializers =
    "session.save_external_prepacked_constant_initializers";

// Session options as texts, for programs that read them from a file.

/// As OrtSetIntraOpNumThreads().
static const char* const kOrtSessionOptionsConfigIntraOpNumThreads = "session.intra_op_num_threads";
/// As OrtSetInterOpNumThreads().
static const char* const kOrtSessionOptionsConfigInterOpNumThreads = "session.inter_op_num_threads";
/// As OrtSetSessionGraphOptimizationLevel().
static const char* const kOrtSessionOptionsConfigGraphOptimizationLevel =
    "session.graph_optimization_level";
/// As OrtSetSessionExecutionMode().
static const char* const kOrtSessionOptionsConfigExecutionMode = "session.execution_mode";
/// As OrtEnableCpuMemArena() and OrtDisableCpuMemArena().
static const char* const kOrtSessionOptionsConfigEnableCpuMemArena = "session.enable_cpu_mem_arena";
/// As OrtEnableMemPattern() and OrtDisableMemPattern().
static const char* const kOrtSessionOptionsConfigEnableMemPattern = "session.enable_mem_pattern";
/// As OrtSetSessionLogId().
static const char* const kOrtSessionOptionsConfigLogId = "session.log_id";
/// As OrtSetSessionLogSeverityLevel().
static const char* const kOrtSessionOptionsConfigLogSeverityLevel = "session.log_severity_level";
/// As OrtSetSessionLogVerbosityLevel().
static const char* const kOrtSessionOptionsConfigLogVerbosityLevel = "session.log_verbosity_level";
static const char* const kOrtSessionOptionsConfigEnableProfiling = "session.enable_profiling";
static const char* const kOrtSessionOptionsConfigUsePerSessionThreads =
    "session.use_per_session_threads";
static const char* const kOrtSessionOptionsConfigUseDeterministicCompute =
    "session.use_deterministic_compute";

// Threads, memory and arithmetic.

/// "0": idle threads of an operator sleep at once.
static const char* const kOrtSessionOptionsConfigAllowIntraOpSpinning =
    "session.intra_op.allow_spinning";
static const char* const kOrtSessionOptionsConfigAllowInterOpSpinning =
    "session.inter_op.allow_spinning";
static const char* const kOrtSessionOptionsConfigIntraOpSpinDurationUs =
    "session.intra_op.spin_duration_us";
static const char* const kOrtSessionOptionsConfigInterOpSpinDurationUs =
    "session.inter_op.spin_duration_us";
static const char* const kOrtSessionOptionsConfigIntraOpSpinBackoffMax =
    "session.intra_op.spin_backoff_max";
static const char* const kOrtSessionOptionsConfigInterOpSpinBackoffMax =
    "session.inter_op.spin_backoff_max";
static const char* const kOrtSessionOptionsConfigForceSpinningStop = "session.force_spinning_stop";
static const char* const kOrtSessionOptionsConfigIntraOpThreadAffinities =
    "session.intra_op_thread_affinities";
static const char* const kOrtSessionOptionsConfigDynamicBlockBase = "session.dynamic_block_base";
static const char* const kOrtSessionOptionsConfigUseEnvAllocators = "session.use_env_allocators";
static const char* const kOrtSessionOptionsUseDeviceAllocatorForInitializers =
    "session.use_device_allocator_for_initializers";
static const char* const kOrtSessionOptionsCollectNodeMemoryStatsToFile =
    "session.collect_node_memory_stats_to_file";
static const char* const kOrtSessionOptionsConfigDisablePrepacking = "session.disable_prepacking";
static const char* const kOrtSessionOptionsConfigSetDenormalAsZero = "session.set_denormal_as_zero";
static const char* const kOrtSessionOptionsAvx2PrecisionMode = "session.x64quantprecision";
static const char* const kOrtSessionOptionsMlasGemmFastMathArm64Bfloat16 =
    "mlas.enable_gemm_fastmath_arm64_bfloat16";
static const char* const kOrtSessionOptionsMlasLutGemm = "mlas.use_lut_gemm";
static const char* const kOrtSessionOptionsMlasDisableKleidiAi = "mlas.disable_kleidiai";
static const char* const kOrtSessionOptionsMlasKleidiAiConvIgemmMaxWork =
    "mlas.kleidiai.conv_igemm_max_work";
static const char* const kOrtSessionOptionsMlasNchwcPointwiseConvMaxInputChannelBatch =
    "mlas.nchwc_pointwise_conv_max_input_channel_batch";

// Options of an execution provider that may change while a session lives.
static const char* const kOrtEpDynamicOptionsWorkloadType = "ep.dynamic.workload_type";
static const char* const kOrtEpDynamicOptionsQnnHtpPerformanceMode =
    "ep.dynamic.qnn_htp_performance_mode";

// Keys of the environment.
static const char* const kOrtEnvAllowVirtualDevices = "allow_virtual_devices";

// Keys of run options, for OrtAddRunConfigEntry().
static const char* const kOrtRunOptionsConfigEnableMemoryArenaShrinkage =
    "memory.enable_memory_arena_shrinkage";
static const char* const kOrtRunOptionsConfigDisableSynchronizeExecutionProviders =
    "disable_synchronize_execution_providers";
static const char* const kOrtRunOptionsConfigQnnPerfMode = "qnn.htp_perf_mode";
static const char* const kOrtRunOptionsConfigQnnPerfModePostRun = "qnn.htp_perf_mode_post_run";
static const char* const kOrtRunOptionsConfigQnnRpcControlLatency = "qnn.rpc_control_latency";
static const char* const kOrtRunOptionsConfigQnnLoraConfig = "qnn.lora_config";
static const char* const kOrtRunOptionsConfigCudaGraphAnnotation = "gpu_graph_id";

// Keys found in metadata: of an execution provider, a device, and a compiled model.

/// The release of the execution provider.
static const char* const kOrtEpDevice_EpMetadataKey_Version = "version";
/// The release of the driver under it.
static const char* const kOrtEpDevice_EpMetadataKey_OSDriverVersion = "os_driver_version";
/// The library it was loaded from.
static const char* const kOrtEpDevice_EpMetadataKey_LibraryPath = "library_path";
/// "none", "external_only" or "all".
static const char* const kOrtEpDevice_EpMetadataKey_WeightlessSupport = "weightless_support";
/// "1": the device compiles but never runs.
static const char* const kOrtHardwareDevice_MetadataKey_IsVirtual = "is_virtual";
/// Stands before the provider's name in a compiled model's metadata.
static const char* const kOrtModelMetadata_EpCompatibilityInfoPrefix = "ep_compatibility_info.";

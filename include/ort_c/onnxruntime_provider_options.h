// SPDX-License-Identifier: MIT
// Options of execution providers that ortc does not have, for programs that fill them in before
// they ask whether the provider is there. Fields and their order are ONNX Runtime's; in C++ they
// start as zeros.
#pragma once

#include "ort_c/ort_api.h"

#if defined(__cplusplus)
#define ORTC_ZERO \
  {}
extern "C" {
#else
#define ORTC_ZERO
#endif

// clang-format off

typedef enum OrtCudnnConvAlgoSearch {
  OrtCudnnConvAlgoSearchExhaustive = 0,
  OrtCudnnConvAlgoSearchHeuristic = 1,
  OrtCudnnConvAlgoSearchDefault = 2,
} OrtCudnnConvAlgoSearch;

struct OrtCUDAProviderOptions {
  int device_id ORTC_ZERO;
  OrtCudnnConvAlgoSearch cudnn_conv_algo_search ORTC_ZERO;
  size_t gpu_mem_limit ORTC_ZERO;
  int arena_extend_strategy ORTC_ZERO;
  int do_copy_in_default_stream ORTC_ZERO;
  int has_user_compute_stream ORTC_ZERO;
  void* user_compute_stream ORTC_ZERO;
  OrtArenaCfg* default_memory_arena_cfg ORTC_ZERO;
  int tunable_op_enable ORTC_ZERO;
  int tunable_op_tuning_enable ORTC_ZERO;
  int tunable_op_max_tuning_duration_ms ORTC_ZERO;
};

struct OrtROCMProviderOptions {
  int device_id ORTC_ZERO;
  int miopen_conv_exhaustive_search ORTC_ZERO;
  size_t gpu_mem_limit ORTC_ZERO;
  int arena_extend_strategy ORTC_ZERO;
  int do_copy_in_default_stream ORTC_ZERO;
  int has_user_compute_stream ORTC_ZERO;
  void* user_compute_stream ORTC_ZERO;
  OrtArenaCfg* default_memory_arena_cfg ORTC_ZERO;
  int enable_hip_graph ORTC_ZERO;
  int tunable_op_enable ORTC_ZERO;
  int tunable_op_tuning_enable ORTC_ZERO;
  int tunable_op_max_tuning_duration_ms ORTC_ZERO;
};

struct OrtTensorRTProviderOptions {
  int device_id ORTC_ZERO;
  int has_user_compute_stream ORTC_ZERO;
  void* user_compute_stream ORTC_ZERO;
  int trt_max_partition_iterations ORTC_ZERO;
  int trt_min_subgraph_size ORTC_ZERO;
  size_t trt_max_workspace_size ORTC_ZERO;
  int trt_fp16_enable ORTC_ZERO;
  int trt_int8_enable ORTC_ZERO;
  const char* trt_int8_calibration_table_name ORTC_ZERO;
  int trt_int8_use_native_calibration_table ORTC_ZERO;
  int trt_dla_enable ORTC_ZERO;
  int trt_dla_core ORTC_ZERO;
  int trt_dump_subgraphs ORTC_ZERO;
  int trt_engine_cache_enable ORTC_ZERO;
  const char* trt_engine_cache_path ORTC_ZERO;
  int trt_engine_decryption_enable ORTC_ZERO;
  const char* trt_engine_decryption_lib_path ORTC_ZERO;
  int trt_force_sequential_engine_build ORTC_ZERO;
};

struct OrtMIGraphXProviderOptions {
  int device_id ORTC_ZERO;
  int migraphx_fp16_enable ORTC_ZERO;
  int migraphx_fp8_enable ORTC_ZERO;
  int migraphx_int8_enable ORTC_ZERO;
  int migraphx_use_native_calibration_table ORTC_ZERO;
  const char* migraphx_int8_calibration_table_name ORTC_ZERO;
  int migraphx_save_compiled_model ORTC_ZERO;
  const char* migraphx_save_model_path ORTC_ZERO;
  int migraphx_load_compiled_model ORTC_ZERO;
  const char* migraphx_load_model_path ORTC_ZERO;
  bool migraphx_exhaustive_tune ORTC_ZERO;
  size_t migraphx_mem_limit ORTC_ZERO;
  int migraphx_arena_extend_strategy ORTC_ZERO;
};

struct OrtOpenVINOProviderOptions {
  const char* device_type ORTC_ZERO;
  unsigned char enable_npu_fast_compile ORTC_ZERO;
  const char* device_id ORTC_ZERO;
  size_t num_of_threads ORTC_ZERO;
  const char* cache_dir ORTC_ZERO;
  void* context ORTC_ZERO;
  unsigned char enable_opencl_throttling ORTC_ZERO;
  unsigned char enable_dynamic_shapes ORTC_ZERO;
};

// clang-format on

#if defined(__cplusplus)
}
#endif
#undef ORTC_ZERO

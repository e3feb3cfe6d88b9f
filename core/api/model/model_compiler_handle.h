// SPDX-License-Identifier: MIT
// Options of the model compiler, and the compiler over them.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "core/api/model/initializers_buffer.h"
#include "core/api/session/session_options_handle.h"
#include "core/session/compile_to_output.h"
#include "ort_c/model_compiler.h"

struct OrtModelCompilationOptions {
  OrtSessionOptions session_options;
  ortc::CompileOptions compile;  // its session is made of session_options when compiling begins
  bool has_input = false;
  // Set: the model goes to memory.
  std::shared_ptr<OrtAllocator> allocator;
  void** buffer = nullptr;
  size_t* buffer_size = nullptr;
  // Set: initializers go to memory.
  std::optional<ortc::api::InitializersBuffer> initializers;

  // The last call that names an output counts.
  void forget_output() {
    compile.output_path.clear();
    compile.output_stream.reset();
    allocator = nullptr;
    buffer = nullptr;
    buffer_size = nullptr;
  }
  // So it is with places of initializers, but for their alignment.
  void forget_initializers() {
    compile.external_initializers.clear();
    compile.program.initializers.choose = {};
    initializers.reset();
  }
};

struct OrtModelCompiler {
  std::shared_ptr<ortc::api::SharedEnvironment> shared;
  OrtModelCompilationOptions options;
  std::shared_ptr<const ortc::api::ProgressListener> progress;  // null: none
  uint64_t deadline_ms = 0;                                     // 0: none
  // Set by any thread; taken back by the compile that it stops.
  const std::shared_ptr<std::atomic<bool>> cancel = std::make_shared<std::atomic<bool>>(false);
  bool has_report = false;
  std::string report;
};

namespace ortc::api {

Result<CompileReport> compile(SharedEnvironment& shared, const OrtModelCompilationOptions& options,
                              const MakingLimits& limits);

}  // namespace ortc::api

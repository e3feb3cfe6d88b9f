// SPDX-License-Identifier: MIT
// ort_c/model_compiler.h: compiling models ahead of time.
#include <cstring>
#include <memory>

#include "core/api/env/allocator.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/model/model_compiler_handle.h"
#include "core/api/session/resolve_options.h"
#include "core/api/session/session_options_handle.h"
#include "core/base/json_writer.h"
#include "core/platform/clock.h"
#include "ort_c/model_compiler.h"
#include "ort_c/status.h"

namespace ortc::api {
namespace {

// The model goes straight into a block of the program's allocator, which the program gets when
// everything else has succeeded.
Result<CompileReport> compile_to_buffer(SharedEnvironment& shared,
                                        const OrtModelCompilationOptions& options,
                                        CompileOptions ready, const MakingLimits& limits) {
  const auto give_back = [&](char* made) { deallocate(*options.allocator, made); };
  std::unique_ptr<char, decltype(give_back)> block(nullptr, give_back);
  size_t size = 0, written = 0;
  ModelStream stream;
  stream.begin = [&](uint64_t announced) -> Status {
    size = static_cast<size_t>(announced);
    written = 0;
    ASSIGN_OR_RETURN(void* const made, allocate(*options.allocator, size));
    block.reset(static_cast<char*>(made));
    return Status::ok();
  };
  stream.write = [&](Bytes piece) {
    std::memcpy(block.get() + written, piece.data(), piece.size());
    written += piece.size();
    return Status::ok();
  };
  ready.output_stream = std::move(stream);
  ready.output_is_buffer = true;
  auto report = compile_to_output(shared.environment, ready, limits);
  if (!report.is_ok()) return report;
  *options.buffer = block.release();
  *options.buffer_size = size;
  return report;
}

// One place for two results would lose one of them.
Status check_distinct_outputs(const OrtModelCompilationOptions& options) {
  if (!options.initializers || options.buffer == nullptr) return Status::ok();
  const InitializersBuffer& other = *options.initializers;
  if (options.buffer != other.block && options.buffer_size != other.size) return Status::ok();
  return invalid_argument(
      "the model's buffer and that of its external initializers have the same place for their "
      "address or their size; expected four places");
}

}  // namespace

Result<CompileReport> compile(SharedEnvironment& shared, const OrtModelCompilationOptions& options,
                              const MakingLimits& limits) {
  if (options.buffer != nullptr) {
    *options.buffer = nullptr;
    *options.buffer_size = 0;
  }
  if (!options.has_input) return invalid_argument("no input model was set");
  RETURN_IF_ERROR(check_distinct_outputs(options));
  CompileOptions ready = options.compile;
  ASSIGN_OR_RETURN(ready.session,
                   resolve_options(&options.session_options, shared, options.compile.input));
  std::optional<InitializersCollector> collector;
  if (options.initializers) {
    const InitializerAlignment alignment = ready.program.initializers.alignment;
    ready.program.initializers = collector.emplace(*options.initializers, alignment).places();
  }
  auto report = options.buffer == nullptr ? compile_to_output(shared.environment, ready, limits)
                                          : compile_to_buffer(shared, options, ready, limits);
  if (collector && report.is_ok()) collector->hand_over();
  return report;
}

namespace {

// Passes progress on, and remembers what a report of a failed compile needs.
class ProgressBridge {
 public:
  explicit ProgressBridge(const OrtModelCompiler& compiler) : compiler_(compiler) {}

  Status step(std::string_view stage, std::string_view detail, double fraction) {
    if (stages_.empty() || stages_.back().stage != stage) {
      end_stage();
      stages_.push_back({std::string(stage), 0});
      begin_ns_ = now_ns();
    }
    if (compiler_.progress == nullptr) return {};
    stop_ = compiler_.progress->hear(stage, detail, fraction);
    return stop_;
  }
  // What the callback said, when it stopped the compile.
  const Status& stop() const { return stop_; }

  std::string report_failure(const Status& failure) {
    end_stage();
    CompileReport report;
    report.stages = stages_;
    JsonWriter json;
    json.begin_object().field("schema", "ortc.compile_report/1").field("ok", false);
    json.field("code", code_name(failure.code())).field("message", failure.message());
    report.write(json);
    return json.end_object().text();
  }

 private:
  void end_stage() {
    if (!stages_.empty()) stages_.back().duration_ns += now_ns() - begin_ns_;
    begin_ns_ = now_ns();
  }

  const OrtModelCompiler& compiler_;
  std::vector<StageTime> stages_;
  int64_t begin_ns_ = 0;
  Status stop_;
};

std::string report_success(const CompileReport& report) {
  JsonWriter json;
  json.begin_object().field("schema", "ortc.compile_report/1").field("ok", true);
  report.write(json);
  return json.end_object().text();
}

int64_t deadline_in(uint64_t milliseconds) {
  constexpr uint64_t kNsPerMs = 1'000'000;
  const int64_t now = now_ns();
  const auto room = static_cast<uint64_t>(INT64_MAX - now) / kNsPerMs;
  return milliseconds < room ? now + static_cast<int64_t>(milliseconds * kNsPerMs) : INT64_MAX;
}

Status compile_with_report(OrtModelCompiler& compiler) {
  ProgressBridge bridge(compiler);
  compiler.has_report = true;
  compiler.report = "{}";
  MakingLimits limits;
  limits.progress = [&](std::string_view stage, std::string_view detail, double fraction) {
    return bridge.step(stage, detail, fraction);
  };
  if (compiler.deadline_ms != 0) limits.deadline_ns = deadline_in(compiler.deadline_ms);
  limits.cancel = compiler.cancel;
  auto report = compile(*compiler.shared, compiler.options, limits);
  compiler.cancel->store(false);
  if (report.is_ok()) {
    compiler.report = report_success(*report);
    return {};
  }
  const Status& failure = bridge.stop().is_ok() ? report.status() : bridge.stop();
  compiler.report = bridge.report_failure(failure);
  return failure;
}

Status check_path(std::string_view what, const char* path) {
  if (path == nullptr) return invalid_argument("'", what, "' must not be NULL");
  if (*path == '\0') return invalid_argument("'", what, "' must not be empty");
  return {};
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateModelCompilationOptionsFromSessionOptions(
    const OrtEnv* env, const OrtSessionOptions* session_options, OrtModelCompilationOptions** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(session_options);
    auto options = std::make_unique<OrtModelCompilationOptions>();
    options->session_options = *session_options;
    options->compile = CompileOptions::from(session_options->options);
    *out = options.release();
    return {};
  });
}

void OrtReleaseModelCompilationOptions(OrtModelCompilationOptions* options) { delete options; }

OrtStatus* OrtModelCompilationOptions_SetInputModelPath(
    OrtModelCompilationOptions* model_compile_options, const char* input_model_path) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    RETURN_IF_ERROR(api::check_path("input_model_path", input_model_path));
    ModelSource source;
    source.path = input_model_path;
    model_compile_options->compile.input = std::move(source);
    model_compile_options->has_input = true;
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetInputModelFromBuffer(
    OrtModelCompilationOptions* model_compile_options, const void* input_model_data,
    size_t input_model_data_size) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    ORTC_NEEDED(input_model_data);
    if (input_model_data_size == 0) {
      return invalid_argument("'input_model_data_size' is 0, expected 1 or more");
    }
    ModelSource source;
    source.from_memory = true;
    source.bytes =
        Blob({static_cast<const std::byte*>(input_model_data), input_model_data_size}, nullptr);
    model_compile_options->compile.input = std::move(source);
    model_compile_options->has_input = true;
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetOutputModelPath(
    OrtModelCompilationOptions* model_compile_options, const char* output_model_path) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    RETURN_IF_ERROR(api::check_path("output_model_path", output_model_path));
    model_compile_options->forget_output();
    model_compile_options->compile.output_path = output_model_path;
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetOutputModelBuffer(
    OrtModelCompilationOptions* model_compile_options, OrtAllocator* allocator,
    void** output_model_buffer_ptr, size_t* output_model_buffer_size_ptr) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    ORTC_NEEDED(allocator);
    ORTC_NEEDED(output_model_buffer_ptr);
    ORTC_NEEDED(output_model_buffer_size_ptr);
    if (static_cast<void*>(output_model_buffer_ptr) == output_model_buffer_size_ptr) {
      return invalid_argument(
          "'output_model_buffer_ptr' and 'output_model_buffer_size_ptr' are the same place");
    }
    model_compile_options->forget_output();
    model_compile_options->allocator = api::keep(*allocator);
    model_compile_options->buffer = output_model_buffer_ptr;
    model_compile_options->buffer_size = output_model_buffer_size_ptr;
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
    OrtModelCompilationOptions* model_compile_options, const char* external_initializers_file_path,
    size_t external_initializers_size_threshold) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    RETURN_IF_ERROR(
        api::check_path("external_initializers_file_path", external_initializers_file_path));
    model_compile_options->forget_initializers();
    model_compile_options->compile.external_initializers = external_initializers_file_path;
    model_compile_options->compile.external_threshold = external_initializers_size_threshold;
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetEpContextEmbedMode(
    OrtModelCompilationOptions* model_compile_options, bool embed_ep_context_in_model) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    model_compile_options->compile.embed = embed_ep_context_in_model;
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetEpContextBinaryInformation(
    OrtModelCompilationOptions* model_compile_options, const char* output_directory,
    const char* model_name) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    RETURN_IF_ERROR(api::check_path("output_directory", output_directory));
    RETURN_IF_ERROR(api::check_path("model_name", model_name));
    const std::string_view name = model_name;
    if (name.find_first_of("/\\") != std::string_view::npos || name == "." || name == "..") {
      return invalid_argument("'model_name' is '", model_name, "', expected a name without folder");
    }
    model_compile_options->compile.output_binary_folder = output_directory;
    model_compile_options->compile.output_binary_model_name = model_name;
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetFlags(OrtModelCompilationOptions* model_compile_options,
                                               uint32_t flags) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    model_compile_options->compile.set_flags(flags);
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetGraphOptimizationLevel(
    OrtModelCompilationOptions* model_compile_options,
    GraphOptimizationLevel graph_optimization_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    ASSIGN_OR_RETURN(model_compile_options->compile.level,
                     api::optimisation_level(graph_optimization_level));
    return {};
  });
}

OrtStatus* OrtCompileModel(const OrtEnv* env, const OrtModelCompilationOptions* model_options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_options);
    auto report = api::compile(*env->shared, *model_options, {});
    return report.is_ok() ? Status() : std::move(report).status();
  });
}

OrtStatus* OrtCreateModelCompiler(const OrtEnv* env, const OrtModelCompilationOptions* options,
                                  OrtModelCompiler** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(options);
    auto compiler = std::make_unique<OrtModelCompiler>();
    compiler->shared = env->shared;
    compiler->options = *options;
    *out = compiler.release();
    return {};
  });
}

OrtStatus* OrtModelCompiler_SetProgress(OrtModelCompiler* compiler, OrtProgressFn progress,
                                        void* state, OrtReleaseStateFn release) {
  return guard([&]() -> Status {
    ORTC_NEEDED(compiler);
    compiler->progress = std::make_shared<const api::ProgressListener>(progress, state, release);
    return {};
  });
}

OrtStatus* OrtModelCompiler_SetDeadline(OrtModelCompiler* compiler, uint64_t milliseconds) {
  return guard([&]() -> Status {
    ORTC_NEEDED(compiler);
    compiler->deadline_ms = milliseconds;
    return {};
  });
}

OrtStatus* OrtModelCompiler_Cancel(OrtModelCompiler* compiler) {
  return guard([&]() -> Status {
    ORTC_NEEDED(compiler);
    compiler->cancel->store(true);
    return {};
  });
}

OrtStatus* OrtModelCompiler_Compile(OrtModelCompiler* compiler) {
  return guard([&]() -> Status {
    ORTC_NEEDED(compiler);
    return api::compile_with_report(*compiler);
  });
}

OrtStatus* OrtModelCompiler_GetReportJson(const OrtModelCompiler* compiler, const char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(compiler);
    if (!compiler->has_report) {
      return make_status(Code::kNotFound, "nothing was compiled yet");
    }
    *out = compiler->report.c_str();
    return {};
  });
}

void OrtReleaseModelCompiler(OrtModelCompiler* compiler) { delete compiler; }

}  // extern "C"

// SPDX-License-Identifier: MIT
// For tests of what a compile writes, on every route.
#pragma once

#include "core/platform/path.h"
#include "tests/core/context/context_testing.h"
#include "tests/core/graph/wire_model.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/session_support.h"

namespace ortc::test {

// A network whose Adds stay on the CPU provider, so that one initializer stays in the model.
inline CompileOptions options_for(const std::shared_ptr<const Environment>& environment,
                                  const ModelSource& source) {
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  CHECK_OK(options.session.set("ep.aot.excluded_operators", "Add"));
  options.input = source;
  options.external_threshold = 64;
  return options;
}

inline Status compile(const std::string& source, const std::string& output,
                      const std::string& external = {}, uint32_t flags = kCompileNone) {
  const auto environment = quiet_environment();
  CompileOptions options = options_for(environment, file_source(source));
  options.output_path = output;
  options.external_initializers = external;
  options.set_flags(flags);
  return compile_to_output(environment, options).status();
}

// To a stream; what came out of it, in `out`.
inline Status compile_to_stream(const std::string& source, const std::string& folder,
                                std::string* out, const std::string& external = {},
                                bool embed = false, uint32_t flags = kCompileNone) {
  const auto environment = quiet_environment();
  CompileOptions options = options_for(environment, file_source(source));
  ModelStream stream;
  stream.write = [out](Bytes piece) {
    out->append(as_text(piece));
    return Status::ok();
  };
  options.output_stream = stream;
  options.output_binary_folder = folder;
  options.output_binary_model_name = "m_ctx.onnx";
  options.external_initializers = external;
  options.embed = embed;
  options.set_flags(flags);
  return compile_to_output(environment, options).status();
}

inline Result<std::unique_ptr<Session>> load_from_memory(const std::string& model,
                                                         const std::string& folder) {
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"});
  CHECK_OK(options.set("ep.context_file_path", folder + "/m_ctx.onnx"));
  CHECK_OK(options.set("session.model_external_initializers_file_folder_path", folder));
  return Session::create(environment, memory_source(model), options);
}

inline std::vector<Tensor> result_of(const Result<std::unique_ptr<Session>>& session) {
  CHECK_OK(session);
  return run_all(**session, {Tensor::from<float>({5, 40}, random_numbers(200, 77))});
}

inline std::string put_network(const std::string& folder, const std::string& name = "m.onnx",
                               unsigned seed = 1) {
  put_file(folder + "/" + name, small_network(40, seed));
  return folder + "/" + name;
}

}  // namespace ortc::test

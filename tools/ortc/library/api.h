// SPDX-License-Identifier: MIT
// The C interface with owners: a handle is released when its unique_ptr ends, a status becomes a
// ToolError.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ort_c/ort_c.h"
#include "tools/ortc/command_line/arguments.h"
#include "tools/ortc/errors.h"

namespace ortc::tool {

// Throws what the status says, and releases it. NULL is success.
void check(OrtStatus* status);

template <typename T, void (*release)(T*)>
struct Releaser {
  void operator()(T* handle) const { release(handle); }
};
template <typename T, void (*release)(T*)>
using Handle = std::unique_ptr<T, Releaser<T, release>>;

using Env = Handle<OrtEnv, OrtReleaseEnv>;
using SessionOptions = Handle<OrtSessionOptions, OrtReleaseSessionOptions>;
using CompilationOptions = Handle<OrtModelCompilationOptions, OrtReleaseModelCompilationOptions>;
using Compiler = Handle<OrtModelCompiler, OrtReleaseModelCompiler>;
using RunOptions = Handle<OrtRunOptions, OrtReleaseRunOptions>;
using Session = Handle<OrtSession, OrtReleaseSession>;
using Value = Handle<OrtValue, OrtReleaseValue>;
using TypeInfo = Handle<OrtTypeInfo, OrtReleaseTypeInfo>;
using ShapeInfo = Handle<OrtTensorTypeAndShapeInfo, OrtReleaseTensorTypeAndShapeInfo>;
using Inspection = Handle<OrtInspection, OrtReleaseInspection>;

// Calls a function whose last parameter is the out handle: make<Env>(OrtCreateEnv, level, "ortc").
template <typename H, typename F, typename... A>
H make(F function, A... arguments) {
  typename H::pointer raw = nullptr;
  check(function(arguments..., &raw));
  return H(raw);
}

// The log goes to stderr line by line: warnings and worse, or all of it.
Env make_env(bool verbose);
// Providers, their options and config entries as the arguments say.
SessionOptions make_session_options(const SessionArguments& arguments);

// Copies a text that the library made with its default allocator, and gives it back.
std::string take_text(char* text);

// One input or output. `shape` has -1 for open dimensions, which may have a name.
struct Port {
  std::string name;
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  bool has_shape = false;
  std::vector<int64_t> shape;
  std::vector<std::string> dimension_names;

  std::string type_text() const;  // "float32[batch,1,8,8]"
};
std::vector<Port> session_inputs(const OrtSession* session);
std::vector<Port> session_outputs(const OrtSession* session);
// Inputs that have a value of their own and may be given all the same.
std::vector<Port> session_overridable(const OrtSession* session);

std::string version_text();
std::string_view element_name(ONNXTensorElementDataType type);  // "float32"
std::string_view kind_name(ONNXType kind);                      // "sequence"
// Lists providers as "AotExecutionProvider".
std::vector<std::string> available_providers();

}  // namespace ortc::tool

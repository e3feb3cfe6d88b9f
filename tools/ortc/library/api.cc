// SPDX-License-Identifier: MIT
// Statuses to errors, arguments to options, type objects to ports.

#include "tools/ortc/library/api.h"

#include <array>

#include "tools/ortc/output/console.h"
#include "tools/ortc/values/number_text.h"

namespace ortc::tool {
namespace {

constexpr uint64_t kMaxDimension = uint64_t{1} << 40;

constexpr std::array<std::string_view, 16> kCodeNames = {
    "OK",
    "FAIL",
    "INVALID_ARGUMENT",
    "NO_SUCHFILE",
    "NO_MODEL",
    "ENGINE_ERROR",
    "RUNTIME_EXCEPTION",
    "INVALID_PROTOBUF",
    "MODEL_LOADED",
    "NOT_IMPLEMENTED",
    "INVALID_GRAPH",
    "EP_FAIL",
    "MODEL_LOAD_CANCELED",
    "MODEL_REQUIRES_COMPILATION",
    "NOT_FOUND",
    "DEVICE_RESET",
};

constexpr std::array<std::string_view, 27> kElementNames = {
    "undefined",      "float32",    "uint8",          "int8",       "uint16",   "int16",
    "int32",          "int64",      "string",         "bool",       "float16",  "float64",
    "uint32",         "uint64",     "complex64",      "complex128", "bfloat16", "float8e4m3fn",
    "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",     "float4e2m1",
    "uint2",          "int2",       "float8e8m0",
};

constexpr std::array<std::string_view, 7> kKindNames = {
    "unknown", "tensor", "sequence", "map", "opaque", "sparse tensor", "optional",
};

template <size_t n>
std::string_view name_at(const std::array<std::string_view, n>& names, int index) {
  return index >= 0 && static_cast<size_t>(index) < n ? names[static_cast<size_t>(index)]
                                                      : std::string_view("unknown");
}

int exit_code_of(OrtErrorCode code) {
  switch (code) {
    case ORT_MODEL_REQUIRES_COMPILATION:
      return kExitNeedsCompilation;
    case ORT_NOT_IMPLEMENTED:
      return kExitNotSupported;
    default:
      return kExitFailure;
  }
}

void say_option(const std::string& text) {
  say_log("options", Style::kBold, "options", text.c_str());
}

// Every line of the library's log, from any of its threads.
void hear_log(void*, OrtLoggingLevel severity, const char* category, const char*, const char*,
              const char* message) {
  if (severity >= ORT_LOGGING_LEVEL_ERROR) {
    say_log("error", Style::kRed, category, message);
  } else if (severity == ORT_LOGGING_LEVEL_WARNING) {
    say_log("warning", Style::kYellow, category, message);
  } else {
    say_log(category, Style::kBold, category, message);
  }
}

OrtAllocator* default_allocator() {
  OrtAllocator* allocator = nullptr;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  return allocator;
}

void describe(const OrtTypeInfo* info, Port& port) {
  check(OrtGetOnnxTypeFromTypeInfo(info, &port.kind));
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  check(OrtCastTypeInfoToTensorInfo(info, &tensor));
  if (tensor == nullptr) return;
  check(OrtGetTensorElementType(tensor, &port.type));
  port.has_shape = OrtTensorTypeAndShape_HasShape(tensor);
  size_t rank = 0;
  check(OrtGetDimensionsCount(tensor, &rank));
  port.shape.resize(rank);
  check(OrtGetDimensions(tensor, port.shape.data(), rank));
  std::vector<const char*> names(rank);
  check(OrtGetSymbolicDimensions(tensor, names.data(), rank));
  for (const char* name : names) port.dimension_names.emplace_back(name == nullptr ? "" : name);
}

using CountFunction = OrtStatus* (*)(const OrtSession*, size_t*);
using NameFunction = OrtStatus* (*)(const OrtSession*, size_t, OrtAllocator*, char**);
using TypeFunction = OrtStatus* (*)(const OrtSession*, size_t, OrtTypeInfo**);

std::vector<Port> list_ports(const OrtSession* session, CountFunction count_of,
                             NameFunction name_of, TypeFunction type_of) {
  size_t count = 0;
  check(count_of(session, &count));
  std::vector<Port> ports(count);
  for (size_t i = 0; i < count; i++) {
    char* name = nullptr;
    check(name_of(session, i, default_allocator(), &name));
    ports[i].name = take_text(name);
    const auto type = make<TypeInfo>(type_of, session, i);
    describe(type.get(), ports[i]);
  }
  return ports;
}

}  // namespace

void check(OrtStatus* status) {
  if (status == nullptr) return;
  const OrtErrorCode code = OrtGetErrorCode(status);
  const ToolError error(exit_code_of(code), std::string(name_at(kCodeNames, code)),
                        OrtGetErrorMessage(status));
  OrtReleaseStatus(status);
  throw error;
}

Env make_env(bool verbose) {
  const auto level = verbose ? ORT_LOGGING_LEVEL_VERBOSE : ORT_LOGGING_LEVEL_WARNING;
  return make<Env>(OrtCreateEnvWithCustomLogger, hear_log, nullptr, level, "ortc");
}

SessionOptions make_session_options(const SessionArguments& arguments) {
  auto options = make<SessionOptions>(OrtCreateSessionOptions);
  std::vector<std::string> providers = arguments.providers;
  if (providers.empty()) providers.emplace_back("AotExecutionProvider");
  if (providers.size() > 1 && !arguments.provider_options.empty()) {
    throw usage_error(
        "with several --ep, give their options as --config ep.<provider in lower case>.<key>=V");
  }
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : arguments.provider_options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  if (!arguments.target.empty()) {
    if (providers.size() > 1) {
      throw usage_error(
          "with several --ep, give the target as --config ep.<provider in lower "
          "case>.target=" +
          arguments.target);
    }
    keys.push_back("target");
    values.push_back(arguments.target.c_str());
  }
  for (const std::string& name : providers) {
    if (arguments.verbose) say_option("execution provider " + name);
    check(OrtSessionOptionsAppendExecutionProvider(options.get(), name.c_str(), keys.data(),
                                                   values.data(), keys.size()));
  }
  for (const auto& [name, size] : arguments.dimensions) {
    const uint64_t value =
        parse_count(size, kMaxDimension, "--dim " + name + " needs a size, found");
    check(OrtAddFreeDimensionOverrideByName(options.get(), name.c_str(),
                                            static_cast<int64_t>(value)));
  }
  for (const auto& [key, value] : arguments.config) {
    if (arguments.verbose) say_option(key + "=" + value);
    check(OrtAddSessionConfigEntry(options.get(), key.c_str(), value.c_str()));
  }
  if (!arguments.residency.empty()) {
    check(OrtAddSessionConfigEntry(options.get(), kOrtSessionOptionsConfigContextResidency,
                                   arguments.residency.c_str()));
  }
  if (arguments.threads > 0) check(OrtSetIntraOpNumThreads(options.get(), arguments.threads));
  if (!arguments.profile.empty()) {
    check(OrtEnableProfiling(options.get(), arguments.profile.c_str()));
  }
  return options;
}

std::string take_text(char* text) {
  if (text == nullptr) return {};
  std::string copy(text);
  check(OrtAllocatorFree(default_allocator(), text));
  return copy;
}

std::string Port::type_text() const {
  if (kind != ONNX_TYPE_TENSOR && kind != ONNX_TYPE_SPARSETENSOR) {
    return std::string(kind_name(kind));
  }
  std::string text(element_name(type));
  if (!has_shape) return text + "[...]";
  text += '[';
  for (size_t i = 0; i < shape.size(); i++) {
    if (i > 0) text += ',';
    if (shape[i] >= 0) {
      text += std::to_string(shape[i]);
    } else {
      text += i < dimension_names.size() && !dimension_names[i].empty() ? dimension_names[i] : "?";
    }
  }
  return text + ']';
}

std::vector<Port> session_inputs(const OrtSession* session) {
  return list_ports(session, OrtSessionGetInputCount, OrtSessionGetInputName,
                    OrtSessionGetInputTypeInfo);
}

std::vector<Port> session_outputs(const OrtSession* session) {
  return list_ports(session, OrtSessionGetOutputCount, OrtSessionGetOutputName,
                    OrtSessionGetOutputTypeInfo);
}

std::vector<Port> session_overridable(const OrtSession* session) {
  return list_ports(session, OrtSessionGetOverridableInitializerCount,
                    OrtSessionGetOverridableInitializerName,
                    OrtSessionGetOverridableInitializerTypeInfo);
}

std::string version_text() {
  std::string text = std::string("ortc ") + OrtGetVersionString() + "\nbuilt: ";
  text += std::string(OrtGetBuildInfoString()) + "\nexecution providers:";
  for (const std::string& name : available_providers()) text += " " + name;
  return text + "\n";
}

std::string_view element_name(ONNXTensorElementDataType type) {
  return name_at(kElementNames, type);
}

std::string_view kind_name(ONNXType kind) { return name_at(kKindNames, kind); }

std::vector<std::string> available_providers() {
  char** names = nullptr;
  int count = 0;
  check(OrtGetAvailableProviders(&names, &count));
  std::vector<std::string> result(names, names + count);
  check(OrtReleaseAvailableProviders(names, count));
  return result;
}

}  // namespace ortc::tool

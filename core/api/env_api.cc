// SPDX-License-Identifier: MIT
// ort_c/env.h and ort_c/logger.h: environments, the version, the list of providers.
#include <cstdlib>
#include <cstring>

#include "core/api/config_entries.h"
#include "core/api/guard.h"
#include "core/api/handles.h"
#include "core/base/version.h"
#include "ort_c/env.h"

namespace ortc::api {
namespace {

// Hands records to C, whose texts end in zero.
std::shared_ptr<const LogSink> sink_to(OrtLoggingFunction function, void* parameter) {
  return std::make_shared<const LogSink>([function, parameter](const LogRecord& record) {
    function(parameter, static_cast<OrtLoggingLevel>(record.severity),
             std::string(record.category).c_str(), std::string(record.log_id).c_str(),
             std::string(record.location).c_str(), std::string(record.message).c_str());
  });
}

void list_devices(OrtEnv& env) {
  for (const auto& device : env.shared->environment->providers().devices()) {
    const OrtHardwareDevice* hardware = nullptr;
    for (const auto& known : env.hardware) {
      if (known->device == device->hardware) hardware = known.get();
    }
    if (hardware == nullptr) {
      env.hardware.push_back(std::make_unique<OrtHardwareDevice>(*device->hardware));
      hardware = env.hardware.back().get();
    }
    env.devices.push_back(std::make_unique<OrtEpDevice>(*device, *hardware));
    env.device_list.push_back(env.devices.back().get());
  }
}

Status make_env(std::shared_ptr<const LogSink> sink, const OrtLoggingLevel& level,
                const char* logid, OrtEnv** out) {
  const int32_t severity = number_of(level);
  RETURN_IF_ERROR(check_severity("log_severity_level", severity));
  auto env = std::make_unique<OrtEnv>();
  env->shared = std::make_shared<SharedEnvironment>();
  env->shared->environment = std::make_shared<const Environment>(
      Logger(std::move(sink), logid, static_cast<Severity>(severity)), built_in_providers());
  list_devices(*env);
  *out = env.release();
  return {};
}

char* duplicate(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void free_names(char** names, int count) {
  for (int i = 0; names != nullptr && i < count; ++i) std::free(names[i]);
  std::free(names);
}

#if defined(NDEBUG)
#define ORTC_BUILD_TYPE "release"
#else
#define ORTC_BUILD_TYPE "debug"
#endif
#if defined(__clang__)
#define ORTC_COMPILER __VERSION__
#else
#define ORTC_COMPILER "GCC " __VERSION__
#endif

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateEnv(OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(logid);
    return api::make_env(nullptr, log_severity_level, logid, out);
  });
}

OrtStatus* OrtCreateEnvWithCustomLogger(OrtLoggingFunction logging_function, void* logger_param,
                                        OrtLoggingLevel log_severity_level, const char* logid,
                                        OrtEnv** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(logging_function);
    ORTC_NEEDED(logid);
    return api::make_env(api::sink_to(logging_function, logger_param), log_severity_level, logid,
                         out);
  });
}

void OrtReleaseEnv(OrtEnv* env) { delete env; }

const char* OrtGetVersionString(void) { return kLibraryVersion.data(); }

const char* OrtGetBuildInfoString(void) {
  return "ortc " ORTC_STRINGIZE(ORTC_VERSION_MAJOR) "." ORTC_STRINGIZE(
      ORTC_VERSION_MINOR) "." ORTC_STRINGIZE(ORTC_VERSION_PATCH) ", " ORTC_COMPILER
                                                                 ", " ORTC_BUILD_TYPE;
}

OrtStatus* OrtGetAvailableProviders(char*** out_ptr, int* provider_length) {
  return guard([&]() -> Status {
    api::empty_outs(out_ptr, provider_length);
    ORTC_NEEDED(out_ptr);
    ORTC_NEEDED(provider_length);
    const std::vector<ProviderFactory> factories = built_in_providers();
    const int count = static_cast<int>(factories.size());
    auto** names = static_cast<char**>(std::calloc(factories.size() + 1, sizeof(char*)));
    if (names == nullptr) throw std::bad_alloc();
    for (int i = 0; i < count; ++i) {
      names[i] = api::duplicate(factories[static_cast<size_t>(i)].name);
      if (names[i] == nullptr) {
        api::free_names(names, i);
        throw std::bad_alloc();
      }
    }
    *out_ptr = names;
    *provider_length = count;
    return {};
  });
}

OrtStatus* OrtReleaseAvailableProviders(char** ptr, int providers_length) {
  api::free_names(ptr, providers_length);
  return nullptr;
}

}  // extern "C"

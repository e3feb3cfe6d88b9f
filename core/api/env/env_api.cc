// SPDX-License-Identifier: MIT
// ort_c/env.h and ort_c/logger.h: environments and the version.
#include "core/api/env/config_entries.h"
#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/env/logger_handle.h"
#include "core/api/env/thread_functions.h"
#include "core/api/env/threading_options_handle.h"
#include "core/api/guard.h"
#include "core/base/version.h"
#include "core/platform/pool/pool_settings.h"
#include "ort_c/env.h"

namespace ortc::api {
namespace {

// The interface that brought OrtEnvCreationOptions.
constexpr uint32_t kEnvOptionsVersion = 24;

// The threads that sessions share. Made at once when the program makes them, so that its failure is
// told.
Result<std::shared_ptr<ThreadPool>> shared_pool(const OrtThreadingOptions* options,
                                                const Logger& logger) {
  if (options == nullptr) return std::shared_ptr<ThreadPool>();
  ThreadPoolOptions threads = options->pool;
  ASSIGN_OR_RETURN(threads.hooks, options->functions.hooks());
  ASSIGN_OR_RETURN(auto pool, make_pool(threads, {}, options->affinities, logger));
  if (threads.hooks.create && !pool->start()) {
    return fail("the function that creates threads gave none");
  }
  return pool;
}

Result<EnvironmentSettings> settings_of(const OrtKeyValuePairs* entries) {
  EnvironmentSettings settings;
  for (size_t i = 0; entries != nullptr && i < entries->entries.size(); ++i) {
    const auto& [key, value] = entries->entries[i];
    RETURN_IF_ERROR(set_env_entry(settings, key, value));
  }
  return settings;
}

Status make_env(std::shared_ptr<const LogSink> sink, int32_t severity, const char* logid,
                const OrtThreadingOptions* threading, OrtEnv** out,
                const OrtKeyValuePairs* entries = nullptr) {
  RETURN_IF_ERROR(check_severity("log_severity_level", severity));
  ASSIGN_OR_RETURN(const EnvironmentSettings settings, settings_of(entries));
  const Logger logger(std::move(sink), logid, static_cast<Severity>(severity));
  ASSIGN_OR_RETURN(auto pool, shared_pool(threading, logger));
  auto env = std::make_unique<OrtEnv>();
  env->shared = std::make_shared<SharedEnvironment>();
  for (size_t i = 0; entries != nullptr && i < entries->entries.size(); ++i) {
    env->shared->entries.insert(entries->entries[i]);
  }
  env->shared->environment = std::make_shared<const Environment>(
      logger, built_in_providers(settings.allow_virtual_devices), std::move(pool),
      threading != nullptr && threading->denormals_as_zero);
  env->shared->devices.update(env->shared->environment->providers());
  *out = env.release();
  return {};
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

SharedEnvironment::SharedEnvironment() = default;
SharedEnvironment::~SharedEnvironment() = default;

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateEnv(OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(logid);
    return api::make_env(nullptr, api::number_of(log_severity_level), logid, nullptr, out);
  });
}

OrtStatus* OrtCreateEnvWithCustomLogger(OrtLoggingFunction logging_function, void* logger_param,
                                        OrtLoggingLevel log_severity_level, const char* logid,
                                        OrtEnv** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(logging_function);
    ORTC_NEEDED(logid);
    return api::make_env(api::sink_to(logging_function, logger_param),
                         api::number_of(log_severity_level), logid, nullptr, out);
  });
}

OrtStatus* OrtCreateEnvWithGlobalThreadPools(OrtLoggingLevel log_severity_level, const char* logid,
                                             const OrtThreadingOptions* tp_options, OrtEnv** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(logid);
    ORTC_NEEDED(tp_options);
    return api::make_env(nullptr, api::number_of(log_severity_level), logid, tp_options, out);
  });
}

OrtStatus* OrtCreateEnvWithCustomLoggerAndGlobalThreadPools(
    OrtLoggingFunction logging_function, void* logger_param, OrtLoggingLevel log_severity_level,
    const char* logid, const struct OrtThreadingOptions* tp_options, OrtEnv** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(logging_function);
    ORTC_NEEDED(logid);
    ORTC_NEEDED(tp_options);
    return api::make_env(api::sink_to(logging_function, logger_param),
                         api::number_of(log_severity_level), logid, tp_options, out);
  });
}

OrtStatus* OrtCreateEnvWithOptions(const OrtEnvCreationOptions* options, OrtEnv** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(options);
    if (options->version < api::kEnvOptionsVersion) {
      return invalid_argument(
          "OrtEnvCreationOptions must have its version set equal to "
          "ORT_API_VERSION; 'options->version' is ",
          options->version, ", expected ", api::kEnvOptionsVersion, " or more");
    }
    if (options->log_id == nullptr) {
      return invalid_argument(
          "OrtEnvCreationOptions must have a valid (non-null) log identifier "
          "string: 'options->log_id' must not be NULL");
    }
    const Status severity =
        api::check_severity("options->logging_severity_level", options->logging_severity_level);
    if (!severity.is_ok()) {
      return invalid_argument(
          "OrtEnvCreationOptions must have a valid logging severity level value "
          "from the OrtLoggingLevel enumeration: ",
          severity.message());
    }
    auto sink = options->custom_logging_function != nullptr
                    ? api::sink_to(options->custom_logging_function, options->custom_logging_param)
                    : nullptr;
    return api::make_env(std::move(sink), options->logging_severity_level, options->log_id,
                         options->threading_options, out, options->config_entries);
  });
}

OrtStatus* OrtUpdateEnvWithCustomLogLevel(OrtEnv* ort_env, OrtLoggingLevel log_severity_level) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ort_env);
    const int32_t severity = api::number_of(log_severity_level);
    RETURN_IF_ERROR(api::check_severity("log_severity_level", severity));
    ort_env->shared->environment->set_log_threshold(static_cast<Severity>(severity));
    return {};
  });
}

OrtStatus* OrtSetLanguageProjection(const OrtEnv* ort_env, OrtLanguageProjection projection) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ort_env);
    const int32_t number = api::number_of(projection);
    if (number >= ORT_PROJECTION_C && number <= ORT_PROJECTION_NODEJS) return {};
    return invalid_argument("'projection' is ", number,
                            ", expected a value of OrtLanguageProjection");
  });
}

OrtStatus* OrtEnableTelemetryEvents(const OrtEnv* env) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    return {};
  });
}

OrtStatus* OrtDisableTelemetryEvents(const OrtEnv* env) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    return {};
  });
}

void OrtReleaseEnv(OrtEnv* env) { delete env; }

const char* OrtGetVersionString(void) { return kLibraryVersion.data(); }

const char* OrtGetBuildInfoString(void) {
  return "ortc " ORTC_STRINGIZE(ORTC_VERSION_MAJOR) "." ORTC_STRINGIZE(
      ORTC_VERSION_MINOR) "." ORTC_STRINGIZE(ORTC_VERSION_PATCH) ", " ORTC_COMPILER
                                                                 ", " ORTC_BUILD_TYPE;
}

}  // extern "C"

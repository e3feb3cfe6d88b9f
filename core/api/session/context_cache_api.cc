// SPDX-License-Identifier: MIT
// ort_c/context_cache.h: sessions by way of a cache, and the cache itself.
#include "core/api/check_texts.h"
#include "core/api/guard.h"
#include "core/api/model/inspection_handle.h"
#include "core/api/session/create_session.h"
#include "core/api/session/resolve_options.h"
#include "core/session/cache/describe_cache.h"
#include "ort_c/context_cache.h"

namespace ortc::api {
namespace {

Status give(Result<std::string> json, OrtInspection** out) {
  if (!json.is_ok()) return json.status();
  *out = new OrtInspection{std::move(*json)};
  return {};
}

// The caller's options with the folder in them.
OrtSessionOptions options_with_cache(const OrtSessionOptions* options, const char* cache_dir) {
  OrtSessionOptions with_cache = options != nullptr ? *options : OrtSessionOptions();
  with_cache.options.context.cache_folder = cache_dir;
  return with_cache;
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateSessionFromCache(const OrtEnv* env, const char* model_path,
                                     const char* cache_dir, const OrtSessionOptions* options,
                                     OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_path);
    ORTC_NEEDED(cache_dir);
    RETURN_IF_ERROR(api::check_text(cache_dir, "cache_dir"));
    ASSIGN_OR_RETURN(const ModelSource source, api::file_source(model_path));
    const OrtSessionOptions with_cache = api::options_with_cache(options, cache_dir);
    return api::create_session(*env, source, &with_cache, nullptr, out);
  });
}

OrtStatus* OrtListContextCache(const char* cache_dir, OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(cache_dir);
    RETURN_IF_ERROR(api::check_text(cache_dir, "cache_dir"));
    return api::give(list_cache(cache_dir), out);
  });
}

OrtStatus* OrtPruneContextCache(const char* cache_dir, uint64_t max_bytes, OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(cache_dir);
    RETURN_IF_ERROR(api::check_text(cache_dir, "cache_dir"));
    return api::give(prune_cache_folder(cache_dir, max_bytes), out);
  });
}

OrtStatus* OrtVerifyContextCache(const char* cache_dir, OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(cache_dir);
    RETURN_IF_ERROR(api::check_text(cache_dir, "cache_dir"));
    const ProviderRegistry providers(built_in_providers());
    return api::give(verify_cache(cache_dir, providers), out);
  });
}

OrtStatus* OrtExplainContextCache(const OrtEnv* env, const char* model_path, const char* cache_dir,
                                  const OrtSessionOptions* options, OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_path);
    ORTC_NEEDED(cache_dir);
    RETURN_IF_ERROR(api::check_text(cache_dir, "cache_dir"));
    ASSIGN_OR_RETURN(const ModelSource source, api::file_source(model_path));
    const OrtSessionOptions with_cache = api::options_with_cache(options, cache_dir);
    ASSIGN_OR_RETURN(const ortc::SessionOptions resolved,
                     api::resolve_options(&with_cache, *env->shared, source));
    return api::give(explain_cache(env->shared->environment, source, resolved), out);
  });
}

}  // extern "C"

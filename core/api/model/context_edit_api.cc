// SPDX-License-Identifier: MIT
// ort_c/context.h: comparing models and changing compiled ones, without a session.
#include "core/api/check_texts.h"
#include "core/api/env/allocator.h"
#include "core/api/guard.h"
#include "core/api/model/inspection_handle.h"
#include "core/api/progress_listener.h"
#include "core/api/session/session_options_handle.h"
#include "core/context/edit/edits.h"
#include "core/context/edit/expose_values.h"
#include "core/context/inspect/diff.h"
#include "core/platform/clock.h"
#include "core/platform/path.h"
#include "core/session/environment.h"
#include "ort_c/context.h"

namespace ortc::api {
namespace {

Status check_input(const char* path, const char* name) {
  RETURN_IF_ERROR(check_text(path, name));
  if (path_is_directory(path)) return invalid_argument("'", path, "' is a folder");
  return Status::ok();
}

Result<EditOutput> output_of(const char* path, uint32_t flags, uint32_t known) {
  RETURN_IF_ERROR(check_text(path, "output_path"));
  if ((flags & ~known) != 0) {
    return invalid_argument("'flags' is ", flags, ", expected bits of OrtEditFlags (", known, ")");
  }
  EditOutput output;
  output.path = path;
  output.overwrite = (flags & OrtEditFlags_NO_OVERWRITE) == 0;
  output.replace_shared = (flags & OrtEditFlags_REPLACE_SHARED) != 0;
  return output;
}

constexpr uint32_t kWriting = OrtEditFlags_NO_OVERWRITE | OrtEditFlags_REPLACE_SHARED;

struct Listener {
  OrtProgressFn progress;  // may be NULL
  void* state;
};

// Work that the listener hears of every few milliseconds, and may stop, also where it only waits.
Work work_of(const Listener& listener, std::string output_path) {
  constexpr int64_t kAskEveryNs = 20'000'000;
  if (listener.progress == nullptr) return {};
  struct Told {
    Told(const Listener& given, std::string output_path)
        : listener(given.progress, given.state, nullptr), path(std::move(output_path)) {}
    Status tell(double now) {
      fraction = now;
      last_ns = now_ns();
      return listener.hear("write", path, fraction);
    }
    const ProgressListener listener;
    const std::string path;
    double fraction = 0;
    int64_t last_ns = 0;
  };
  const auto told = std::make_shared<Told>(listener, std::move(output_path));
  return Work([told](double fraction) { return told->tell(fraction); },
              [told] {
                const bool is_due = now_ns() - told->last_ns >= kAskEveryNs;
                return is_due ? told->tell(told->fraction) : Status::ok();
              });
}

// What `make(output, providers)` reports, an EditReport or a text.
template <typename Make>
Status edit(const Listener& listener, const char* output_path, uint32_t flags, uint32_t known,
            OrtInspection** out, Make&& make) {
  ASSIGN_OR_RETURN(EditOutput output, output_of(output_path, flags, known));
  output.work = work_of(listener, output_path);
  RETURN_IF_ERROR(output.work.begin(0, 1));
  const ProviderRegistry providers(built_in_providers());
  ASSIGN_OR_RETURN(const EditReport report, make(std::move(output), providers));
  *out = new OrtInspection{report.json()};
  if (listener.progress != nullptr) {
    (void)ProgressListener(listener.progress, listener.state, nullptr).hear("done", "", 1);
  }
  return {};
}

Result<std::vector<std::string>> texts_of(const char* const* texts, size_t count,
                                          const char* name) {
  std::vector<std::string> result;
  for (size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr) return invalid_argument("'", name, "[", i, "]' must not be NULL");
    RETURN_IF_ERROR(check_text(texts[i], name));
    result.emplace_back(texts[i]);
  }
  return result;
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtDiffFiles(const char* first_path, const char* second_path, OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(first_path);
    ORTC_NEEDED(second_path);
    RETURN_IF_ERROR(api::check_input(first_path, "first_path"));
    RETURN_IF_ERROR(api::check_input(second_path, "second_path"));
    const ProviderRegistry providers(built_in_providers());
    ASSIGN_OR_RETURN(std::string json, diff_files(first_path, second_path, providers));
    *out = new OrtInspection{std::move(json)};
    return {};
  });
}

OrtStatus* OrtExposeModelValues(const char* model_path, OrtAllocator* allocator, void** model_data,
                                size_t* model_data_length) {
  return guard([&]() -> Status {
    ORTC_OUT(model_data);
    ORTC_OUT(model_data_length);
    ORTC_NEEDED(model_path);
    ORTC_NEEDED(allocator);
    RETURN_IF_ERROR(api::check_input(model_path, "model_path"));
    ASSIGN_OR_RETURN(const std::string bytes, expose_values(model_path));
    ASSIGN_OR_RETURN(*model_data, api::allocate(*allocator, bytes.size()));
    std::memcpy(*model_data, bytes.data(), bytes.size());
    *model_data_length = bytes.size();
    return {};
  });
}

OrtStatus* OrtPackModel(const char* model_path, const char* output_path, uint32_t flags,
                        OrtProgressFn progress, void* state, OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(model_path);
    ORTC_NEEDED(output_path);
    RETURN_IF_ERROR(api::check_input(model_path, "model_path"));
    return api::edit({progress, state}, output_path, flags, api::kWriting | OrtEditFlags_EXTERNAL,
                     out, [&](EditOutput output, const ProviderRegistry& providers) {
                       const bool is_external = (flags & OrtEditFlags_EXTERNAL) != 0;
                       output.form = is_external ? ContextForm::kFiles : ContextForm::kEmbedded;
                       return pack_model(model_path, std::move(output), providers);
                     });
  });
}

OrtStatus* OrtMergeModels(const char* const* model_paths, size_t num_models,
                          const char* const* connections, size_t num_connections,
                          const char* output_path, uint32_t flags, OrtProgressFn progress,
                          void* state, OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(model_paths);
    ORTC_NEEDED(output_path);
    if (connections == nullptr && num_connections != 0) {
      return invalid_argument("'connections' is NULL, but 'num_connections' is ", num_connections);
    }
    ASSIGN_OR_RETURN(const auto paths, api::texts_of(model_paths, num_models, "model_paths"));
    ASSIGN_OR_RETURN(const auto links, api::texts_of(connections, num_connections, "connections"));
    for (const std::string& path : paths) {
      RETURN_IF_ERROR(api::check_input(path.c_str(), "model_paths"));
    }
    return api::edit({progress, state}, output_path, flags, api::kWriting, out,
                     [&](EditOutput output, const ProviderRegistry& providers) {
                       return merge_models(paths, links, std::move(output), providers);
                     });
  });
}

OrtStatus* OrtExtractContext(const char* model_path, const char* node_name, const char* output_path,
                             uint32_t flags, OrtProgressFn progress, void* state,
                             OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(model_path);
    ORTC_NEEDED(node_name);
    ORTC_NEEDED(output_path);
    RETURN_IF_ERROR(api::check_input(model_path, "model_path"));
    return api::edit({progress, state}, output_path, flags, api::kWriting, out,
                     [&](EditOutput output, const ProviderRegistry& providers) {
                       return extract_context(model_path, node_name, std::move(output), providers);
                     });
  });
}

OrtStatus* OrtPrefixModel(const char* model_path, const char* prefix, const char* output_path,
                          uint32_t flags, OrtProgressFn progress, void* state,
                          OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(model_path);
    ORTC_NEEDED(prefix);
    ORTC_NEEDED(output_path);
    RETURN_IF_ERROR(api::check_input(model_path, "model_path"));
    return api::edit({progress, state}, output_path, flags, api::kWriting, out,
                     [&](EditOutput output, const ProviderRegistry& providers) {
                       return prefix_model(model_path, prefix, std::move(output), providers);
                     });
  });
}

}  // extern "C"

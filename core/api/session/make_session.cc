// SPDX-License-Identifier: MIT
// Making sessions: see the header.
#include "core/api/session/make_session.h"

#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/session/ep_assignment_handles.h"

namespace ortc::api {
namespace {

// Failures that are the file's; programs parse the words in front.
Status while_loading(const ModelSource& source, Status status) {
  switch (status.code()) {
    case Code::kNoSuchFile:
    case Code::kNoModel:
    case Code::kInvalidProtobuf:
    case Code::kInvalidGraph:
      if (!source.path.empty()) status.note(str_cat("Load model from ", source.path, " failed"));
      break;
    default:
      break;
  }
  return status;
}

}  // namespace

Status ProgressListener::hear(std::string_view stage, std::string_view detail,
                              double fraction) const {
  if (progress_ == nullptr) return {};
  return take_callers_status(
      progress_(state_, std::string(stage).c_str(), std::string(detail).c_str(), fraction));
}

Result<ModelSource> file_source(const char* path) {
  if (*path == '\0') return invalid_argument("'model_path' must not be empty");
  ModelSource source;
  source.path = path;
  return source;
}

Result<ModelSource> memory_source(const void* data, size_t size) {
  if (data == nullptr || size == 0) {
    return invalid_argument(
        "Model data pointer is null or there are no bytes: ",
        data == nullptr ? "'model_data' must not be NULL" : "'model_data_length' is 0");
  }
  if (size > INT32_MAX) {
    return invalid_argument(
        "Model data is larger than the maximum supported size: "
        "'model_data_length' is ",
        size, ", expected 1 to ", INT32_MAX);
  }
  ModelSource source;
  source.from_memory = true;
  source.bytes = Blob::copy_of({static_cast<const std::byte*>(data), size});
  return source;
}

Status make_session(const OrtEnv& env, const ModelSource& source, const OrtSessionOptions* options,
                    std::shared_ptr<PackedWeights> weights, OrtSession** out) {
  auto ready = resolve_options(options, *env.shared, source);
  if (!ready.is_ok()) return while_loading(source, std::move(ready).status());
  ortc::SessionOptions resolved = std::move(ready).value();
  auto session = std::make_unique<OrtSession>();
  session->shared = env.shared;
  if (resolved.use_env_allocators) {
    session->allocator = env.shared->allocators.find(cpu_memory(), &session->result_memory);
    if (session->allocator != nullptr) resolved.tensor_maker = tensors_from(session->allocator);
  }
  OrtMemoryInfo arena_memory;
  arena_memory.allocator_type = OrtArenaAllocator;
  session->arena = make_arena_allocator({}, arena_memory);
  resolved.packed_weights = std::move(weights);
  MakingLimits limits;
  if (options != nullptr && options->load_progress != nullptr) {
    limits.progress = [listener = options->load_progress](
                          std::string_view stage, std::string_view detail, double fraction) {
      return listener->hear(stage, detail, fraction);
    };
  }
  auto made = make_model(env.shared->environment, source, resolved, limits);
  if (!made.is_ok()) return while_loading(source, std::move(made).status());
  session->model = std::move(made).value();
  show_assignment(*session);
  *out = session.release();
  return {};
}

}  // namespace ortc::api

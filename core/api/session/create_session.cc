// SPDX-License-Identifier: MIT
// Making sessions: see the header.
#include "core/api/session/create_session.h"

#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/session/ep_assignment_handles.h"
#include "core/api/session/resolve_options.h"

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

std::unique_ptr<OrtSession> new_session(std::shared_ptr<SharedEnvironment> shared) {
  auto session = std::make_unique<OrtSession>();
  session->shared = std::move(shared);
  OrtMemoryInfo memory;
  memory.allocator_type = OrtArenaAllocator;
  session->arena = make_arena_allocator({}, memory);
  return session;
}

MakingLimits limits_of(const OrtSessionOptions* options) {
  MakingLimits limits;
  if (options != nullptr && options->load_progress != nullptr) {
    limits.progress = [listener = options->load_progress](
                          std::string_view stage, std::string_view detail, double fraction) {
      return listener->hear(stage, detail, fraction);
    };
  }
  return limits;
}

Status fill_session(OrtSession& session, const ModelSource& source,
                    const OrtSessionOptions* options, std::shared_ptr<PackedWeights> weights,
                    const ModelMaker& make) {
  ASSIGN_OR_RETURN(ortc::SessionOptions resolved,
                   resolve_options(options, *session.shared, source));
  std::shared_ptr<OrtAllocator> allocator;
  OrtMemoryInfo memory;
  if (resolved.use_env_allocators) {
    allocator = session.shared->allocators.find(cpu_memory(), &memory);
    if (allocator != nullptr) resolved.tensor_maker = tensors_from(allocator);
  }
  resolved.packed_weights = std::move(weights);
  ASSIGN_OR_RETURN(session.model, make(resolved, limits_of(options)));
  session.allocator = std::move(allocator);
  session.result_memory = std::move(memory);
  show_assignment(session);
  return {};
}

Status create_session(const OrtEnv& env, const ModelSource& source,
                      const OrtSessionOptions* options, std::shared_ptr<PackedWeights> weights,
                      OrtSession** out) {
  auto session = new_session(env.shared);
  Status made = fill_session(*session, source, options, std::move(weights),
                             [&](const ortc::SessionOptions& resolved, const MakingLimits& limits) {
                               return make_model(env.shared->environment, source, resolved, limits);
                             });
  if (!made.is_ok()) return while_loading(source, std::move(made));
  *out = session.release();
  return {};
}

}  // namespace ortc::api

// SPDX-License-Identifier: MIT
// ort_c/model_editor.h: sessions and compiled models from the model editor's models.
#include "core/api/env/env_handle.h"
#include "core/api/graph/graph_handles.h"
#include "core/api/guard.h"
#include "core/api/model/model_compiler_handle.h"
#include "core/api/session/create_session.h"
#include "core/api/session/resolve_options.h"
#include "core/session/stages.h"
#include "ort_c/model_editor.h"

using namespace ortc;
using api::guard;

namespace ortc::api {
namespace {

GraphDraft draft_of(const OrtGraph& graph) {
  GraphDraft draft;
  for (const OrtValueInfo* input : graph.inputs) draft.inputs.push_back(&input->draft);
  for (const OrtValueInfo* output : graph.outputs) draft.outputs.push_back(&output->draft);
  for (const auto& entry : graph.draft_initializers) draft.initializers.push_back(entry.constant);
  for (const OrtNode* node : graph.nodes) draft.nodes.push_back(&node->draft);
  return draft;
}

Result<std::unique_ptr<Model>> model_of(const ModelParts& parts) {
  if (parts.graph == nullptr) return invalid_argument("the model has no graph");
  return build_model(draft_of(*parts.graph), parts.opsets);
}

Status check_has_graph(const OrtModel& model) {
  if (model.parts->graph == nullptr) return invalid_argument("the model has no graph");
  return {};
}

ModelSource source_of(const OrtModel& model) {
  ModelSource source;
  source.from_memory = true;
  source.make_model = [parts = model.parts] { return model_of(*parts); };
  return source;
}

Status make_draft(const OrtEnv& env, const ModelSource& source, const OrtSessionOptions* options,
                  OrtSession** out) {
  ASSIGN_OR_RETURN(const ortc::SessionOptions resolved,
                   resolve_options(options, *env.shared, source));
  auto session = new_session(env.shared);
  ASSIGN_OR_RETURN(session->model.draft,
                   ortc::make_draft(env.shared->environment, source, resolved, limits_of(options)));
  *out = session.release();
  return {};
}

}  // namespace
}  // namespace ortc::api

extern "C" {

OrtStatus* OrtCreateSessionFromModel(const OrtEnv* env, const OrtModel* model,
                                     const OrtSessionOptions* options, OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model);
    RETURN_IF_ERROR(api::check_has_graph(*model));
    return api::create_session(*env, api::source_of(*model), options, nullptr, out);
  });
}

OrtStatus* OrtModelCompilationOptions_SetInputModel(
    OrtModelCompilationOptions* model_compile_options, const OrtModel* model) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    if (model == nullptr) {
      return invalid_argument("OrtModel is null: 'model' must not be NULL");
    }
    model_compile_options->compile.input = api::source_of(*model);
    model_compile_options->has_input = true;
    return {};
  });
}

OrtStatus* OrtCreateModelEditorSession(const OrtEnv* env, const char* model_path,
                                       const OrtSessionOptions* options, OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_path);
    ASSIGN_OR_RETURN(const ModelSource source, api::file_source(model_path));
    return api::make_draft(*env, source, options, out);
  });
}

OrtStatus* OrtCreateModelEditorSessionFromArray(const OrtEnv* env, const void* model_data,
                                                size_t model_data_length,
                                                const OrtSessionOptions* options,
                                                OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_data);
    ASSIGN_OR_RETURN(const ModelSource source, api::memory_source(model_data, model_data_length));
    return api::make_draft(*env, source, options, out);
  });
}

OrtStatus* OrtSessionGetOpsetForDomain(const OrtSession* session, const char* domain, int* opset) {
  return guard([&]() -> Status {
    ORTC_OUT(opset);
    ORTC_NEEDED(session);
    ORTC_NEEDED(domain);
    const std::string_view wanted = std::string_view(domain) == "ai.onnx" ? "" : domain;
    for (const auto& [imported, version] : *session->model.description().opsets) {
      if (imported != wanted) continue;
      *opset = static_cast<int>(version);
      return {};
    }
    return fail("the model imports no opset of domain '", domain, "'");
  });
}

OrtStatus* OrtApplyModelToModelEditorSession(OrtSession* session, OrtModel* model) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session);
    ORTC_NEEDED(model);
    RETURN_IF_ERROR(api::check_has_graph(*model));
    const SessionDraft* draft = session->model.draft.get();
    if (draft == nullptr) {
      return make_status(Code::kModelLoaded, "the session is finished; it takes no more changes");
    }
    ASSIGN_OR_RETURN(session->model.draft, extend_draft(*draft, api::draft_of(*model->parts->graph),
                                                        model->parts->opsets));
    return {};
  });
}

OrtStatus* OrtFinalizeModelEditorSession(
    OrtSession* session, const OrtSessionOptions* options,
    OrtPrepackedWeightsContainer* prepacked_weights_container) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session);
    const auto draft = session->model.draft;
    if (draft == nullptr) return {};
    if (prepacked_weights_container != nullptr) {
      return not_implemented("FinalizeModelEditorSession with a container of prepacked weights");
    }
    ModelSource source = draft->loaded.source;
    source.make_model = [&]() -> Result<std::unique_ptr<Model>> {
      return clone_model(*draft->as_read);
    };
    return api::fill_session(*session, source, options, nullptr,
                             [&](const ortc::SessionOptions& resolved, const MakingLimits& limits) {
                               return finish_draft(*draft, resolved, limits);
                             });
  });
}

}  // extern "C"

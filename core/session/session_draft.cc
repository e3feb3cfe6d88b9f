// SPDX-License-Identifier: MIT
// Drafts of sessions: see the header.
#include "core/session/session_draft.h"

#include "core/compile/lowering.h"
#include "core/optimise/pipeline.h"
#include "core/session/session_builder.h"

namespace ortc {
namespace {

// The draft's place, with another model in it.
ModelSource source_with(const Session::Draft& draft, std::shared_ptr<const Model> model) {
  ModelSource source = draft.source;
  source.bytes = {};
  source.make_model = [model = std::move(model)]() -> Result<std::unique_ptr<Model>> {
    return clone_model(*model);
  };
  return source;
}

Result<std::unique_ptr<Model>> read_model(const std::shared_ptr<const Environment>& environment,
                                          const ModelSource& source) {
  constexpr int kAttempts = 50;
  for (int attempt = 1;; ++attempt) {
    SessionBuilder builder(environment, source, {}, {}, {});
    auto model = builder.read_model();
    if (attempt == kAttempts || !builder.files_were_replaced()) return model;
  }
}

}  // namespace

Result<std::unique_ptr<Session>> make_session_draft(std::shared_ptr<const Environment> environment,
                                                    const ModelSource& source,
                                                    const SessionOptions& options) {
  BuildMode mode;
  mode.draft = true;
  return build_session(std::move(environment), source, options, mode, {});
}

Result<std::unique_ptr<Session>> extend_session_draft(const Session::Draft& draft,
                                                      const GraphDraft& graph,
                                                      const OpsetImports& opsets) {
  ASSIGN_OR_RETURN(std::shared_ptr<const Model> model, extend_model(*draft.model, graph, opsets));
  return make_session_draft(draft.environment, source_with(draft, std::move(model)), draft.options);
}

Result<std::unique_ptr<Session>> finish_session_draft(const Session::Draft& draft,
                                                      const SessionOptions& options) {
  return build_session(draft.environment, source_with(draft, draft.model), options, {}, {});
}

Result<std::unique_ptr<Model>> load_for_providers(std::shared_ptr<const Environment> environment,
                                                  const ModelSource& source) {
  ASSIGN_OR_RETURN(auto model, read_model(environment, source));
  OptimiseOptions options;
  options.level = OptimisationLevel::kNone;
  options.logger = environment->logger();
  const Evaluator evaluator(environment->providers().find("CPU")->rules().kernels);
  RETURN_IF_ERROR(optimise(*model, evaluator, options).status());
  return model;
}

}  // namespace ortc

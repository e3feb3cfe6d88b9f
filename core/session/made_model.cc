// SPDX-License-Identifier: MIT
// What a program holds of a model: see stages.h.
#include "core/base/json_writer.h"
#include "core/session/stages.h"

namespace ortc {

const ModelFacts* MadeModel::facts() const {
  if (session != nullptr) return &session->facts();
  return compiled != nullptr ? &compiled->facts : nullptr;
}

const ModelPorts& MadeModel::ports() const {
  return draft != nullptr ? draft->loaded.ports : facts()->ports;
}

const Model& MadeModel::description() const {
  return draft != nullptr ? *draft->loaded.model : *facts()->description;
}

Result<const Session*> MadeModel::runnable() const {
  if (session != nullptr) return session.get();
  if (draft != nullptr) return fail("the session was not finalized; it cannot run");
  return fail("the session was made to compile only (session.compile_only=1); it cannot run");
}

std::string MadeModel::report_json() const {
  if (session != nullptr) return session->report_json();
  JsonWriter json;
  json.begin_object().field("schema", "ortc.session/1").field("model", description().path);
  (compiled != nullptr ? compiled->facts.report : CompileReport()).write(json);
  return json.end_object().text();
}

std::shared_ptr<const void> MadeModel::kept() const {
  if (session != nullptr) return session;
  return draft != nullptr ? std::shared_ptr<const void>(draft) : compiled;
}

Result<std::unique_ptr<Session>> Session::create(
    const std::shared_ptr<const Environment>& environment, const ModelSource& source,
    const SessionOptions& options, const MakingLimits& limits) {
  if (options.context.compile_only) {
    return invalid_argument("session.compile_only=1: the session is not going to run");
  }
  return make_again(environment, options, limits,
                    [&](Making& making) -> Result<std::unique_ptr<Session>> {
                      ASSIGN_OR_RETURN(CompiledModel compiled, compile_source(source, {}, making));
                      return make_session(std::move(compiled), making);
                    });
}

namespace {

// The draft's place, with another model in it.
ModelSource source_with(const SessionDraft& draft, std::shared_ptr<const Model> model) {
  ModelSource source = draft.loaded.source;
  source.bytes = {};
  source.make_model = [model = std::move(model)]() -> Result<std::unique_ptr<Model>> {
    return clone_model(*model);
  };
  return source;
}

}  // namespace

Result<std::shared_ptr<const SessionDraft>> make_draft(
    const std::shared_ptr<const Environment>& environment, const ModelSource& source,
    const SessionOptions& options, const MakingLimits& limits) {
  auto draft = std::make_shared<SessionDraft>();
  draft->environment = environment;
  draft->options = options;
  ASSIGN_OR_RETURN(
      draft->loaded,
      make_again(environment, options, limits, [&](Making& making) -> Result<LoadedModel> {
        RETURN_IF_ERROR(making.begin_stage("load", source.path));
        ASSIGN_OR_RETURN(auto read, read_model(source, making));
        draft->as_read = clone_model(*read);
        return load_model(source, std::move(read), making);
      }));
  return std::shared_ptr<const SessionDraft>(std::move(draft));
}

Result<std::shared_ptr<const SessionDraft>> extend_draft(const SessionDraft& draft,
                                                         const GraphDraft& graph,
                                                         const OpsetImports& opsets) {
  ASSIGN_OR_RETURN(std::shared_ptr<const Model> model, extend_model(*draft.as_read, graph, opsets));
  return make_draft(draft.environment, source_with(draft, std::move(model)), draft.options);
}

Result<MadeModel> finish_draft(const SessionDraft& draft, const SessionOptions& options,
                               const MakingLimits& limits) {
  return make_model(draft.environment, source_with(draft, draft.as_read), options, limits);
}

}  // namespace ortc

// SPDX-License-Identifier: MIT
// The stages of making a session, each a value that does not change once it is made:
//
//   ModelSource --load_model--> LoadedModel --optimise_model--> LoadedModel
//     --partition_model--> PartitionedModel --compile_model--> CompiledModel --make_session-->
//     Session
//
// A model editor's session is a LoadedModel until it is finished; compiling ahead ends with the
// CompiledModel. What a program holds is one of the three.
#pragma once

#include <memory>

#include "core/graph/model_draft.h"
#include "core/session/session.h"

namespace ortc {

// Threads, arenas, and a runner over the compiled parts.
Result<std::unique_ptr<Session>> make_session(CompiledModel compiled, Making& making);

// From a source to the CompiledModel, in one making.
Result<CompiledModel> compile_source(const ModelSource& source, const CompileRules& rules,
                                     Making& making);

// A model that was read and may get more nodes. Drafts do not change; each step makes a new one.
struct SessionDraft {
  std::shared_ptr<const Environment> environment;
  SessionOptions options;
  std::shared_ptr<const Model> as_read;  // not typed
  LoadedModel loaded;
};
Result<std::shared_ptr<const SessionDraft>> make_draft(
    const std::shared_ptr<const Environment>& environment, const ModelSource& source,
    const SessionOptions& options, const MakingLimits& limits = {});
// INVALID_ARGUMENT and INVALID_GRAPH as extend_model(), or when the types contradict each other.
Result<std::shared_ptr<const SessionDraft>> extend_draft(const SessionDraft& draft,
                                                         const GraphDraft& graph,
                                                         const OpsetImports& opsets);

// One of the three.
struct MadeModel {
  std::shared_ptr<const SessionDraft> draft;
  std::shared_ptr<const CompiledModel> compiled;  // made to be written, not to run
  std::shared_ptr<const Session> session;

  const ModelPorts& ports() const;
  const Model& description() const;
  const ModelFacts* facts() const;  // null of a draft
  // FAIL says why it cannot run.
  Result<const Session*> runnable() const;
  std::string report_json() const;           // as Session::report_json(), with what there is
  std::shared_ptr<const void> kept() const;  // whichever it is
};

// What the options ask for: a CompiledModel with session.compile_only=1, else a Session; with
// ep.context_cache_dir one that is compiled once (cache/load_or_compile.h).
Result<MadeModel> make_model(const std::shared_ptr<const Environment>& environment,
                             const ModelSource& source, const SessionOptions& options,
                             const MakingLimits& limits = {});
// The same without a cache, of which `cache` is what the report says.
Result<MadeModel> make_uncached(const std::shared_ptr<const Environment>& environment,
                                const ModelSource& source, const SessionOptions& options,
                                const MakingLimits& limits, const CacheReport& cache = {});
// The draft with everything that was added.
Result<MadeModel> finish_draft(const SessionDraft& draft, const SessionOptions& options,
                               const MakingLimits& limits = {});

// The model as execution providers see it before any optimisation: typed, without local functions
// and Constant nodes.
Result<std::unique_ptr<Model>> load_for_providers(
    const std::shared_ptr<const Environment>& environment, const ModelSource& source);

}  // namespace ortc

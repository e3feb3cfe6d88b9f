// SPDX-License-Identifier: MIT
// Sessions that were read and not finished, for the model editor: they tell their ports, can get
// more nodes, and become sessions that run. Drafts do not change; each step makes a new one.
#pragma once

#include <memory>

#include "core/graph/model_draft.h"
#include "core/session/session.h"

namespace ortc {

Result<std::unique_ptr<Session>> make_session_draft(std::shared_ptr<const Environment> environment,
                                                    const ModelSource& source,
                                                    const SessionOptions& options);

// INVALID_ARGUMENT and INVALID_GRAPH as extend_model(), or when the types contradict each other.
Result<std::unique_ptr<Session>> extend_session_draft(const Session::Draft& draft,
                                                      const GraphDraft& graph,
                                                      const OpsetImports& opsets);

Result<std::unique_ptr<Session>> finish_session_draft(const Session::Draft& draft,
                                                      const SessionOptions& options);

// The model as execution providers see it before any optimisation: typed, without local functions
// and Constant nodes.
Result<std::unique_ptr<Model>> load_for_providers(std::shared_ptr<const Environment> environment,
                                                  const ModelSource& source);

}  // namespace ortc

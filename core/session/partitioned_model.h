// SPDX-License-Identifier: MIT
// The second stage: a model whose nodes belong to providers. In place of what a provider claimed
// stands one node whose callee() is the number of its partition; all others are the default
// provider's.
#pragma once

#include <memory>
#include <vector>

#include "core/partition/partitioner.h"
#include "core/session/loaded_model.h"
#include "core/session/session_providers.h"

namespace ortc {

struct PartitionedModel {
  LoadedModel loaded;
  SessionProviders providers;
  std::vector<Partition> partitions;
  std::unique_ptr<const std::vector<AssignedPart>> assigned_parts;

  bool has_new_partitions() const;  // to be compiled: neither contexts already nor single nodes
};

// The claims have no names yet. NOT_IMPLEMENTED for an EPContext node that no provider took;
// MODEL_REQUIRES_COMPILATION and FAIL as the session's settings ask.
Result<PartitionedModel> partition_model(LoadedModel loaded, SessionProviders providers,
                                         Making& making);

// Gives the claims their names, for which all weights are read when contexts will be written: what
// can be refused without has been before. Reports them.
Status name_partitions(PartitionedModel& model, Making& making, Work work);

}  // namespace ortc

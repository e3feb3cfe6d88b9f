// SPDX-License-Identifier: MIT
// The third stage: every part of a model is compiled or was found in its context, and the context
// model is written when the options ask. All that a session needs; what compiling ends with.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/context/generate/context_generator.h"
#include "core/context/output/output_set.h"
#include "core/context/sharing/sharing_group.h"
#include "core/provider/value_memories.h"
#include "core/session/model_facts.h"
#include "core/session/partitioned_model.h"

namespace ortc {

struct CompiledModel {
  ModelFacts facts;
  SessionProviders providers;
  struct Part {
    CompiledClaim compiled;
    std::string provider;
  };
  std::vector<Part> parts;  // by callee
  ValueMemories memories;   // in which values between the parts lie
  CompiledClaim main;       // the default provider's, which calls the parts
  bool can_run = false;     // false: it was made to be written, not to run

  uint64_t weight_bytes() const;
};

// What a compile does beyond the settings of its session.
struct CompileRules {
  bool is_compile_api = false;
  bool error_if_nothing_compiled = false;
  std::optional<OutputPlace> output;  // in place of what the settings say
  bool output_is_buffer = false;      // which is there when the call returns
  ProgramFiles program;
  GroupMember* member = nullptr;  // of the sharing group that the model is compiled for
};

// Where a compiled model of the source goes, and what it may replace.
Result<OutputPlace> output_place(const ModelSource& source, const ContextSettings& context,
                                 const CompileRules& rules);
OutputRules output_rules(const ModelSource& source, const ContextSettings& context);

Result<CompiledModel> compile_model(PartitionedModel model, const CompileRules& rules,
                                    Making& making);

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Compiling to memory: the model is compiled in a folder of its own, read back, and the files it
// refers to go where the options say.
#pragma once

#include <string>

#include "core/api/handles.h"

namespace ortc::api {

struct CompiledModel {
  CompileReport report;  // names the files that stayed
  std::string bytes;
};

// INVALID_ARGUMENT when the model needs files beside it and the options name no folder for them.
Result<CompiledModel> compile_to_memory(std::shared_ptr<const Environment> environment,
                                        CompileOptions options, const Progress& progress);

}  // namespace ortc::api

// SPDX-License-Identifier: MIT
// Runs whose inputs and outputs stay in one place: in the memory where the session wants them.
#pragma once

#include <vector>

#include "tools/ortc/library/api.h"
#include "tools/ortc/values/inputs.h"

namespace ortc::tool {

class FixedRun {
 public:
  // `inputs` and `outputs` have the types and shapes of all runs; tensors, all of them.
  FixedRun(const OrtEnv* env, OrtSession* session, const std::vector<Input>& inputs,
           const std::vector<Value>& outputs);

  // Puts the numbers there, runs, and gives copies of the results on the host.
  std::vector<Value> run(const std::vector<Input>& inputs) const;

 private:
  const OrtEnv* env_;
  OrtSession* session_;
  std::vector<std::string> input_names_, output_names_;
  std::vector<Value> inputs_, outputs_;
};

bool is_tensor(const OrtValue* value);

}  // namespace ortc::tool

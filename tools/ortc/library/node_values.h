// SPDX-License-Identifier: MIT
// Values inside a model: which node gives them, and a session that hands them out.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/library/run.h"

namespace ortc::tool {

// A session of the model in which each tensor of the main graph is an output as well, so that
// nothing is fused.
LoadedSession load_exposed_session(const OrtEnv* env, const std::string& model,
                                   const SessionArguments& arguments);

struct NodeValue {
  std::string node, op, value;
  bool is_in_body = false;  // of If, Loop and the like: nothing can hand it out
};

struct NodeValues {
  std::vector<std::string> outputs;  // the names of the model's own
  std::vector<NodeValue> values;
};

// What `names` name: nodes, each with all of its values, or values. A name may be several with
// commas between them. Throws a usage error for one that is not in the main graph of the model, and
// says where it may be found.
NodeValues find_node_values(const std::string& model, const std::vector<std::string>& names);

}  // namespace ortc::tool

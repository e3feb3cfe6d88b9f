// SPDX-License-Identifier: MIT
// Sessions of graphs that a test builds, and tensors of a few numbers for them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {

// The test fails when there is no session of the graph.
inline std::unique_ptr<Session> open_graph(GraphBuilder& g,
                                           std::vector<std::string> providers = {}) {
  const auto environment = quiet_environment();
  auto session = Session::create(environment, memory_source(g.model_bytes()),
                                 options_with(*environment, std::move(providers)));
  CHECK_OK(session);
  return std::move(session).value();
}

inline Tensor floats(Dims dims, const std::vector<float>& numbers) {
  return Tensor::from<float>(std::move(dims), numbers);
}

}  // namespace ortc::test

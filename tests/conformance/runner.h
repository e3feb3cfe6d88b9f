// SPDX-License-Identifier: MIT
// Runs ONNX test cases by every route: node by node over the CPU kernels, as a session of the CPU
// provider, and with AOT as a session from source, from an external and from an embedded context.
#pragma once

#include <string>

#include "tests/conformance/case_reader.h"

namespace ortc::test {

enum class Outcome { kPass, kFail, kUnsupported };

struct RouteResult {
  std::string route;  // one of kRoutes
  Outcome outcome = Outcome::kPass;
  std::string message;  // empty after most passes
};

inline constexpr const char* kRoutes[] = {"nodes", "cpu", "aot", "external", "embedded"};

std::string_view outcome_name(Outcome outcome);  // "pass", "fail", "unsupported"

// NOT_IMPLEMENTED is kUnsupported, anything else kFail.
RouteResult failed(const std::string& route, const Status& status);

// The outputs of the first set that disagree with what is expected; empty when all agree.
std::string first_difference(const std::vector<std::vector<Datum>>& found,
                             const std::vector<DataSet>& expected, Tolerance tolerance);

// Route "nodes": at every instruction set level this processor has; one and two threads must give
// the same bits.
RouteResult run_nodes(const TestCase& test_case);

// The other routes. The three with AOT must give the same bits at one and two threads; a session
// of the CPU provider may differ from them by rtol 1e-5, atol 1e-6. Contexts go to `folder`.
std::vector<RouteResult> run_sessions(const TestCase& test_case, const std::string& folder);

}  // namespace ortc::test

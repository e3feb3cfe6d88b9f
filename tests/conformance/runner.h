// SPDX-License-Identifier: MIT
// Runs ONNX test cases node by node over the CPU kernels, at every instruction set level this
// processor has and with one and two threads, and compares with the expected outputs.
#pragma once

#include <string>

#include "tests/conformance/case_reader.h"

namespace ortc::test {

enum class Outcome { kPass, kFail, kUnsupported };

struct CaseResult {
  Outcome outcome = Outcome::kPass;
  std::string message;  // empty after a pass
};

std::string_view outcome_name(Outcome outcome);  // "pass", "fail", "unsupported"

// kUnsupported: a kernel is missing, or the case has inputs or outputs that are no tensors.
CaseResult run_case(const TestCase& test_case);

// Empty when the tensors agree; floats within rtol and atol, everything else exactly.
std::string difference(const Tensor& found, const Tensor& expected, double rtol, double atol);

}  // namespace ortc::test

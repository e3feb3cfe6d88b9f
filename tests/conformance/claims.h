// SPDX-License-Identifier: MIT
// How much of a test case AOT claims: of the model's own nodes, none rewritten.
#pragma once

#include "tests/conformance/case_reader.h"

namespace ortc::test {

struct Claims {
  size_t nodes = 0, claimed = 0;
  std::vector<std::string> left;  // operators of the others
};

// Nothing for cases whose inputs or outputs are not all tensors of numbers. Of a model that does
// not compile no node is claimed.
std::optional<Claims> claims_of(const TestCase& test_case, const std::string& folder);

}  // namespace ortc::test

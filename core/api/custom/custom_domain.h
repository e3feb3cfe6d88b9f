// SPDX-License-Identifier: MIT
// Domains of custom operators, and what options and sessions keep of them.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ops/custom_operator.h"
#include "ort_c/custom_op.h"

namespace ortc::api {

// Shared by the program's handle and all options that know it.
struct DomainContent {
  std::string name;
  mutable std::mutex mutex;
  std::vector<const OrtCustomOp*> operators;  // of the program

  std::vector<const OrtCustomOp*> list() const {
    const std::lock_guard lock(mutex);
    return operators;
  }
};

// What session options know.
struct CustomDomains {
  std::vector<std::shared_ptr<const DomainContent>> domains;
  std::vector<std::shared_ptr<const void>> libraries;  // that the operators come from
};

// The operators as a session takes them: they keep the libraries. INVALID_ARGUMENT, with domain and
// name, for one that contradicts itself or another. Null when there are none.
Result<std::shared_ptr<const CustomOperators>> make_custom_operators(const CustomDomains& domains);

}  // namespace ortc::api

struct OrtCustomOpDomain {
  std::shared_ptr<ortc::api::DomainContent> content;
};

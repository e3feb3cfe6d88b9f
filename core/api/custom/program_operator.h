// SPDX-License-Identifier: MIT
// One OrtCustomOp as an operator of a session.
#pragma once

#include <memory>
#include <vector>

#include "core/api/custom/op_declaration.h"
#include "core/provider/runnable_operator.h"

namespace ortc::api {

// Libraries that operators come from.
using KeptLibraries = std::shared_ptr<const std::vector<std::shared_ptr<const void>>>;

class ProgramOperator final : public RunnableOperator {
 public:
  ProgramOperator(OpDeclaration declaration, KeptLibraries kept)
      : declaration_(std::move(declaration)), kept_(std::move(kept)) {}

  const OpDeclaration& declaration() const { return declaration_; }
  bool serves_version(int64_t version) const {
    return version >= declaration_.first_version && version <= declaration_.last_version;
  }
  // Why it is not what the node means; "" when it is.
  std::string why_not(const InferContext& context) const;

  std::string_view provider() const override { return declaration_.provider; }
  Status infer(InferContext& context) const override;
  Result<std::shared_ptr<const ComputeObject>> make_kernel(
      const Node& node, const CustomKernelPlace& place) const override;

 private:
  std::string why_not_as_many(const Node& node, const char* what, const Signature& signature,
                              size_t count) const;
  Type declared_output(const InferContext& context, size_t i) const;

  const OpDeclaration declaration_;
  const KeptLibraries kept_;
};

}  // namespace ortc::api

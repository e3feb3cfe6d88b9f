// SPDX-License-Identifier: MIT
// The custom operators of a session, found by what a node says of itself.
#include <unordered_map>

#include "core/api/custom/custom_domain.h"
#include "core/api/custom/program_operator.h"
#include "core/ops/op_list.h"

namespace ortc::api {
namespace {

using Overloads = std::vector<std::shared_ptr<const ProgramOperator>>;

class ProgramOperators final : public CustomOperators {
 public:
  Status add(OpDeclaration declaration, const KeptLibraries& kept) {
    Overloads& overloads = by_label_[declaration.label()];
    for (const auto& other : overloads) {
      RETURN_IF_ERROR(check_overloads(other->declaration(), declaration));
    }
    overloads.push_back(std::make_shared<const ProgramOperator>(std::move(declaration), kept));
    return {};
  }

  Result<std::shared_ptr<const CustomOperator>> find(const InferContext& context) const override {
    const std::shared_ptr<const CustomOperator> none;
    const Node& node = context.node();
    const auto found = by_label_.find(label_of(node));
    if (found == by_label_.end()) return none;
    std::string faults;
    for (const auto& one : found->second) {
      const std::string fault = fault_of(*one, context);
      if (fault.empty()) return std::shared_ptr<const CustomOperator>(one);
      faults += str_cat(faults.empty() ? "" : "; ", fault);
    }
    // What the program did not replace is what it was.
    if (find_op(node.domain(), node.op_type(), node.opset()) != nullptr) return none;
    return invalid_graph("no custom operator ", found->first, " fits: ", faults);
  }

 private:
  static std::string label_of(const Node& node) {
    return node.domain().empty() ? node.op_type() : str_cat(node.domain(), ".", node.op_type());
  }

  static std::string fault_of(const ProgramOperator& one, const InferContext& context) {
    if (one.serves_opset(context.opset())) return one.why_not(context);
    const OpDeclaration& declaration = one.declaration();
    return str_cat("the model imports opset ", context.opset(), " of the domain, expected ",
                   declaration.first_version,
                   declaration.last_version == INT_MAX ? std::string(" or later")
                                                       : str_cat(" to ", declaration.last_version));
  }

  std::unordered_map<std::string, Overloads> by_label_;
};

}  // namespace

Result<std::shared_ptr<const CustomOperators>> make_custom_operators(const CustomDomains& domains) {
  const auto kept =
      std::make_shared<const std::vector<std::shared_ptr<const void>>>(domains.libraries);
  auto operators = std::make_shared<ProgramOperators>();
  bool is_empty = true;
  for (const auto& domain : domains.domains) {
    for (const OrtCustomOp* op : domain->list()) {
      ASSIGN_OR_RETURN(OpDeclaration declaration, read_declaration(domain->name, *op));
      RETURN_IF_ERROR(operators->add(std::move(declaration), kept));
      is_empty = false;
    }
  }
  if (is_empty) return std::shared_ptr<const CustomOperators>();
  return std::shared_ptr<const CustomOperators>(std::move(operators));
}

}  // namespace ortc::api

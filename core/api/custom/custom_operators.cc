// SPDX-License-Identifier: MIT
// The custom operators of a session, found by what a node says of itself.
#include <algorithm>
#include <set>
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
    domains_.insert(declaration.domain);
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
    const int64_t version = version_meant(found->second, node);
    for (const auto& one : found->second) {
      const std::string fault = fault_of(*one, version, context);
      if (fault.empty()) return std::shared_ptr<const CustomOperator>(one);
      faults += str_cat(faults.empty() ? "" : "; ", fault);
    }
    // What the program did not replace is what it was.
    if (find_op(node.domain(), node.op_type(), node.opset()) != nullptr) return none;
    return invalid_graph("no custom operator ", found->first, " fits: ", faults);
  }

  std::vector<std::string> domains() const override { return {domains_.begin(), domains_.end()}; }

 private:
  static std::string label_of(const Node& node) {
    return node.domain().empty() ? node.op_type() : str_cat(node.domain(), ".", node.op_type());
  }

  // The declarations that a node may mean have this version in their range. As in ONNX Runtime that
  // is the newest first version up to the imported opset, which may lie behind every last version;
  // but an operator that is also in the list takes over again there.
  static int64_t version_meant(const Overloads& overloads, const Node& node) {
    if (find_op(node.domain(), node.op_type(), node.opset()) != nullptr) return node.opset();
    int64_t newest = 0;
    for (const auto& one : overloads) {
      const int64_t first = one->declaration().first_version;
      if (first <= node.opset()) newest = std::max(newest, first);
    }
    return newest;
  }

  static std::string fault_of(const ProgramOperator& one, int64_t version,
                              const InferContext& context) {
    if (one.serves_version(version)) return one.why_not(context);
    const OpDeclaration& declaration = one.declaration();
    return str_cat("the model imports opset ", context.opset(), " of the domain, expected ",
                   declaration.first_version,
                   declaration.last_version == INT_MAX ? std::string(" or later")
                                                       : str_cat(" to ", declaration.last_version));
  }

  std::unordered_map<std::string, Overloads> by_label_;
  std::set<std::string> domains_;
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

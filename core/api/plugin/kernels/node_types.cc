// SPDX-License-Identifier: MIT
// Types of a node's values by name: see the header.
#include "core/api/plugin/kernels/node_types.h"

#include "core/ops/signatures/layout_sensitive.h"
#include "core/ops/signatures/op_signature.h"

namespace ortc::api {
namespace {

// Only the last parameter can stand for several values, so the first value of each has its number.
struct Search {
  const Node& node;
  std::string_view parameter;
  bool is_known = false;
  const Type* found = nullptr;

  void look_at(const std::vector<OpParameter>& parameters, const std::vector<ValueId>& values) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].type != parameter && parameters[i].name != parameter) continue;
      is_known = true;
      const Value* value = i < values.size() ? node.graph()->value(values[i]) : nullptr;
      if (found == nullptr && value != nullptr) found = &value->type;
    }
  }
};

}  // namespace

int version_of(const Node& node) {
  if (node.custom() != nullptr) return 1;
  const OpRow* row = op_row_of(node);
  return row != nullptr ? row->since : 1;
}

Result<const Type*> type_under(const Node& node, std::string_view parameter) {
  const auto signature = find_op_signature(node.domain(), node.op_type(), node.opset());
  Search search{node, parameter};
  if (signature.has_value()) {
    search.look_at(signature->inputs, node.inputs());
    search.look_at(signature->outputs, node.outputs());
  }
  if (search.is_known) return search.found;
  return fail(node.label(), ": a kernel is restricted by '", parameter,
              "', which is not a type parameter, input or output of the operator");
}

}  // namespace ortc::api

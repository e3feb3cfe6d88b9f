// SPDX-License-Identifier: MIT
// Operators of com.microsoft that are other operators in a row: spelled out, so that the rewrites
// that follow see what they know. Which, and by what, say the lists of microsoft_spellings.h.
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kOpsetOfNone = 18;  // ONNX's, in models that import none

const Spelled* spelled(const Node& node) {
  if (node.domain() != kMicrosoftDomain || node.custom() != nullptr) return nullptr;
  const int64_t opset = node.graph()->opset("");
  for (const std::span<const Spelled> rows :
       {fused_spellings(), qlinear_spellings(), plain_spellings(), layout_spellings(),
        quantised_spellings(), head_spellings(), expert_spellings(), search_spellings(),
        ordered_spellings(), recurrent_spellings(), attn_lstm_spellings()}) {
    for (const Spelled& row : rows) {
      if (node.op_type() != row.op) continue;
      const bool is_new_enough = !row.has_bodies || opset == 0 || opset >= row.first_opset;
      return is_new_enough && row.takes(node) ? &row : nullptr;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<Attribute> attributes_named(const Node& node, std::string_view names) {
  std::vector<Attribute> found;
  for (const Attribute& attribute : node.attributes()) {
    const std::string padded = str_cat(" ", names, " ");
    if (padded.find(str_cat(" ", attribute.name, " ")) != std::string::npos) {
      found.push_back(attribute);
    }
  }
  return found;
}

bool is_spelled_out(const Node& node) { return spelled(node) != nullptr; }

// Twice: NhwcFusedConv becomes FusedConv first, FusedMatMulActivation FusedMatMul.
Result<int> microsoft(Graph& graph, const KernelRegistry&) {
  int total = 0;
  for (int round = 0; round < 2; ++round) {
    ASSIGN_OR_RETURN(const int rewrites, for_nodes(graph, [&graph](Node& node) -> Result<bool> {
                       const Spelled* row = spelled(node);
                       if (row == nullptr) return false;
                       import_domain(graph, "", kOpsetOfNone);
                       const size_t bound = graph.node_bound();
                       ASSIGN_OR_RETURN(const bool done, row->spell(graph, node.id()));
                       read_with(graph, bound, row->first_opset);
                       return done;
                     }));
    total += rewrites;
    if (rewrites == 0) break;
  }
  return total;
}

}  // namespace ortc::cpu

// SPDX-License-Identifier: MIT
// Claims: see the header.
#include "tests/conformance/claims.h"

#include "tests/support/session_support.h"

namespace ortc::test {
namespace {

bool is_numeric(const Graph& graph) {
  for (const auto* ids : {&graph.inputs(), &graph.outputs()}) {
    for (const ValueId id : *ids) {
      const Type& type = graph.value(id)->type;
      if (!type.is_tensor() || type.dtype == DType::kString) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Claims> claims_of(const TestCase& test_case, const std::string& folder) {
  const auto model = import_model_file(test_case.model_path, {});
  if (!model.is_ok() || !is_numeric(*(*model)->graph)) return std::nullopt;
  Claims claims;
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  options.level = OptimisationLevel::kNone;
  options.input = file_source(test_case.model_path);
  options.output_path = folder + "/claims_ctx.onnx";
  const auto report = compile_to_output(environment, options);
  if (!report.is_ok()) {
    claims.nodes = (*model)->graph->node_count();
    return claims;
  }
  for (const PartitionReport& part : report->partitions) claims.claimed += part.node_count;
  for (const Assignment& assignment : report->assignments) {
    claims.left.push_back(assignment.op_type);
  }
  claims.nodes = claims.claimed + claims.left.size();
  return claims;
}

}  // namespace ortc::test

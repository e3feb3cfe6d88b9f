// SPDX-License-Identifier: MIT
// The pipeline: the order of the passes, and the rounds in which they run.
#include "core/optimise/pipeline.h"

#include <algorithm>

#include "core/base/near_name.h"
#include "core/graph/verify.h"
#include "core/graph/walk.h"
#include "core/ops/infer.h"
#include "core/optimise/passes.h"
#include "core/platform/clock.h"

namespace ortc {
namespace {

constexpr int kRoundsMax = 8;
constexpr int kNestingMax = 64;

constexpr OptimisationLevel kBasic = OptimisationLevel::kBasic;
constexpr OptimisationLevel kExtended = OptimisationLevel::kExtended;

constexpr Pass kPasses[] = {
    // First, and required at every level: everything after it, providers too, looks for
    // initializers only.
    {"constant_node_to_initializer", OptimisationLevel::kNone, constant_node_to_initializer},
    // Required too, and before anything loses the names that it goes by.
    {"gradient", OptimisationLevel::kNone, gradient},
    // Before folding: known shapes become constants that folding then follows.
    {"shape_folding", kBasic, shape_folding},
    // Early: fewer nodes for all that follow, and patterns whose constants were computed show.
    {"constant_folding", kBasic, constant_folding},
    // Before the patterns: nothing stands between their nodes.
    {"identity_elimination", kBasic, identity_elimination},
    {"cast_chain", kBasic, cast_chain},
    // The way into another layout moves to where it meets the way back, which then goes.
    {"layout_sinking", kBasic, layout_sinking},
    {"transpose_cancellation", kBasic, transpose_cancellation},
    {"reshape_chain", kBasic, reshape_chain},
    {"sum_to_add", kBasic, sum_to_add},
    // Before the patterns: two copies of one subtraction or power become one.
    {"common_subexpression", kBasic, common_subexpression},
    // Padding first, it may uncover nothing else; then what follows a convolution, nearest first.
    {"pad_fusion", kBasic, pad_fusion},
    {"conv_bn_fusion", kBasic, conv_bn_fusion},
    {"conv_mul_fusion", kBasic, conv_mul_fusion},
    {"conv_add_fusion", kBasic, conv_add_fusion},
    // Activations before what joins them with a bias.
    {"gelu_fusion", kExtended, gelu_fusion},
    {"fast_gelu_fusion", kExtended, fast_gelu_fusion},
    {"quick_gelu_fusion", kExtended, quick_gelu_fusion},
    {"bias_gelu_fusion", kExtended, bias_gelu_fusion},
    // A normalisation must be one node before its residual sum joins it.
    {"layer_norm_fusion", kExtended, layer_norm_fusion},
    {"rms_norm_fusion", kExtended, rms_norm_fusion},
    {"skip_layer_norm_fusion", kExtended, skip_layer_norm_fusion},
    // Last, and required at every level: a claim is made of what is left, and one of unread nodes
    // would have no outputs. Sweeps what the others left, initializers too.
    {"dead_node_elimination", OptimisationLevel::kNone, dead_node_elimination},
};

// The graph itself first: what becomes constant there is constant for its sub-graphs.
Result<int> run_everywhere(const Pass& pass, Graph& graph, const PassContext& context, int depth) {
  if (depth >= kNestingMax) return 0;
  ASSIGN_OR_RETURN(int rewrites, pass.run(graph, context));
  for (const Node& node : nodes_of(graph)) {
    int inner_rewrites = 0;
    for (Graph* inner : node.subgraphs()) {
      ASSIGN_OR_RETURN(int inside, run_everywhere(pass, *inner, context, depth + 1));
      inner_rewrites += inside;
    }
    if (inner_rewrites > 0) graph.refresh_implicit_inputs(node.id());
    rewrites += inner_rewrites;
  }
  return rewrites;
}

Result<int> run_pass(const Pass& pass, Graph& graph, const PassContext& context,
                     PassReport& report) {
  const int64_t begin = now_ns();
  auto rewrites = run_everywhere(pass, graph, context, 0);
  report.duration_ns += now_ns() - begin;
  if (!rewrites.is_ok()) {
    return std::move(std::move(rewrites).status().note(str_cat("optimising, ", pass.name)));
  }
  report.rewrites += *rewrites;
#ifndef NDEBUG
  RETURN_IF_ERROR_WHILE(verify_graph(graph), "after the pass ", pass.name);
#endif
  return *rewrites;
}

// A misspelt name switches nothing off, and names of ONNX Runtime's passes may be others.
void warn_of_unknown_passes(const OptimiseOptions& options) {
  std::vector<std::string_view> known;
  for (const Pass& pass : kPasses) known.push_back(pass.name);
  for (const std::string& name : options.disabled_passes) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    ORTC_LOG(options.logger, kWarning, "optimise", "there is no pass '", name, "' to switch off",
             did_you_mean(name, known));
  }
}

}  // namespace

std::span<const Pass> graph_passes() { return kPasses; }

Result<std::vector<PassReport>> optimise(Model& model, const Evaluator& evaluator,
                                         const OptimiseOptions& options) {
  std::vector<const Pass*> passes;
  std::vector<PassReport> reports;
  warn_of_unknown_passes(options);
  for (const Pass& pass : kPasses) {
    const bool is_disabled = pass.level != OptimisationLevel::kNone &&
                             options.disabled_passes.contains(std::string(pass.name));
    if (pass.level > options.level || is_disabled) continue;
    passes.push_back(&pass);
    reports.push_back({std::string(pass.name), 0, 0});
  }
  Budget budget = Budget::of(*model.graph);
  const PassContext context{evaluator, options, budget};
  Work work = options.work;
  work.expect(2 * passes.size());  // rounds, most often
  // What contradicted when the model was read may meet again.
  const InferOptions infer{.lenient_shapes = options.lenient_shapes,
                           .types_are_inferred = true,
                           .logger = options.logger};
  int rewrites = 1;
  for (int round = 0; round < kRoundsMax && rewrites > 0; ++round) {
    rewrites = 0;
    for (size_t i = 0; i < passes.size(); ++i) {
      ASSIGN_OR_RETURN(int done, run_pass(*passes[i], *model.graph, context, reports[i]));
      rewrites += done;
      RETURN_IF_ERROR(work.done(1));
    }
    if (rewrites > 0) RETURN_IF_ERROR_WHILE(infer_types(*model.graph, infer), "optimising");
  }
  // What the last round swept from a body may have been the last reader of a node around it.
  for (int depth = 0; depth < kNestingMax && rewrites > 0; ++depth) {
    ASSIGN_OR_RETURN(rewrites, run_pass(*passes.back(), *model.graph, context, reports.back()));
  }
  model.opsets = model.graph->opsets();
  return reports;
}

}  // namespace ortc

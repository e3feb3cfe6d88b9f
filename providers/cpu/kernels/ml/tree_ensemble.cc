// SPDX-License-Identifier: MIT
// TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor (ai.onnx.ml).
//
//   score[n, t] = base[t] + aggregate over trees (weights that the leaf of row n has for target t)
//
// Rows are treated in blocks. In a block a tree is walked by kLanes rows in step, so that their
// loads overlap; what is left of a block is walked row by row, kLanes trees in step. Either way a
// row adds up its trees in order, in double. A target without votes has 0 where the least or the
// largest is asked for.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/ml/tree_source.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kTreeTypes =
    mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16);  // of TreeEnsemble
constexpr int64_t kBlock = 64;                                   // rows
constexpr size_t kLanes = 8;

// --- Prepare.

// None, or one for each target.
Result<std::vector<double>> base_values(const Node& node, int64_t targets) {
  ASSIGN_OR_RETURN(auto base, double_list(node, "base_values"));
  if (base.empty() || static_cast<int64_t>(base.size()) == targets) return base;
  return invalid_graph("attribute 'base_values' has ", base.size(), " numbers, expected ", targets);
}

Result<TreeAggregate> aggregate_of(const Node& node) {
  ASSIGN_OR_RETURN(const uint32_t aggregate,
                   one_of(node, "aggregate_function", "SUM", {"AVERAGE", "SUM", "MIN", "MAX"}));
  return static_cast<TreeAggregate>(aggregate);
}

Status prepare_regressor(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const TreeSource source, numbered_trees(ctx, "target"));
  TreeOutput output;
  output.targets = ctx.node().int_attribute("n_targets", 1);
  ASSIGN_OR_RETURN(output.transform, post_transform_of(ctx.node()));
  ASSIGN_OR_RETURN(output.aggregate, aggregate_of(ctx.node()));
  ASSIGN_OR_RETURN(output.base, base_values(ctx.node(), output.targets));
  return write_trees(ctx, source, output);
}

// Of leaves that all vote for one class of two: the votes become those of one target.
Status fold_binary(const Node& node, TreeSource& source, TreeOutput& output) {
  bool are_positive = true;
  for (auto& votes : source.votes) {
    for (TreeVote& vote : votes) {
      vote.target = 0;
      are_positive = are_positive && vote.weight >= 0;
    }
  }
  const bool is_probability = output.transform == PostTransform::kProbit ||
                              (output.transform == PostTransform::kNone && are_positive);
  output.targets = 1;
  output.class_scores = is_probability ? ClassScores::kProbability : ClassScores::kMargin;
  ASSIGN_OR_RETURN(output.base, double_list(node, "base_values"));
  if (output.base.size() == 2) output.base.erase(output.base.begin());
  if (output.base.size() <= 1) return Status::ok();
  return invalid_graph("attribute 'base_values' has ", output.base.size(),
                       " numbers, expected 1 or 2");
}

Status prepare_classifier(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ASSIGN_OR_RETURN(TreeSource source, numbered_trees(ctx, "class"));
  TreeOutput output;
  ASSIGN_OR_RETURN(output.labels, class_labels(node, "classlabels_strings", "classlabels_int64s"));
  output.targets = output.labels.element_count();
  if (output.targets == 1) return not_implemented("a classifier of one class");
  ASSIGN_OR_RETURN(output.transform, post_transform_of(node));
  const auto ids = node.ints_attribute("class_ids", {});
  const bool is_one_class = !ids.empty() && std::equal(ids.begin() + 1, ids.end(), ids.begin());
  if (output.targets == 2 && is_one_class && (ids[0] == 0 || ids[0] == 1)) {
    RETURN_IF_ERROR(fold_binary(node, source, output));
  } else {
    ASSIGN_OR_RETURN(output.base, base_values(node, output.targets));
  }
  return write_trees(ctx, source, output);
}

Status prepare_ensemble(PrepareContext& ctx) {
  const Node& node = ctx.node();
  const int64_t transform = node.int_attribute("post_transform", 0);
  const int64_t aggregate = node.int_attribute("aggregate_function", 1);
  if (transform < 0 || transform > 4) {
    return invalid_graph("attribute 'post_transform' is ", transform, ", expected 0 to 4");
  }
  if (aggregate < 0 || aggregate > 3) {
    return invalid_graph("attribute 'aggregate_function' is ", aggregate, ", expected 0 to 3");
  }
  ASSIGN_OR_RETURN(const TreeSource source, positioned_trees(ctx));
  TreeOutput output;
  output.targets = node.int_attribute("n_targets", 1);
  output.transform = static_cast<PostTransform>(transform);
  output.aggregate = static_cast<TreeAggregate>(aggregate);
  return write_trees(ctx, source, output);
}

// --- Bind.

// Rows as T where they are of another type, and scores.
struct TreeScratch {
  uint64_t rows = 0, scores = 0;
};

bool is_direct(const TreeView& trees, DType x) {
  return trees.has(kTreeDoubles) ? x == DType::kFloat64 : x == DType::kFloat32;
}

TreeScratch plan_scratch(ScratchPlan& plan, const TreeView& trees, const ValueRef& x,
                         int64_t rows) {
  TreeScratch at;
  const int64_t copied = is_direct(trees, x.dtype) ? 0 : x.element_count();
  at.rows = trees.has(kTreeDoubles) ? plan.add<double>(copied) : plan.add<float>(copied);
  at.scores = plan.add<double>(checked_mul(rows, trees.params.targets).value_or(-1));
  return at;
}

struct BoundTrees {
  TreeView trees;
  FeatureRows x;
};

Result<BoundTrees> bind_trees(BindContext& ctx, TypeMask types, size_t outputs) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1, outputs));
  RETURN_IF_ERROR(check_type(ctx, 0, types));
  ASSIGN_OR_RETURN(const TreeView trees, read_trees(ctx.params_bytes()));
  ASSIGN_OR_RETURN(const FeatureRows x, feature_rows(ctx.input(0)));
  if (x.features < trees.params.features) {
    return invalid_argument("input 0 has ", x.features, " features, expected ",
                            trees.params.features, " or more");
  }
  if (trees.params.targets > INT32_MAX) {
    return not_implemented("trees for ", trees.params.targets, " targets");
  }
  const DType dtype = ctx.input(0).dtype;
  if (!trees.has(kTreeDoubles) && dtype != DType::kFloat32 && dtype != DType::kFloat16) {
    return damaged_params("the trees are of floats, the input is ", dtype_name(dtype));
  }
  ScratchPlan plan;
  plan_scratch(plan, trees, ctx.input(0), x.rows);
  RETURN_IF_ERROR(plan.declare(ctx));
  return BoundTrees{trees, x};
}

Status bind_regressor(BindContext& ctx) {
  if (ctx.params<TreeParams>() == nullptr) return ctx.bad_params();
  ASSIGN_OR_RETURN(const BoundTrees bound, bind_trees(ctx, kFeatureTypes, 1));
  if (bound.trees.labels.count() != 0) return damaged_params("a regressor has labels");
  return ctx.set_output(0, DType::kFloat32, {bound.x.rows, bound.trees.params.targets});
}

Status bind_ensemble(BindContext& ctx) {
  if (ctx.params<TreeParams>() == nullptr) return ctx.bad_params();
  ASSIGN_OR_RETURN(const BoundTrees bound, bind_trees(ctx, kTreeTypes, 1));
  if (bound.trees.labels.count() != 0) return damaged_params("a regressor has labels");
  return ctx.set_output(0, ctx.input(0).dtype, {bound.x.rows, bound.trees.params.targets});
}

Status bind_classifier(BindContext& ctx) {
  if (ctx.params<TreeParams>() == nullptr) return ctx.bad_params();
  ASSIGN_OR_RETURN(const BoundTrees bound, bind_trees(ctx, kFeatureTypes, 0));
  const Column& labels = bound.trees.labels;
  if (labels.count() == 0) return damaged_params("a classifier has no labels");
  if (ctx.has_output(0)) RETURN_IF_ERROR(ctx.set_output(0, labels.dtype(), {bound.x.rows}));
  return ctx.has_output(1) ? ctx.set_output(1, DType::kFloat32,
                                            {bound.x.rows, static_cast<int64_t>(labels.count())})
                           : Status::ok();
}

// --- Run: walking.

template <typename T>
bool holds_otherwise(const TreeView& trees, uint32_t at, T x, T value) {
  switch (static_cast<TreeMode>(trees.modes[at])) {
    case TreeMode::kEq:
      return x == value;
    case TreeMode::kMember: {
      if (x != x) return false;  // which a search would take for any number
      const uint32_t set = trees.extra[at];
      const double* members = trees.members.data();
      return std::binary_search(members + trees.first_members[set],
                                members + trees.first_members[set + 1], static_cast<double>(x));
    }
    default:
      return x <= value;
  }
}

// What the nodes of all trees do: only compare; also send NaN up; or compare otherwise, too.
enum class Walk { kPlain, kNanGoesUp, kOtherwise };

template <typename T, Walk kWalk>
uint32_t next_node(const TreeView& trees, const TreeNode<T>* nodes, uint32_t at, const T* x) {
  const TreeNode<T>& node = nodes[at];
  if constexpr (kWalk == Walk::kPlain) {
    return node.child + (x[node.feature] <= node.value ? 1 : 0);
  }
  const T value = x[node.feature & ~kNanGoesUp];
  const bool is_nan_up = ((node.feature & kNanGoesUp) != 0) & (value != value);  // no branches
  if constexpr (kWalk == Walk::kNanGoesUp) {
    return node.child + (is_nan_up | (value <= node.value) ? 1 : 0);
  }
  return node.child + (is_nan_up || holds_otherwise(trees, at, value, node.value) ? 1 : 0);
}

// From `at` to leaves, all in step.
template <typename T, Walk kWalk>
void walk(const TreeView& trees, const T* const* x, uint32_t* at) {
  const auto* nodes = static_cast<const TreeNode<T>*>(trees.nodes);
  uint32_t moved = 1;
  while (moved != 0) {
    moved = 0;
    for (size_t i = 0; i < kLanes; ++i) {
      const uint32_t next = next_node<T, kWalk>(trees, nodes, at[i], x[i]);
      moved |= next ^ at[i];
      at[i] = next;
    }
  }
}

// --- Run: votes.

constexpr double kNoVote = std::numeric_limits<double>::quiet_NaN();

void cast_vote(TreeAggregate aggregate, double weight, double& score) {
  switch (aggregate) {
    case TreeAggregate::kMin:
      score = score <= weight ? score : weight;
      return;
    case TreeAggregate::kMax:
      score = score >= weight ? score : weight;
      return;
    default:
      score += weight;
  }
}

void cast_votes(const TreeView& trees, uint32_t leaf, double* scores) {
  const auto aggregate = static_cast<TreeAggregate>(trees.params.aggregate);
  const uint32_t which = trees.extra[leaf];
  if (trees.has(kTreeOneVoteEach)) {
    return cast_vote(aggregate, trees.weights[which], scores[trees.targets[which]]);
  }
  for (uint32_t i = trees.first_votes[which]; i < trees.first_votes[which + 1]; ++i) {
    cast_vote(aggregate, trees.weights[i], scores[trees.targets[i]]);
  }
}

// Adds up the trees for `rows` rows of x.
template <typename T>
void score_rows(const TreeView& trees, const T* x, int64_t features, int64_t rows, double* scores) {
  const auto width = trees.params.targets;
  const int64_t in_step = rows / static_cast<int64_t>(kLanes) * static_cast<int64_t>(kLanes);
  const auto walk_all = !trees.modes.empty()        ? walk<T, Walk::kOtherwise>
                        : trees.has(kTreeNanGoesUp) ? walk<T, Walk::kNanGoesUp>
                                                    : walk<T, Walk::kPlain>;
  const T* lanes[kLanes];
  uint32_t at[kLanes];
  for (const uint32_t root : trees.roots) {
    for (int64_t row = 0; row < in_step; row += kLanes) {
      for (size_t i = 0; i < kLanes; ++i) {
        lanes[i] = x + (row + static_cast<int64_t>(i)) * features;
        at[i] = root;
      }
      walk_all(trees, lanes, at);
      for (size_t i = 0; i < kLanes; ++i) {
        cast_votes(trees, at[i], scores + (row + static_cast<int64_t>(i)) * width);
      }
    }
  }
  for (int64_t row = in_step; row < rows; ++row) {
    for (size_t tree = 0; tree < trees.roots.size(); tree += kLanes) {
      const size_t count = std::min(kLanes, trees.roots.size() - tree);
      for (size_t i = 0; i < kLanes; ++i) {
        lanes[i] = x + row * features;
        at[i] = trees.roots[tree + std::min(i, count - 1)];
      }
      walk_all(trees, lanes, at);
      for (size_t i = 0; i < count; ++i) cast_votes(trees, at[i], scores + row * width);
    }
  }
}

// Whether finish_row() changes anything.
bool has_finish(const TreeView& trees) {
  return static_cast<TreeAggregate>(trees.params.aggregate) != TreeAggregate::kSum ||
         !trees.base.empty();
}

// What votes make of the targets' numbers.
void finish_row(const TreeView& trees, double* scores) {
  const auto aggregate = static_cast<TreeAggregate>(trees.params.aggregate);
  const auto tree_count = static_cast<double>(trees.roots.size());
  for (size_t t = 0; t < static_cast<size_t>(trees.params.targets); ++t) {
    if (std::isnan(scores[t]) &&
        (aggregate == TreeAggregate::kMin || aggregate == TreeAggregate::kMax)) {
      scores[t] = 0;
    }
    if (aggregate == TreeAggregate::kAverage) scores[t] /= tree_count;
    if (!trees.base.empty()) scores[t] += trees.base[t];
  }
}

template <typename T>
const T* rows_as(const ValueRef& x, int64_t at, int64_t n, T* copies) {
  if (x.dtype == kDTypeOf<T>) return x.as<T>() + at;
  const auto* from = x.as<std::byte>() + at * static_cast<int64_t>(element_bytes(x.dtype));
  convert_row(x.dtype, kDTypeOf<T>)(from, copies + at, n);
  return copies + at;
}

template <typename T>
void score_block(const TreeView& trees, const ValueRef& x, const FeatureRows& shape, int64_t begin,
                 int64_t end, T* copies, double* scores) {
  const T* rows = rows_as<T>(x, begin * shape.features, (end - begin) * shape.features, copies);
  score_rows(trees, rows, shape.features, end - begin, scores);
}

// f(row, rows, their scores) for all rows.
template <typename F>
Status for_scored_rows(RunContext& ctx, const TreeView& trees, F&& f) {
  const ValueRef& x = ctx.input(0);
  const FeatureRows shape = *feature_rows(x);
  ScratchPlan plan;
  const TreeScratch scratch = plan_scratch(plan, trees, x, shape.rows);
  const int64_t width = trees.params.targets;
  const bool is_extreme = trees.params.aggregate >= static_cast<uint32_t>(TreeAggregate::kMin);
  ctx.parallel_for(shape.rows, kBlock, [&](int64_t begin, int64_t end) {
    double* scores = scratch_at<double>(ctx, scratch.scores) + begin * width;
    std::fill_n(scores, (end - begin) * width, is_extreme ? kNoVote : 0.0);
    if (trees.has(kTreeDoubles)) {
      score_block(trees, x, shape, begin, end, scratch_at<double>(ctx, scratch.rows), scores);
    } else {
      score_block(trees, x, shape, begin, end, scratch_at<float>(ctx, scratch.rows), scores);
    }
    for (int64_t row = 0; has_finish(trees) && row < end - begin; ++row) {
      finish_row(trees, scores + row * width);
    }
    f(begin, end - begin, scores);
  });
  return Status::ok();
}

// --- Run.

void store_scores(const ValueRef& y, int64_t at, int64_t n, const double* scores) {
  auto* to = y.as_mutable<std::byte>() + at * static_cast<int64_t>(element_bytes(y.dtype));
  convert_row(DType::kFloat64, y.dtype)(scores, to, n);
}

Status run_regressor(RunContext& ctx) {
  ASSIGN_OR_RETURN(const TreeView trees, view_trees(ctx.params_bytes()));
  const int64_t width = trees.params.targets;
  const auto transform = static_cast<PostTransform>(trees.params.transform);
  return for_scored_rows(ctx, trees, [&](int64_t first, int64_t rows, double* scores) {
    for (int64_t row = 0; transform != PostTransform::kNone && row < rows; ++row) {
      transform_scores(transform, scores + row * width, static_cast<size_t>(width));
    }
    store_scores(ctx.output(0), first * width, rows * width, scores);
  });
}

// The winning class; `scores` of two classes may come of one.
size_t choose_class(const TreeView& trees, const double* votes, double* scores) {
  const auto kind = static_cast<ClassScores>(trees.params.class_scores);
  if (kind == ClassScores::kEveryClass) {
    return static_cast<size_t>(std::max_element(scores, scores + trees.params.targets) - scores);
  }
  const double score = votes[0];
  const bool is_probability = kind == ClassScores::kProbability;
  scores[0] = is_probability ? 1 - score : -score;
  scores[1] = score;
  return score > (is_probability ? 0.5 : 0.0) ? 1 : 0;
}

Status run_classifier(RunContext& ctx) {
  ASSIGN_OR_RETURN(const TreeView trees, view_trees(ctx.params_bytes()));
  const size_t classes = trees.labels.count();
  const auto classify = [&](int64_t row, double* votes) {
    double pair[2];
    double* scores = static_cast<int64_t>(classes) == trees.params.targets ? votes : pair;
    const size_t best = choose_class(trees, votes, scores);
    if (ctx.has_output(0)) trees.labels.copy_to(best, ctx.output(0).data, row);
    if (ctx.has_output(1)) {
      write_scores(static_cast<PostTransform>(trees.params.transform), scores, classes,
                   ctx.output(1).as_mutable<float>() + row * static_cast<int64_t>(classes));
    }
  };
  return for_scored_rows(ctx, trees, [&](int64_t first, int64_t rows, double* votes) {
    for (int64_t i = 0; i < rows; ++i) classify(first + i, votes + i * trees.params.targets);
  });
}

}  // namespace

KernelTable tree_ensemble_kernels() {
  static constexpr KernelRow rows[] = {
      {"TreeEnsemble", kMlDomain, 5, kLatestOpset, kTreeTypes, "tree_ensemble", 1, kNoFlags, 0,
       prepare_ensemble, bind_ensemble, run_regressor},
      {"TreeEnsembleRegressor", kMlDomain, 1, kLatestOpset, kFeatureTypes,
       "tree_ensemble_regressor", 1, kNoFlags, 0, prepare_regressor, bind_regressor, run_regressor},
      {"TreeEnsembleClassifier", kMlDomain, 1, kLatestOpset, kFeatureTypes,
       "tree_ensemble_classifier", 1, kNoFlags, 0, prepare_classifier, bind_classifier,
       run_classifier},
  };
  return rows;
}

}  // namespace ortc::cpu

// SPDX-License-Identifier: MIT
// An ensemble of decision trees as a params record: nodes in one array, each tree before the next,
// children behind their parent.
//
// The two children of a node stand side by side, and every comparison has become "x <= value":
//
//   next = child + (x[feature] <= value)        NaN goes to `child`, with kNanGoesUp to child + 1
//
// A leaf is its own child and compares with NaN, so that a walk that goes on stays there: rows can
// be walked in step until none of them moves. `extra` says which votes a leaf casts; of a node that
// compares otherwise (TreeMode) it says with which set.
#pragma once

#include "providers/cpu/kernels/ml/scores.h"

namespace ortc::cpu {

// --- Trees as models have them.

enum class TreeMode : uint8_t { kLeq = 0, kLt, kGte, kGt, kEq, kNeq, kMember, kLeaf };

// A node of a model; children are indices of other nodes.
struct SourceNode {
  TreeMode mode = TreeMode::kLeaf;
  bool nan_is_true = false;
  int64_t feature = 0;
  double value = 0;
  int64_t if_true = 0, if_false = 0;
  int64_t set = 0;  // of kMember
};

struct TreeVote {
  int64_t target = 0;
  double weight = 0;
};

struct TreeSource {
  std::vector<SourceNode> nodes;
  std::vector<std::vector<TreeVote>> votes;  // of each node; read of leaves
  std::vector<std::vector<double>> sets;
  std::vector<int64_t> roots;
  bool needs_doubles = false;  // a value is not a float, or features are not
};

// --- Records.

enum class TreeAggregate : uint32_t { kAverage = 0, kSum = 1, kMin = 2, kMax = 3 };

enum TreeFlags : uint32_t {
  kTreeDoubles = 1,      // values are doubles
  kTreeOtherModes = 2,   // some nodes are not kLeq
  kTreeNanGoesUp = 4,    // some nodes have kNanGoesUp
  kTreeOneVoteEach = 8,  // vote i is the only one of leaf i
};

// How the scores of a classifier come of the votes. Where leaves vote for one of two classes only,
// there is one target: its score s makes both.
enum class ClassScores : uint32_t {
  kEveryClass = 0,
  kProbability = 1,  // 1 - s and s; the second class where s > 0.5
  kMargin = 2,       // -s and s; the second class where s > 0
};

inline constexpr uint32_t kNanGoesUp = uint32_t{1} << 31;

// Behind it stand columns: nodes, roots (uint32), extra (uint32, of each node), modes (uint8, of
// each node; none without kTreeOtherModes), first votes (uint32, of each leaf, and the end),
// targets of votes (uint32), weights (float64), first members (uint32, of each set, and the end),
// members (float64), base values (float64), labels.
struct TreeParams {
  uint32_t record_bytes;
  uint32_t flags;
  uint32_t transform;
  uint32_t aggregate;
  int64_t targets;
  int64_t features;  // at least so many
  uint32_t class_scores;
  uint32_t reserved;
};
static_assert(sizeof(TreeParams) == 40);

template <typename T>
struct TreeNode {
  T value;
  uint32_t feature;  // and kNanGoesUp
  uint32_t child;
};
static_assert(sizeof(TreeNode<float>) == 12 && sizeof(TreeNode<double>) == 16);

// A checked record.
struct TreeView {
  TreeParams params{};
  const void* nodes = nullptr;  // TreeNode<float>, with kTreeDoubles TreeNode<double>
  size_t node_count = 0;
  std::span<const uint32_t> roots, extra, first_votes, targets, first_members;
  std::span<const uint8_t> modes;
  std::span<const double> weights, members, base;
  Column labels;

  bool has(uint32_t flag) const { return (params.flags & flag) != 0; }
};

struct TreeOutput {
  PostTransform transform = PostTransform::kNone;
  TreeAggregate aggregate = TreeAggregate::kSum;
  int64_t targets = 1;
  std::vector<double> base;
  Tensor labels;  // of a classifier
  ClassScores class_scores = ClassScores::kEveryClass;
};

// INVALID_GRAPH when children do not make trees, or votes are for targets that are not there.
Status write_trees(PrepareContext& ctx, const TreeSource& source, const TreeOutput& output);
// INVALID_GRAPH unless a walk over any row of `params.features` features ends inside.
Result<TreeView> read_trees(Bytes record);
// The same of a record that read_trees() has checked.
Result<TreeView> view_trees(Bytes record);

}  // namespace ortc::cpu

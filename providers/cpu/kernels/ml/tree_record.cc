// SPDX-License-Identifier: MIT
// Trees into records and back: see the header.
#include "providers/cpu/kernels/ml/tree_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ortc::cpu {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A comparison as the record has it: `x <= value` or one of the other two modes; `swapped` when the
// true branch is taken where it does not hold.
struct Comparison {
  TreeMode mode = TreeMode::kLeq;
  double value = 0;
  bool swapped = false;
};

double before(double value, bool is_double) {
  return is_double ? std::nextafter(value, -kInfinity)
                   : double{std::nextafter(static_cast<float>(value),
                                           -std::numeric_limits<float>::infinity())};
}

// x < v is x <= the number before v; nothing is less than -infinity. Against NaN nothing holds but
// "not equal".
Comparison comparison_of(const SourceNode& node, bool is_double) {
  const bool is_nan = std::isnan(node.value);
  switch (node.mode) {
    case TreeMode::kLt:
    case TreeMode::kGte: {
      const bool is_least = node.value == -kInfinity;
      const bool is_swapped = node.mode == TreeMode::kGte && !is_nan;
      return {TreeMode::kLeq, is_nan || is_least ? kNan : before(node.value, is_double),
              is_swapped};
    }
    case TreeMode::kGt:
      return {TreeMode::kLeq, node.value, !is_nan};
    case TreeMode::kEq:
      return {TreeMode::kEq, node.value, false};
    case TreeMode::kNeq:
      return {TreeMode::kEq, node.value, true};
    case TreeMode::kMember:
      return {TreeMode::kMember, kNan, false};
    default:
      return {TreeMode::kLeq, node.value, false};
  }
}

struct Placed {
  double value = kNan;
  uint32_t feature = 0, child = 0, extra = 0;
  TreeMode mode = TreeMode::kLeq;
};

// Lays the trees out, breadth first.
class TreeLayout {
 public:
  explicit TreeLayout(const TreeSource& source)
      : source_(source), seen_(source.nodes.size(), false) {}

  Status place_all() {
    for (const int64_t root : source_.roots) {
      roots_.push_back(static_cast<uint32_t>(placed_.size()));
      queue_.clear();
      RETURN_IF_ERROR(reserve(root));
      for (size_t i = 0; i < queue_.size(); ++i) RETURN_IF_ERROR(place(queue_[i]));
    }
    first_votes_.push_back(static_cast<uint32_t>(votes_.size()));
    return Status::ok();
  }

  const std::vector<Placed>& placed() const { return placed_; }
  const std::vector<uint32_t>& roots() const { return roots_; }
  const std::vector<uint32_t>& first_votes() const { return first_votes_; }
  const std::vector<TreeVote>& votes() const { return votes_; }

 private:
  struct Pending {
    int64_t node;
    size_t place;
  };

  // A node has one parent: what comes twice would be a cycle, or would grow without bound.
  Status reserve(int64_t node) {
    if (node < 0 || static_cast<size_t>(node) >= source_.nodes.size()) {
      return invalid_graph("a tree refers to node ", node, " of ", source_.nodes.size());
    }
    if (seen_[static_cast<size_t>(node)]) {
      return invalid_graph("node ", node, " of a tree has two parents");
    }
    if (placed_.size() >= INT32_MAX) return not_implemented("trees of so many nodes");
    seen_[static_cast<size_t>(node)] = true;
    queue_.push_back({node, placed_.size()});
    placed_.emplace_back();
    return Status::ok();
  }

  Status place(Pending pending) {
    const SourceNode& node = source_.nodes[static_cast<size_t>(pending.node)];
    if (node.mode == TreeMode::kLeaf) return place_leaf(pending);
    if (node.feature < 0 || node.feature > INT32_MAX) {
      return invalid_graph("a tree reads feature ", node.feature);
    }
    const Comparison comparison = comparison_of(node, source_.needs_doubles);
    const bool nan_goes_up = node.nan_is_true != comparison.swapped;
    Placed placed;
    placed.value = comparison.value;
    placed.mode = comparison.mode;
    placed.feature = static_cast<uint32_t>(node.feature) | (nan_goes_up ? kNanGoesUp : 0);
    placed.child = static_cast<uint32_t>(placed_.size());
    placed.extra = static_cast<uint32_t>(node.set);
    placed_[pending.place] = placed;
    RETURN_IF_ERROR(reserve(comparison.swapped ? node.if_true : node.if_false));
    return reserve(comparison.swapped ? node.if_false : node.if_true);
  }

  Status place_leaf(Pending pending) {
    Placed& placed = placed_[pending.place];
    placed.child = static_cast<uint32_t>(pending.place);
    placed.extra = static_cast<uint32_t>(first_votes_.size());
    first_votes_.push_back(static_cast<uint32_t>(votes_.size()));
    const auto& votes = source_.votes[static_cast<size_t>(pending.node)];
    votes_.insert(votes_.end(), votes.begin(), votes.end());
    return Status::ok();
  }

  const TreeSource& source_;
  std::vector<bool> seen_;
  std::vector<Placed> placed_;
  std::vector<uint32_t> roots_, first_votes_;
  std::vector<TreeVote> votes_;
  std::vector<Pending> queue_;
};

template <typename T>
Tensor column_from(const std::vector<T>& values) {
  return Tensor::from<T>({static_cast<int64_t>(values.size())}, values);
}

template <typename T>
Tensor node_column(const std::vector<Placed>& placed) {
  std::vector<TreeNode<T>> nodes;
  nodes.reserve(placed.size());
  for (const Placed& node : placed) {
    nodes.push_back({static_cast<T>(node.value), node.feature, node.child});
  }
  std::vector<uint8_t> bytes(nodes.size() * sizeof(TreeNode<T>));
  if (!bytes.empty()) std::memcpy(bytes.data(), nodes.data(), bytes.size());
  return column_from(bytes);
}

template <typename T, typename F>
Tensor column_by(const std::vector<Placed>& placed, F&& f) {
  std::vector<T> values;
  values.reserve(placed.size());
  for (const Placed& node : placed) values.push_back(f(node));
  return column_from(values);
}

Tensor set_columns_of(const std::vector<std::vector<double>>& sets, Tensor* first_members) {
  std::vector<double> members;
  std::vector<uint32_t> firsts;
  for (std::vector<double> set : sets) {
    std::sort(set.begin(), set.end());
    firsts.push_back(static_cast<uint32_t>(members.size()));
    members.insert(members.end(), set.begin(), set.end());
  }
  firsts.push_back(static_cast<uint32_t>(members.size()));
  *first_members = column_from(firsts);
  return column_of(members);
}

uint32_t flags_of(const TreeSource& source, const TreeLayout& layout) {
  uint32_t flags = source.needs_doubles ? uint32_t{kTreeDoubles} : 0;
  for (const Placed& node : layout.placed()) {
    if (node.mode != TreeMode::kLeq) flags |= kTreeOtherModes;
    if ((node.feature & kNanGoesUp) != 0) flags |= kTreeNanGoesUp;
  }
  bool is_one_each = true;
  for (size_t i = 0; i < layout.first_votes().size(); ++i) {
    is_one_each = is_one_each && layout.first_votes()[i] == i;
  }
  return flags | (is_one_each ? uint32_t{kTreeOneVoteEach} : 0);
}

// The features that trees read, counted.
int64_t feature_count(const TreeLayout& layout) {
  int64_t count = 0;
  for (const Placed& node : layout.placed()) {
    count = std::max(count, int64_t{node.feature & ~kNanGoesUp} + 1);
  }
  return count;
}

Status damaged() { return invalid_graph("the trees in its params record are damaged"); }

template <typename T>
Status check_nodes(const TreeView& view) {
  const auto* nodes = static_cast<const TreeNode<T>*>(view.nodes);
  for (size_t i = 0; i < view.node_count; ++i) {
    const bool is_leaf = nodes[i].child == i;
    const auto mode = view.modes.empty() ? TreeMode::kLeq : static_cast<TreeMode>(view.modes[i]);
    const size_t others = is_leaf ? view.first_votes.size() : view.first_members.size();
    const bool goes_up = (nodes[i].feature & kNanGoesUp) != 0;
    bool fits = int64_t{nodes[i].feature & ~kNanGoesUp} < view.params.features &&
                (!goes_up || view.has(kTreeNanGoesUp));
    if (is_leaf) {
      // It stays where it is whatever x is.
      fits = fits && mode == TreeMode::kLeq && std::isnan(nodes[i].value) && !goes_up;
    } else {
      fits = fits && nodes[i].child > i && nodes[i].child < view.node_count - 1 &&
             (mode == TreeMode::kLeq || mode == TreeMode::kEq || mode == TreeMode::kMember);
    }
    if (is_leaf || mode == TreeMode::kMember) fits = fits && size_t{view.extra[i]} + 1 < others;
    if (!fits) return damaged();
  }
  return Status::ok();
}

// Beginnings that ascend, the last one being the end of `count` things.
bool are_cuts(std::span<const uint32_t> firsts, size_t count) {
  return !firsts.empty() && std::is_sorted(firsts.begin(), firsts.end()) && firsts.back() == count;
}

Status check_view(const TreeView& view) {
  const TreeParams& params = view.params;
  const auto is_root = [&](uint32_t root) { return root < view.node_count; };
  const auto is_target = [&](uint32_t target) { return int64_t{target} < params.targets; };
  const bool fits =
      params.targets > 0 && params.features > 0 && is_post_transform(params.transform) &&
      params.aggregate <= 3 && params.class_scores <= 2 && view.node_count <= INT32_MAX &&
      !view.roots.empty() && std::all_of(view.roots.begin(), view.roots.end(), is_root) &&
      view.extra.size() == view.node_count &&
      view.modes.size() == (view.has(kTreeOtherModes) ? view.node_count : 0) &&
      are_cuts(view.first_votes, view.targets.size()) &&
      view.weights.size() == view.targets.size() &&
      std::all_of(view.targets.begin(), view.targets.end(), is_target) &&
      are_cuts(view.first_members, view.members.size());
  if (!fits) return damaged();
  if (view.has(kTreeOneVoteEach) && view.first_votes.size() != view.targets.size() + 1) {
    return damaged();
  }
  const bool has_base = view.base.empty() || int64_t(view.base.size()) == params.targets;
  const auto labels = static_cast<int64_t>(view.labels.count());
  const bool is_every = static_cast<ClassScores>(params.class_scores) == ClassScores::kEveryClass;
  const bool has_labels =
      is_every ? labels == 0 || labels == params.targets : labels == 2 && params.targets == 1;
  if (!has_base || !has_labels) return damaged();
  return view.has(kTreeDoubles) ? check_nodes<double>(view) : check_nodes<float>(view);
}

template <typename T>
Status take_numbers(Bytes& rest, std::span<const T>* numbers) {
  ASSIGN_OR_RETURN(const Column column, take_column(rest, kDTypeOf<T>));
  *numbers = numbers_of<T>(column);
  return Status::ok();
}

}  // namespace

Status write_trees(PrepareContext& ctx, const TreeSource& source, const TreeOutput& output) {
  if (source.roots.empty()) return invalid_graph("it has no trees");
  TreeLayout layout(source);
  RETURN_IF_ERROR(layout.place_all());
  std::vector<uint32_t> targets;
  std::vector<double> weights;
  for (const TreeVote& vote : layout.votes()) {
    if (vote.target < 0 || vote.target >= output.targets) {
      return invalid_graph("a leaf is for target ", vote.target, " of ", output.targets);
    }
    targets.push_back(static_cast<uint32_t>(vote.target));
    weights.push_back(vote.weight);
  }
  TreeParams params{};
  params.record_bytes = sizeof params;
  params.flags = flags_of(source, layout);
  params.transform = static_cast<uint32_t>(output.transform);
  params.aggregate = static_cast<uint32_t>(output.aggregate);
  params.targets = output.targets;
  params.features = feature_count(layout);
  params.class_scores = static_cast<uint32_t>(output.class_scores);
  const auto& placed = layout.placed();
  const Tensor nodes =
      source.needs_doubles ? node_column<double>(placed) : node_column<float>(placed);
  const Tensor roots = column_from(layout.roots());
  const Tensor extra = column_by<uint32_t>(placed, [](const Placed& node) { return node.extra; });
  const Tensor modes = (params.flags & kTreeOtherModes) == 0
                           ? column_from(std::vector<uint8_t>())
                           : column_by<uint8_t>(placed, [](const Placed& node) {
                               return static_cast<uint8_t>(node.mode);
                             });
  const Tensor first_votes = column_from(layout.first_votes());
  const Tensor vote_targets = column_from(targets), vote_weights = column_of(weights);
  Tensor first_members;
  const Tensor members = set_columns_of(source.sets, &first_members);
  const Tensor base = column_of(output.base);
  const Tensor labels =
      output.labels.is_defined() ? output.labels : column_of(std::span<const int64_t>());
  return set_columns(ctx, params,
                     {&nodes, &roots, &extra, &modes, &first_votes, &vote_targets, &vote_weights,
                      &first_members, &members, &base, &labels});
}

Result<TreeView> view_trees(Bytes record) {
  TreeView view;
  view.params = *reinterpret_cast<const TreeParams*>(record.data());
  Bytes rest = record.subspan(sizeof(TreeParams));
  const size_t node_bytes =
      view.has(kTreeDoubles) ? sizeof(TreeNode<double>) : sizeof(TreeNode<float>);
  ASSIGN_OR_RETURN(const Column nodes, take_column(rest, DType::kUint8));
  view.nodes = nodes.element(0);
  view.node_count = nodes.count() / node_bytes;
  RETURN_IF_ERROR(take_numbers(rest, &view.roots));
  RETURN_IF_ERROR(take_numbers(rest, &view.extra));
  RETURN_IF_ERROR(take_numbers(rest, &view.modes));
  RETURN_IF_ERROR(take_numbers(rest, &view.first_votes));
  RETURN_IF_ERROR(take_numbers(rest, &view.targets));
  RETURN_IF_ERROR(take_numbers(rest, &view.weights));
  RETURN_IF_ERROR(take_numbers(rest, &view.first_members));
  RETURN_IF_ERROR(take_numbers(rest, &view.members));
  RETURN_IF_ERROR(take_numbers(rest, &view.base));
  ASSIGN_OR_RETURN(view.labels, take_labels(rest));
  return view;
}

Result<TreeView> read_trees(Bytes record) {
  ASSIGN_OR_RETURN(const TreeView view, view_trees(record));
  RETURN_IF_ERROR(check_view(view));
  return view;
}

}  // namespace ortc::cpu

// SPDX-License-Identifier: MIT
// Reading of trees: see the header.
#include "providers/cpu/kernels/ml/tree_source.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "providers/cpu/elements/convert.h"
#include "providers/cpu/kernels/ml/tree_chains.h"

namespace ortc::cpu {
namespace {

Status wrong_length(const std::string& name, size_t found, size_t expected) {
  return invalid_graph("attribute '", name, "' has ", found, " elements, expected ", expected);
}

Result<std::vector<int64_t>> int_list(const Node& node, const std::string& name, size_t count) {
  auto values = node.ints_attribute(name, {});
  if (values.size() != count) return wrong_length(name, values.size(), count);
  return values;
}

// One of these may be missing, and is 0 then.
Result<std::vector<int64_t>> optional_ints(const Node& node, const std::string& name,
                                           size_t count) {
  auto values = node.ints_attribute(name, {});
  if (values.empty()) values.assign(count, 0);
  if (values.size() != count) return wrong_length(name, values.size(), count);
  return values;
}

bool needs_doubles(const PrepareContext& ctx, const TreeSource& source) {
  const DType x = ctx.input_type(0).dtype;
  if (x != DType::kFloat32 && x != DType::kFloat16) return true;
  return std::any_of(source.nodes.begin(), source.nodes.end(), [](const SourceNode& node) {
    return !std::isnan(node.value) && double{static_cast<float>(node.value)} != node.value;
  });
}

Result<TreeMode> mode_of(std::string_view name) {
  constexpr std::string_view kNames[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                         "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
  if (name == "LEAF") return TreeMode::kLeaf;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i]) return static_cast<TreeMode>(i);
  }
  return invalid_graph("attribute 'nodes_modes' has '", name,
                       "', expected BRANCH_LEQ, _LT, _GTE, _GT, _EQ, _NEQ or LEAF");
}

// Nodes by the numbers of their tree and their own.
class NodeNumbers {
 public:
  Status add(int64_t tree, int64_t node, int64_t index) {
    if (trees_[tree].try_emplace(node, index).second) return Status::ok();
    return invalid_graph("tree ", tree, " has two nodes ", node);
  }
  Result<int64_t> find(int64_t tree, int64_t node) const {
    const auto nodes = trees_.find(tree);
    if (nodes != trees_.end()) {
      if (const auto found = nodes->second.find(node); found != nodes->second.end()) {
        return found->second;
      }
    }
    return invalid_graph("there is no node ", node, " in tree ", tree);
  }

 private:
  std::unordered_map<int64_t, std::unordered_map<int64_t, int64_t>> trees_;
};

// Everything of the nodes but their children.
Status read_numbered_nodes(const Node& node, size_t count, TreeSource& source) {
  ASSIGN_OR_RETURN(const auto features, int_list(node, "nodes_featureids", count));
  ASSIGN_OR_RETURN(const auto tracks,
                   optional_ints(node, "nodes_missing_value_tracks_true", count));
  ASSIGN_OR_RETURN(const auto values, double_list(node, "nodes_values"));
  if (values.size() != count) return wrong_length("nodes_values", values.size(), count);
  const Attribute* modes = node.attribute("nodes_modes");
  const size_t mode_count = modes != nullptr ? modes->strings.size() : 0;
  if (mode_count != count) return wrong_length("nodes_modes", mode_count, count);
  source.nodes.resize(count);
  source.votes.resize(count);
  for (size_t i = 0; i < count; ++i) {
    SourceNode& to = source.nodes[i];
    ASSIGN_OR_RETURN(to.mode, mode_of(modes->strings[i].text()));
    to.nan_is_true = tracks[i] != 0;
    to.feature = features[i];
    to.value = values[i];
  }
  return Status::ok();
}

Status link_numbered_nodes(const Node& node, const std::vector<int64_t>& trees,
                           const NodeNumbers& numbers, TreeSource& source) {
  ASSIGN_OR_RETURN(const auto if_true, int_list(node, "nodes_truenodeids", trees.size()));
  ASSIGN_OR_RETURN(const auto if_false, int_list(node, "nodes_falsenodeids", trees.size()));
  for (size_t i = 0; i < trees.size(); ++i) {
    SourceNode& to = source.nodes[i];
    if (to.mode == TreeMode::kLeaf) continue;
    ASSIGN_OR_RETURN(to.if_true, numbers.find(trees[i], if_true[i]));
    ASSIGN_OR_RETURN(to.if_false, numbers.find(trees[i], if_false[i]));
  }
  return Status::ok();
}

Status read_votes(const Node& node, const std::string& votes, const NodeNumbers& numbers,
                  TreeSource& source) {
  const auto trees = node.ints_attribute(votes + "_treeids", {});
  ASSIGN_OR_RETURN(const auto nodes, int_list(node, votes + "_nodeids", trees.size()));
  ASSIGN_OR_RETURN(const auto targets, int_list(node, votes + "_ids", trees.size()));
  ASSIGN_OR_RETURN(const auto weights, double_list(node, votes + "_weights"));
  if (weights.size() != trees.size()) {
    return wrong_length(votes + "_weights", weights.size(), trees.size());
  }
  for (size_t i = 0; i < trees.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t index, numbers.find(trees[i], nodes[i]));
    source.votes[static_cast<size_t>(index)].push_back({targets[i], weights[i]});
  }
  return Status::ok();
}

}  // namespace

Result<std::vector<double>> doubles_in(const Tensor& tensor, std::string_view name) {
  const DType dtype = tensor.dtype();
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64 && dtype != DType::kFloat16) {
    return invalid_graph("attribute '", name, "' is ", dtype_name(dtype),
                         ", expected floats or doubles");
  }
  std::vector<double> values(static_cast<size_t>(tensor.element_count()));
  convert_row(dtype, DType::kFloat64)(tensor.data(), values.data(), tensor.element_count());
  return values;
}

Result<std::vector<double>> double_list(const Node& node, const std::string& name) {
  const std::string tensor_name = name + "_as_tensor";
  const Attribute* tensor = node.attribute(tensor_name);
  const auto floats = float_list(node, name);
  if (tensor == nullptr || !tensor->tensor) {
    return std::vector<double>(floats.begin(), floats.end());
  }
  if (!floats.empty()) {
    return invalid_graph("expected one of the attributes '", name, "' and '", tensor_name,
                         "', found both");
  }
  return doubles_in(tensor->tensor->tensor, tensor_name);
}

Result<TreeSource> numbered_trees(const PrepareContext& ctx, const std::string& votes) {
  const Node& node = ctx.node();
  TreeSource source;
  const auto trees = node.ints_attribute("nodes_treeids", {});
  ASSIGN_OR_RETURN(const auto ids, int_list(node, "nodes_nodeids", trees.size()));
  RETURN_IF_ERROR(read_numbered_nodes(node, trees.size(), source));
  NodeNumbers numbers;
  std::unordered_map<int64_t, bool> seen;
  for (size_t i = 0; i < trees.size(); ++i) {
    RETURN_IF_ERROR(numbers.add(trees[i], ids[i], static_cast<int64_t>(i)));
    if (seen.try_emplace(trees[i], true).second) source.roots.push_back(static_cast<int64_t>(i));
  }
  RETURN_IF_ERROR(link_numbered_nodes(node, trees, numbers, source));
  RETURN_IF_ERROR(read_votes(node, votes, numbers, source));
  source.needs_doubles = needs_doubles(ctx, source);
  join_equal_chains(source);
  return source;
}

namespace {

// --- TreeEnsemble.

Result<std::vector<double>> tensor_list(const Node& node, const std::string& name) {
  const Attribute* attribute = node.attribute(name);
  if (attribute == nullptr || !attribute->tensor) {
    return invalid_graph("attribute '", name, "' is not a tensor");
  }
  return doubles_in(attribute->tensor->tensor, name);
}

// Sets of members in the order of the nodes that have them, each ended by a NaN.
Result<std::vector<std::vector<double>>> member_sets(const Node& node) {
  std::vector<std::vector<double>> sets;
  if (node.attribute("membership_values") == nullptr) return sets;
  ASSIGN_OR_RETURN(const auto values, tensor_list(node, "membership_values"));
  std::vector<double> set;
  for (const double value : values) {
    if (std::isnan(value)) {
      sets.push_back(std::move(set));
      set.clear();
    } else {
      set.push_back(value);
    }
  }
  if (!set.empty()) sets.push_back(std::move(set));
  return sets;
}

Status read_positioned_nodes(const Node& node, size_t count, TreeSource& source) {
  const Attribute* modes = node.attribute("nodes_modes");
  if (modes == nullptr || !modes->tensor || modes->tensor->tensor.dtype() != DType::kUint8) {
    return invalid_graph("attribute 'nodes_modes' is not a tensor of uint8");
  }
  const auto numbers = modes->tensor->tensor.elements<uint8_t>();
  ASSIGN_OR_RETURN(const auto features, int_list(node, "nodes_featureids", count));
  ASSIGN_OR_RETURN(const auto splits, tensor_list(node, "nodes_splits"));
  ASSIGN_OR_RETURN(const auto tracks,
                   optional_ints(node, "nodes_missing_value_tracks_true", count));
  if (numbers.size() != count) return wrong_length("nodes_modes", numbers.size(), count);
  if (splits.size() != count) return wrong_length("nodes_splits", splits.size(), count);
  source.nodes.resize(count);
  int64_t set = 0;
  for (size_t i = 0; i < count; ++i) {
    if (numbers[i] > static_cast<uint8_t>(TreeMode::kMember)) {
      return invalid_graph("attribute 'nodes_modes' has ", int{numbers[i]}, ", expected 0 to 6");
    }
    SourceNode& to = source.nodes[i];
    to.mode = static_cast<TreeMode>(numbers[i]);
    to.nan_is_true = tracks[i] != 0;
    to.feature = features[i];
    to.value = to.mode == TreeMode::kMember ? 0.0 : splits[i];
    to.set = to.mode == TreeMode::kMember ? set++ : 0;
  }
  ASSIGN_OR_RETURN(source.sets, member_sets(node));
  if (static_cast<int64_t>(source.sets.size()) == set) return Status::ok();
  return invalid_graph("attribute 'membership_values' has ", source.sets.size(), " sets, expected ",
                       set);
}

// Leaves become nodes behind the inner ones, one for each time that they are referred to.
struct LeafTable {
  std::vector<int64_t> targets;
  std::vector<double> weights;

  Result<int64_t> add(int64_t leaf, TreeSource& source) const {
    if (leaf < 0 || static_cast<size_t>(leaf) >= targets.size()) {
      return invalid_graph("a tree refers to leaf ", leaf, " of ", targets.size());
    }
    source.nodes.emplace_back();
    const auto at = static_cast<size_t>(leaf);
    source.votes.push_back({{targets[at], weights[at]}});
    return static_cast<int64_t>(source.nodes.size()) - 1;
  }
};

}  // namespace

Result<TreeSource> positioned_trees(const PrepareContext& ctx) {
  const Node& node = ctx.node();
  TreeSource source;
  const auto if_true = node.ints_attribute("nodes_truenodeids", {});
  const size_t count = if_true.size();
  ASSIGN_OR_RETURN(const auto if_false, int_list(node, "nodes_falsenodeids", count));
  ASSIGN_OR_RETURN(const auto true_leafs, int_list(node, "nodes_trueleafs", count));
  ASSIGN_OR_RETURN(const auto false_leafs, int_list(node, "nodes_falseleafs", count));
  RETURN_IF_ERROR(read_positioned_nodes(node, count, source));
  LeafTable leaves;
  leaves.targets = node.ints_attribute("leaf_targetids", {});
  ASSIGN_OR_RETURN(leaves.weights, tensor_list(node, "leaf_weights"));
  if (leaves.weights.size() != leaves.targets.size()) {
    return wrong_length("leaf_weights", leaves.weights.size(), leaves.targets.size());
  }
  source.votes.resize(count);
  const auto child = [&](int64_t to, int64_t is_leaf) -> Result<int64_t> {
    if (is_leaf != 0) return leaves.add(to, source);
    if (to >= 0 && static_cast<size_t>(to) < count) return to;
    return invalid_graph("a tree refers to node ", to, " of ", count);
  };
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const int64_t yes, child(if_true[i], true_leafs[i]));
    ASSIGN_OR_RETURN(const int64_t no, child(if_false[i], false_leafs[i]));
    source.nodes[i].if_true = yes;
    source.nodes[i].if_false = no;
  }
  source.roots = node.ints_attribute("tree_roots", {});
  source.needs_doubles = needs_doubles(ctx, source);
  join_equal_chains(source);
  return source;
}

}  // namespace ortc::cpu

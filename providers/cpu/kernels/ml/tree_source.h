// SPDX-License-Identifier: MIT
// Trees from the attributes of the operators that have them.
#pragma once

#include "providers/cpu/kernels/ml/tree_record.h"

namespace ortc::cpu {

// TreeEnsembleClassifier and TreeEnsembleRegressor: nodes are known by the numbers of their tree
// and their own, `votes` is "class" or "target". The first node of a tree is its root.
Result<TreeSource> numbered_trees(const PrepareContext& ctx, const std::string& votes);
// TreeEnsemble: nodes are known by their position.
Result<TreeSource> positioned_trees(const PrepareContext& ctx);

// The numbers of attribute `name`, or of `name`_as_tensor; none when both are missing.
Result<std::vector<double>> double_list(const Node& node, const std::string& name);
// The elements of a tensor of floats, doubles or halves.
Result<std::vector<double>> doubles_in(const Tensor& tensor, std::string_view name);

}  // namespace ortc::cpu

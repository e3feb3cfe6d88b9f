// SPDX-License-Identifier: MIT
//   y = Constant() {sparse_value}, y sparse   ->   y = ortc.SparseConstant(values, places, dims)
//
// Places count elements of the dense tensor, whichever form of indices the file has.
#include "core/rewrite/changes.h"
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/spelling.h"

namespace ortc::cpu {
namespace {

// The places of the values, in the order of the file.
Result<Tensor> flat_places(const SparseConstant& sparse) {
  const auto indices = sparse.indices.tensor.elements<int64_t>();
  const auto count = static_cast<size_t>(sparse.values.tensor.element_count());
  const int64_t total = checked_element_count(sparse.dims).value_or(0);
  const bool is_flat = sparse.indices.tensor.dims().size() == 1;
  std::vector<int64_t> places(count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t d = 0; !is_flat && d < sparse.dims.size(); ++d) {
      const int64_t index = indices[i * sparse.dims.size() + d];
      if (index < 0 || index >= sparse.dims[d]) {
        return invalid_graph("sparse_value: index ", index, " of ", sparse.dims[d]);
      }
      places[i] = places[i] * sparse.dims[d] + index;
    }
    if (is_flat) places[i] = indices[i];
    if (places[i] < 0 || places[i] >= total) {
      return invalid_graph("sparse_value: index ", places[i], " of ", total);
    }
  }
  return Tensor::from<int64_t>({static_cast<int64_t>(count)}, places);
}

// Whichever attribute has it: files exist that call it 'value'.
std::shared_ptr<const SparseConstant> sparse_value(const Node& node) {
  for (const Attribute& attribute : node.attributes()) {
    if (attribute.kind == AttributeKind::kSparseTensor) return attribute.sparse;
  }
  return nullptr;
}

}  // namespace

bool is_sparse_constant(const Node& node) {
  return node.is_op("Constant") && sparse_value(node) != nullptr && node.output(0) != kNoValue &&
         node.graph()->value(node.output(0))->type.kind == TypeKind::kSparseTensor;
}

Result<int> sparse_constants(Graph& graph, const KernelRegistry&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    if (!is_sparse_constant(node)) return false;
    const std::shared_ptr<const SparseConstant> sparse = sparse_value(node);
    ASSIGN_OR_RETURN(Tensor places, flat_places(*sparse));
    const auto rank = static_cast<int64_t>(sparse->dims.size());
    Spelling s(graph, node.id());
    s.give("SparseConstant",
           {s.constant(sparse->values.tensor), s.constant(std::move(places)),
            s.constant(Tensor::from<int64_t>({rank}, sparse->dims))},
           {}, std::string(kInternalDomain));
    return s.done();
  });
}

}  // namespace ortc::cpu

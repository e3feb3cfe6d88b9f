// SPDX-License-Identifier: MIT
// The hash that partitions are named by: the same from one compilation to the next, another one
// for another graph and, when contexts are written, for other weights.
#include <algorithm>

#include "core/partition/partitioner.h"

namespace ortc {
namespace {

// One graph; values are numbered as they appear: names matter only where they are written.
class GraphHasher {
 public:
  struct Shared {
    Hasher& hasher;
    Work& work;
    bool for_contexts;
    Status stopped;
  };
  GraphHasher(Shared& shared, const Graph& graph, GraphHasher* outer)
      : shared_(shared),
        hasher_(shared.hasher),
        graph_(graph),
        outer_(outer),
        numbers_(graph.value_bound(), UINT64_MAX) {}

  void add() {
    add_values(graph_.inputs());
    const auto order = graph_.topological_order();
    if (order.is_ok()) {
      hasher_.add_number(order->size());
      for (NodeId id : *order) add_node(*graph_.node(id));
    }
    add_values(graph_.outputs());
  }

 private:
  void add_node(const Node& node) {
    hasher_.add(node.op_type()).add(node.domain()).add(node.overload());
    if (shared_.for_contexts) hasher_.add(node.name());
    hasher_.add_number(static_cast<uint64_t>(node.opset()));
    add_values(node.inputs());
    add_values(node.outputs());
    std::vector<const Attribute*> attributes;
    for (const Attribute& attribute : node.attributes()) attributes.push_back(&attribute);
    std::sort(attributes.begin(), attributes.end(),
              [](const Attribute* a, const Attribute* b) { return a->name < b->name; });
    hasher_.add_number(attributes.size());
    for (const Attribute* attribute : attributes) add_attribute(*attribute);
  }

  void add_values(const std::vector<ValueId>& ids) {
    hasher_.add_number(ids.size());
    for (ValueId id : ids) add_value(id);
  }

  void add_value(ValueId id) {
    if (id == kNoValue) {
      hasher_.add_number(UINT64_MAX);
      return;
    }
    const bool is_new = numbers_[id] == UINT64_MAX;
    if (is_new) numbers_[id] = next_number_++;
    hasher_.add_number(numbers_[id]);
    if (!is_new) return;
    const Value& value = *graph_.value(id);
    if (shared_.for_contexts) hasher_.add(value.name);
    add_type(value.type);
    hasher_.add_number(value.is_captured() ? 1 : 0);
    if (value.is_captured() && outer_ != nullptr) outer_->add_value(value.outer_value);
    hasher_.add_number(value.initializer != nullptr ? 1 : 0);
    if (value.initializer != nullptr) add_tensor(value.initializer->tensor);
  }

  void add_type(const Type& type) {
    hasher_.add_number(static_cast<uint64_t>(type.kind));
    hasher_.add_number(static_cast<uint64_t>(type.dtype));
    if (!type.is_tensor()) hasher_.add(type_to_string(type));
    if (!type.has_shape()) return;
    hasher_.add_number(type.shape->size());
    for (const Dim& dim : *type.shape) {
      hasher_.add_number(static_cast<uint64_t>(dim.value)).add(dim.symbol);
    }
  }

  void add_tensor(const Tensor& tensor) {
    hasher_.add_number(static_cast<uint64_t>(tensor.dtype()));
    add_numbers(tensor.dims());
    if (!shared_.for_contexts) return;
    if (tensor.dtype() == DType::kString) {
      for (const std::string& element : tensor.string_elements()) hasher_.add(element);
    } else {
      hasher_.add_number(tensor.byte_size());
      if (shared_.stopped.is_ok()) {
        shared_.stopped = append(hasher_, tensor.bytes(), shared_.work);
      }
    }
  }

  void add_sparse(const SparseConstant& sparse) {
    add_numbers(sparse.dims);
    add_tensor(sparse.values.tensor);
    add_tensor(sparse.indices.tensor);
  }

  void add_numbers(const std::vector<int64_t>& numbers) {
    hasher_.add_number(numbers.size());
    for (int64_t number : numbers) hasher_.add_number(static_cast<uint64_t>(number));
  }

  void add_graph(const Graph& graph) { GraphHasher(shared_, graph, this).add(); }

  void add_attribute(const Attribute& attribute) {
    hasher_.add(attribute.name).add_number(static_cast<uint64_t>(attribute.kind));
    hasher_.add(std::as_bytes(std::span(&attribute.f, 1)));
    hasher_.add_number(static_cast<uint64_t>(attribute.i)).add(attribute.s.bytes());
    hasher_.add(std::as_bytes(std::span(attribute.floats)));
    add_numbers(attribute.ints);
    hasher_.add_number(attribute.strings.size());
    for (const Blob& s : attribute.strings) hasher_.add(s.bytes());
    if (attribute.tensor) add_tensor(attribute.tensor->tensor);
    for (const auto& tensor : attribute.tensors) add_tensor(tensor->tensor);
    if (attribute.sparse) add_sparse(*attribute.sparse);
    for (const auto& sparse : attribute.sparses) add_sparse(*sparse);
    if (attribute.type) add_type(*attribute.type);
    for (const auto& type : attribute.types) add_type(*type);
    if (attribute.graph) add_graph(*attribute.graph);
    for (const auto& graph : attribute.graphs) add_graph(*graph);
  }

  Shared& shared_;
  Hasher& hasher_;
  const Graph& graph_;
  GraphHasher* outer_;
  std::vector<uint64_t> numbers_;
  uint64_t next_number_ = 0;
};

}  // namespace

Result<Hash128> partition_hash(const Graph& graph, bool for_contexts, Work work) {
  Hasher hasher;
  GraphHasher::Shared shared{hasher, work, for_contexts, Status::ok()};
  GraphHasher(shared, graph, nullptr).add();
  RETURN_IF_ERROR(shared.stopped);
  return hasher.finish();
}

}  // namespace ortc

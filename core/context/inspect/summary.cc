// SPDX-License-Identifier: MIT
// Summaries: see the header.
#include "core/context/inspect/summary.h"

#include <algorithm>
#include <set>

#include "core/base/checked_math.h"
#include "core/context/inspect/operation_count.h"
#include "core/graph/graph_view.h"
#include "core/ops/infer.h"

namespace ortc {
namespace {

// Sizes for what inputs leave open, in a copy that is only looked at.
std::set<std::string> assume_sizes(Graph& graph, InferOptions& options) {
  std::set<std::string> assumed;
  for (ValueId id : graph.inputs()) {
    Value& value = *graph.value(id);
    if (!value.type.has_shape()) continue;
    for (Dim& dim : *value.type.shape) {
      if (dim.is_known()) continue;
      assumed.insert(dim.symbol.empty() ? str_cat("? of ", value.name) : dim.symbol);
      if (!dim.symbol.empty()) options.dim_values.emplace_back(dim.symbol, 1);
      dim.value = 1;
    }
  }
  return assumed;
}

constexpr size_t kLargestMax = 10;

struct Cost {
  uint64_t parameters = 0, parameter_bytes = 0, output_bytes = 0;
  std::optional<uint64_t> operations;
};

class Summary {
 public:
  Summary(JsonWriter& json, ContextSource& contexts) : json_(json), contexts_(contexts) {}

  void write(const Graph& graph) {
    json_.key("nodes").begin_array();
    add_graph(graph, "");
    json_.end_array();
    for (ValueId id : graph.initializers()) count_once(*graph.value(id), nullptr);
    json_.field("parameters", total_.parameters).field("parameter_bytes", total_.parameter_bytes);
    json_.field("output_bytes", total_.output_bytes).field("operations", *total_.operations);
    json_.field("nodes_without_operations", unknown_);
    write_largest();
  }

 private:
  void add_graph(const Graph& graph, const std::string& place) {
    const auto order = graph.topological_order();
    if (!order.is_ok()) return;
    for (NodeId id : *order) {
      const Node& node = *graph.node(id);
      const std::string name = place + node.name();
      write_row(node, place, name);
      for (const Graph* body : node.subgraphs()) add_graph(*body, name + "/");
    }
  }

  void write_row(const Node& node, const std::string& place, const std::string& name) {
    Cost cost;
    for (ValueId id : node.inputs()) {
      if (id != kNoValue)
        count_once(defining_value(*node.graph(), *node.graph()->value(id)), &cost);
    }
    for (ValueId id : node.outputs()) {
      if (id != kNoValue) cost.output_bytes += bytes_of(node.graph()->value(id)->type);
    }
    for (const Attribute& attribute : node.attributes()) {
      if (!attribute.tensor) continue;
      add_tensor(attribute.tensor->tensor, cost);
      add_largest(str_cat(attribute.name, " of ", name), attribute.tensor->tensor);
    }
    if (node.is_op("EPContext", kMicrosoftDomain)) {
      add_context(node, cost);
    } else {
      cost.operations = operation_count(node);
    }
    total_.output_bytes += cost.output_bytes;
    *total_.operations += cost.operations.value_or(0);
    if (!cost.operations) ++unknown_;
    json_.begin_object().field("node", name).field("in_body", !place.empty());
    json_.field(
        "op", node.domain().empty() ? node.op_type() : str_cat(node.domain(), ".", node.op_type()));
    json_.field("parameters", cost.parameters).field("parameter_bytes", cost.parameter_bytes);
    json_.field("output_bytes", cost.output_bytes).key("operations");
    if (cost.operations) {
      json_.value(*cost.operations);
    } else {
      json_.null();
    }
    json_.key("values").begin_array();
    for (ValueId id : node.outputs()) {
      if (id != kNoValue) json_.value(node.graph()->value(id)->name);
    }
    json_.end_array().end_object();
  }

  // For the node each time, for the total the first time.
  void count_once(const Value& value, Cost* cost) {
    if (!value.initializer) return;
    const Tensor& tensor = value.initializer->tensor;
    if (cost != nullptr) {
      cost->parameters += static_cast<uint64_t>(tensor.element_count());
      cost->parameter_bytes += tensor.byte_size();
    }
    if (!counted_.insert(value.initializer.get()).second) return;
    add_largest(value.name, tensor);
    total_.parameters += static_cast<uint64_t>(tensor.element_count());
    total_.parameter_bytes += tensor.byte_size();
  }

  void add_tensor(const Tensor& tensor, Cost& cost) {
    for (Cost* place : {&cost, &total_}) {
      place->parameters += static_cast<uint64_t>(tensor.element_count());
      place->parameter_bytes += tensor.byte_size();
    }
  }

  // Only as many are kept as are shown.
  void add_largest(std::string name, const Tensor& tensor) {
    const auto is_smaller = [](const Largest& a, const Largest& b) { return a.bytes > b.bytes; };
    Largest entry{std::move(name),
                  str_cat(dtype_name(tensor.dtype()), dims_to_string(tensor.dims())),
                  tensor.byte_size()};
    largest_.insert(std::upper_bound(largest_.begin(), largest_.end(), entry, is_smaller), entry);
    if (largest_.size() > kLargestMax) largest_.pop_back();
  }

  void write_largest() {
    json_.key("largest_tensors").begin_array();
    for (const Largest& entry : largest_) {
      json_.begin_object().field("name", entry.name).field("type", entry.type);
      json_.field("bytes", entry.bytes).end_object();
    }
    json_.end_array();
  }

  // Tensors of a container have bytes and no types; graphs of it may share them.
  void add_context(const Node& node, Cost& cost) {
    if (node.attribute(kGenerationAttribute) == nullptr) return;
    const auto view = contexts_.open(node);
    if (!view.is_ok()) return;
    const auto graph = (*view)->graph(node.string_attribute("partition_name", node.name()));
    if (!graph.is_ok()) return;
    for (const Blob& tensor : graph->tensors) {
      cost.parameter_bytes += tensor.size();
      if (counted_.insert(tensor.data()).second) total_.parameter_bytes += tensor.size();
    }
  }

  static uint64_t bytes_of(const Type& type) {
    const auto dims = type.dims();
    const auto count = dims ? checked_element_count(*dims) : std::nullopt;
    if (!count) return 0;
    return dtype_bytes(type.dtype, static_cast<uint64_t>(*count)).value_or(0);
  }

  struct Largest {
    std::string name, type;
    uint64_t bytes;
  };

  JsonWriter& json_;
  ContextSource& contexts_;
  std::vector<Largest> largest_;  // the largest first
  Cost total_{0, 0, 0, 0};
  uint64_t unknown_ = 0;
  std::set<const void*> counted_;
};

}  // namespace

void write_summary(JsonWriter& json, const Model& model, ContextSource& contexts) {
  const auto graph = model.graph->clone();
  InferOptions options{.lenient_shapes = true};
  const auto assumed = assume_sizes(*graph, options);
  const Status inferred = infer_types(*graph, options);
  json.key("summary").begin_object();
  json.key("assumed_dimensions").begin_array();
  for (const std::string& name : assumed) json.value(name);
  json.end_array();
  // Sizes are then what the file says.
  if (!inferred.is_ok()) json.field("fault", inferred.message());
  Summary(json, contexts).write(*graph);
  json.end_object();
}

}  // namespace ortc

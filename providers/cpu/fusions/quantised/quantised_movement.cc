// SPDX-License-Identifier: MIT
// What only moves or picks elements works on the integers; with M such an operator and D, Q linear
// dequantisation and quantisation with one scale:
//
//   M(D(x))                        -> D(M(x))
//   Concat(D(x1), D(x2), ...)      -> D(Concat(x1, x2, ...))          all with the same scale
//   Q(Concat(D1(x1), D2(x2), ...)) -> Concat(L1(x1), L2(x2), ...)     Li: ortc.Lookup
//   Q(M(y))                        -> M(Q(y))      M keeps all elements, y is not D(x)
//   Q(D(x))                        -> x, or L(x) where the scales differ
//   Q(f(D(x)))                     -> L(x)                            f: elementwise, of x alone
//
// A table holds what the plainest kernels of D, f and Q give for the 256 numbers there are: the
// same on every machine that compiles.
#include <algorithm>

#include "core/kernel/evaluator.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/quantised/quantised_match.h"

namespace ortc::cpu {
namespace {

constexpr std::string_view kMovements[] = {
    "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose",    "Slice",       "Gather",
    "Expand",  "Tile",    "MaxPool", "Identity",  "DepthToSpace", "SpaceToDepth"};
// Those that keep all elements.
constexpr std::string_view kArrangements[] = {
    "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "DepthToSpace", "SpaceToDepth"};
constexpr std::string_view kQuantisedUnary[] = {
    "Relu", "LeakyRelu", "Sigmoid",  "Tanh",     "HardSwish", "HardSigmoid", "Elu",       "Selu",
    "Celu", "Exp",       "Softplus", "Softsign", "Log",       "Sqrt",        "Abs",       "Neg",
    "Erf",  "Gelu",      "Mish",     "Floor",    "Ceil",      "Clip",        "Reciprocal"};
constexpr std::string_view kQuantisedBinary[] = {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min"};

class Movement {
 public:
  Movement(Graph& graph, const KernelRegistry& kernels)
      : graph_(graph), kernels_(kernels), evaluator_(kernels, Isa::kGeneric) {}

  Result<int> run() {
    return for_nodes(graph_, [&](Node& node) { return rewrite(node.id()); });
  }

 private:
  Result<bool> rewrite(NodeId id) {
    const Node& node = *graph_.node(id);
    if (is_one_of(node, kMovements)) return sink(id);
    if (node.is_op("Concat")) return join(id);
    if (!is_quantize(node)) return false;
    ASSIGN_OR_RETURN(const bool done, look_up(id));
    return done ? Result<bool>(true) : hoist(id);
  }

  // --- Hoisting: a quantisation goes before what only arranges elements, up to who computes them.

  Result<bool> hoist(NodeId id) {
    const auto to = quant_params(graph_, *graph_.node(id));
    bool any = false;
    while (to) {
      const Node& quantize = *graph_.node(id);
      const Node* mover = graph_.producer(quantize.input(0));
      if (mover == nullptr || graph_.only_consumer(quantize.input(0)) == nullptr ||
          !is_one_of(*mover, kArrangements) || mover->outputs().size() != 1 ||
          graph_.producer(mover->input(0)) == nullptr ||
          kernels_.find(*mover, to->dtype) == nullptr) {
        break;
      }
      const NodeId mover_id = mover->id();
      const ValueId source = mover->input(0), between = quantize.input(0);
      const ValueId output = quantize.output(0);
      ASSIGN_OR_RETURN(const ValueId twin, integer_twin(source, to->dtype));
      graph_.set_output(id, 0, twin);
      graph_.set_input(id, 0, source);
      graph_.set_output(mover_id, 0, output);
      graph_.set_input(mover_id, 0, twin);
      graph_.remove_value(between);
      any = true;
    }
    return any;
  }

  // --- Sinking.

  // A new value like `id`, of the integers' type.
  Result<ValueId> integer_twin(ValueId id, DType dtype) {
    const Value& value = *graph_.value(id);
    return graph_.add_value(graph_.unique_name(value.name + "/quantised"),
                            Type::tensor(dtype, value.type.shape));
  }

  // The node gives integers from now on; what it gave is dequantised from them as by `model`.
  Result<bool> dequantise_behind(NodeId id, DType dtype, NodeId model) {
    const ValueId output = graph_.node(id)->output(0);
    ASSIGN_OR_RETURN(const ValueId twin, integer_twin(output, dtype));
    graph_.set_output(id, 0, twin);
    const Node& dequantize = *graph_.node(model);
    std::vector<ValueId> inputs = dequantize.inputs();
    inputs[0] = twin;
    auto added = graph_.add_node(dequantize.op_type(), dequantize.domain(),
                                 str_cat(graph_.value(twin)->name, "/dequantize"), inputs, {output},
                                 dequantize.attributes());
    if (!added.is_ok()) return added.status();
    (*added)->set_opset(graph_.node(model)->opset());
    return true;
  }

  Result<bool> sink(NodeId id) {
    const Node& node = *graph_.node(id);
    if (node.outputs().size() != 1) return false;
    const auto from = dequantised(graph_, node.input(0));
    if (!from || kernels_.find(node, from->params.dtype) == nullptr) return false;
    graph_.set_input(id, 0, from->x);
    ASSIGN_OR_RETURN(const bool done, dequantise_behind(id, from->params.dtype, from->node));
    RETURN_IF_ERROR(fold(id));
    return done;
  }

  // A moved constant is a constant.
  Status fold(NodeId id) {
    const Node& node = *graph_.node(id);
    std::vector<Tensor> inputs;
    for (ValueId input : node.inputs()) {
      const Tensor* constant = input != kNoValue ? graph_.value(input)->constant() : nullptr;
      if (input != kNoValue && constant == nullptr) return Status::ok();
      inputs.push_back(constant != nullptr ? *constant : Tensor());
    }
    auto results = evaluator_.evaluate(node, inputs);
    if (!results.is_ok()) return Status::ok();  // the run will say what is wrong
    const ValueId output = node.output(0);
    graph_.remove_node(id);
    auto constant = std::make_shared<Constant>();
    constant->name = graph_.value(output)->name;
    constant->tensor = std::move((*results)[0]);
    graph_.value(output)->type = Type::tensor_of(constant->tensor);
    graph_.set_initializer(output, std::move(constant));
    return Status::ok();
  }

  // --- Concat.

  Result<bool> join(NodeId id) {
    const Node& node = *graph_.node(id);
    std::vector<Dequantised> parts;
    for (ValueId input : node.inputs()) {
      const auto part = dequantised(graph_, input);
      if (!part) return false;
      parts.push_back(*part);
    }
    if (parts.empty() || kernels_.find(node, parts[0].params.dtype) == nullptr) return false;
    const bool same = std::all_of(parts.begin(), parts.end(), [&](const Dequantised& part) {
      return part.params == parts[0].params;
    });
    if (same) {
      for (size_t i = 0; i < parts.size(); ++i) {
        graph_.set_input(id, static_cast<uint32_t>(i), parts[i].x);
      }
      return dequantise_behind(id, parts[0].params.dtype, parts[0].node);
    }
    Node* quantize = only_quantizer(graph_, node.output(0));
    if (quantize == nullptr || !kernels_.knows_operator("Lookup", kInternalDomain)) return false;
    return join_by_tables(id, quantize->id(), parts);
  }

  Result<bool> join_by_tables(NodeId id, NodeId quantize, const std::vector<Dequantised>& parts) {
    const DType dtype = quant_params(graph_, *graph_.node(quantize))->dtype;
    std::vector<Tensor> tables;
    for (const Dequantised& part : parts) {
      auto table = table_of({part.node, quantize});
      if (!table) return false;
      tables.push_back(std::move(*table));
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      ASSIGN_OR_RETURN(const ValueId twin, integer_twin(graph_.node(id)->input(i), dtype));
      RETURN_IF_ERROR(add_lookup(parts[i].x, std::move(tables[i]), twin));
      graph_.set_input(id, static_cast<uint32_t>(i), twin);
    }
    const ValueId output = graph_.node(quantize)->output(0);
    graph_.remove_node(quantize);
    graph_.set_output(id, 0, output);
    return true;
  }

  // --- Tables.

  Status add_lookup(ValueId x, Tensor table, ValueId output) {
    const ValueId constant =
        graph_.add_constant(str_cat(graph_.value(output)->name, "/table"), std::move(table));
    auto added =
        graph_.add_node("Lookup", std::string(kInternalDomain),
                        str_cat(graph_.value(output)->name, "/lookup"), {x, constant}, {output});
    return added.is_ok() ? Status::ok() : added.status();
  }

  // What a chain of nodes, each reading the one before at one input, makes of all 8-bit numbers.
  std::optional<Tensor> table_of(const std::vector<NodeId>& chain) {
    const DType dtype = graph_.value(graph_.node(chain[0])->input(0))->type.dtype;
    auto numbers = Tensor::create(dtype, {256});
    if (!numbers.is_ok()) return std::nullopt;
    for (size_t i = 0; i < 256; ++i) {
      static_cast<uint8_t*>(numbers->mutable_data())[i] = static_cast<uint8_t>(i);
    }
    Tensor now = std::move(*numbers);
    for (size_t step = 0; step < chain.size(); ++step) {
      const Node& node = *graph_.node(chain[step]);
      std::vector<Tensor> inputs;
      for (size_t i = 0; i < node.inputs().size(); ++i) {
        const ValueId id = node.input(i);
        const Tensor* constant = id != kNoValue ? graph_.value(id)->constant() : nullptr;
        const bool runs = id != kNoValue && constant == nullptr;
        // DequantizeLinear's own operand may be a constant here: it is what the table is made of.
        const bool is_operand = runs || (step == 0 && i == 0);
        inputs.push_back(is_operand ? now : constant != nullptr ? *constant : Tensor());
      }
      auto results = evaluator_.evaluate(node, inputs);
      if (!results.is_ok() || results->size() != 1 || (*results)[0].element_count() != 256) {
        return std::nullopt;
      }
      now = std::move((*results)[0]);
    }
    return now.reshaped({256});
  }

  // The operand that a table's function has beside constants of one number; kNoValue when the node
  // is not such a function.
  ValueId function_operand(const Node& node) const {
    if (node.outputs().size() != 1) return kNoValue;
    const bool is_unary = is_one_of(node, kQuantisedUnary) ||
                          node.is_op("QuickGelu", "com.microsoft") ||
                          node.is_op("Gelu", "com.microsoft");
    if (!is_unary && !is_one_of(node, kQuantisedBinary)) return kNoValue;
    ValueId operand = kNoValue;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      const ValueId id = node.input(i);
      if (id == kNoValue) continue;
      const Tensor* constant = graph_.value(id)->constant();
      if (constant == nullptr) {
        if (operand != kNoValue || (is_unary && i != 0)) return kNoValue;
        operand = id;
      } else if (constant->element_count() != 1 || constant->dims().size() > 1) {
        return kNoValue;
      }
    }
    const Shape* before = operand != kNoValue ? known_shape(graph_, operand) : nullptr;
    const Shape* after = known_shape(graph_, node.output(0));
    const bool keeps_rank = before != nullptr && after != nullptr &&
                            before->size() == after->size() && is_float32(graph_, operand);
    return keeps_rank ? operand : kNoValue;
  }

  // Q(...f(D(x)))
  Result<bool> look_up(NodeId id) {
    const Node& quantize = *graph_.node(id);
    const auto to = quant_params(graph_, quantize);
    if (!to) return false;
    std::vector<NodeId> chain = {id};
    ValueId operand = quantize.input(0);
    std::optional<Dequantised> from;
    while (!(from = dequantised(graph_, operand))) {
      const Node* node = graph_.producer(operand);
      if (node == nullptr || graph_.only_consumer(operand) == nullptr) return false;
      const ValueId before = function_operand(*node);
      if (before == kNoValue) return false;
      chain.push_back(node->id());
      operand = before;
    }
    if (chain.size() == 1 && from->params == *to) return bypass(id, from->x);
    if (!kernels_.knows_operator("Lookup", kInternalDomain)) return false;
    chain.push_back(from->node);
    std::reverse(chain.begin(), chain.end());
    auto table = table_of(chain);
    if (!table) return false;
    const ValueId output = quantize.output(0);
    graph_.remove_node(id);
    RETURN_IF_ERROR(add_lookup(from->x, std::move(*table), output));
    return true;
  }

  Result<bool> bypass(NodeId id, ValueId x) {
    const ValueId output = graph_.node(id)->output(0);
    graph_.remove_node(id);
    if (graph_.value(output)->is_output) {
      auto added = graph_.add_node("Identity", "", str_cat(graph_.value(output)->name, "/same"),
                                   {x}, {output});
      if (!added.is_ok()) return added.status();
      return true;
    }
    graph_.replace_uses(output, x);
    return true;
  }

  Graph& graph_;
  const KernelRegistry& kernels_;
  Evaluator evaluator_;
};

}  // namespace

Result<int> quantised_movement(Graph& graph, const KernelRegistry& kernels) {
  return Movement(graph, kernels).run();
}

}  // namespace ortc::cpu

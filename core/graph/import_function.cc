// SPDX-License-Identifier: MIT
// Local functions: each call is replaced by the function's body.
//
//   y = F(x, w) 'call'  with  F(a, b) -> c { t = Mul(a, b); c = Relu(t) }
//   becomes  call/t = Mul(x, w) 'call/...';  y = Relu(call/t) 'call/...'
//
// Formal names stand for the caller's values, other names get the call's prefix; attributes that
// refer to the function's are replaced by the call's or by the function's defaults.
// What inlining will cost is counted before anything is inlined: functions that call each other
// twice, thirty deep, are a small file and a billion nodes.
#include <algorithm>

#include "core/base/checked_math.h"
#include "core/graph/importer.h"

namespace ortc {
namespace {

uint64_t saturating_add(uint64_t a, uint64_t b) {
  return checked_add<uint64_t>(a, b).value_or(UINT64_MAX);
}

std::string key_of(std::string_view domain, std::string_view name, std::string_view overload) {
  if (domain == "ai.onnx") domain = "";
  return str_cat(domain, std::string_view("\0", 1), name, std::string_view("\0", 1), overload);
}

}  // namespace

Status Importer::collect_functions() {
  const Onnx__ModelProto& proto = decoded_.message();
  for (size_t i = 0; i < proto.n_functions; ++i) {
    const Onnx__FunctionProto& function = *proto.functions[i];
    const std::string_view name = decoded_.text(function.name);
    Function entry;
    entry.proto = &function;
    entry.cost = onnx__function_proto__get_packed_size(&function);
    for (size_t j = 0; j < function.n_opset_import; ++j) {
      std::string domain = decoded_.string(function.opset_import[j]->domain);
      if (domain == "ai.onnx") domain.clear();
      entry.opsets.emplace(std::move(domain), function.opset_import[j]->version);
    }
    std::string key =
        key_of(decoded_.text(function.domain), name, decoded_.text(function.overload));
    if (!functions_.emplace(std::move(key), std::move(entry)).second) {
      return invalid_graph("function '", name, "' of domain '", decoded_.text(function.domain),
                           "' is defined twice");
    }
  }
  return Status::ok();
}

const Importer::Function* Importer::function_of(const Onnx__NodeProto& node) const {
  if (functions_.empty()) return nullptr;
  auto found = functions_.find(key_of(decoded_.text(node.domain), decoded_.text(node.op_type),
                                      decoded_.text(node.overload)));
  return found == functions_.end() ? nullptr : &found->second;
}

std::string Importer::make_prefix(const Onnx__NodeProto& node, const Call* caller) {
  std::string stem = caller != nullptr ? caller->prefix : "";
  const std::string_view name = decoded_.text(node.name);
  stem += name.empty() ? decoded_.text(node.op_type) : name;
  std::string prefix = stem + "/";
  for (size_t number = prefixes_.size(); !prefixes_.insert(prefix).second; ++number) {
    prefix = str_cat(stem, "_", number, "/");
  }
  return prefix;
}

Status Importer::inline_call(const Function& function, const Onnx__NodeProto& node, Scope& scope) {
  const Onnx__FunctionProto& proto = *function.proto;
  const Level level(nesting_);
  RETURN_IF_ERROR(level.check());
  Call call;
  call.function = &function;
  call.caller = scope.call;
  for (const Call* active = scope.call; active != nullptr; active = active->caller) {
    if (active->function == &function) {
      return invalid_graph("function '", decoded_.text(proto.name), "' calls itself");
    }
  }
  RETURN_IF_ERROR(charge(cost_of_call(function)));
  call.prefix = make_prefix(node, scope.call);
  RETURN_IF_ERROR(charge(2 * call.prefix.size()));
  RETURN_IF_ERROR(bind_attributes(function, node, scope, call));
  Scope body;
  body.graph = scope.graph;
  body.call = &call;
  RETURN_IF_ERROR(bind_values(proto, node, scope, body));
  std::unordered_set<std::string_view> formal_inputs;
  for (size_t i = 0; i < proto.n_input; ++i) formal_inputs.insert(decoded_.text(proto.input[i]));
  for (size_t i = 0; i < proto.n_node; ++i) {
    for (size_t j = 0; j < proto.node[i]->n_output; ++j) {
      const std::string_view name = decoded_.text(proto.node[i]->output[j]);
      if (name.empty()) continue;
      if (formal_inputs.contains(name)) {
        return invalid_graph("function '", decoded_.text(proto.name), "': a node writes input '",
                             name, "'");
      }
      if (!body.names.contains(name)) RETURN_IF_ERROR(define(body, name).status());
    }
  }
  RETURN_IF_ERROR_WHILE(import_nodes(proto.node, proto.n_node, body), "function '",
                        decoded_.text(proto.name), "'");
  for (size_t i = 0; i < proto.n_output && i < node.n_output; ++i) {
    if (decoded_.text(node.output[i]).empty()) continue;
    ASSIGN_OR_RETURN(const ValueId id, resolve(scope, decoded_.text(node.output[i])));
    if (scope.graph->value(id)->producer == kNoNode) {
      return invalid_graph("function '", decoded_.text(proto.name), "': nothing defines output '",
                           decoded_.text(proto.output[i]), "'");
    }
  }
  return Status::ok();
}

Status Importer::bind_attributes(const Function& function, const Onnx__NodeProto& node,
                                 const Scope& scope, Call& call) const {
  const Onnx__FunctionProto& proto = *function.proto;
  for (size_t i = 0; i < node.n_attribute; ++i) {
    ASSIGN_OR_RETURN(const GivenAttribute given, dereference(*node.attribute[i], scope));
    const std::string_view name = decoded_.text(node.attribute[i]->name);
    if (given.proto != nullptr && !call.attributes.emplace(name, given).second) {
      return invalid_graph("attribute '", name, "' is given twice");
    }
  }
  for (size_t i = 0; i < proto.n_attribute_proto; ++i) {
    // A default is a value without names, so any scope will do.
    call.attributes.emplace(decoded_.text(proto.attribute_proto[i]->name),
                            GivenAttribute{proto.attribute_proto[i], &scope});
  }
  return Status::ok();
}

Status Importer::bind_values(const Onnx__FunctionProto& function, const Onnx__NodeProto& node,
                             Scope& scope, Scope& body) {
  const std::string_view function_name = decoded_.text(function.name);
  if (node.n_input > function.n_input || node.n_output > function.n_output) {
    return invalid_graph("function '", function_name, "' has ", function.n_input, " inputs and ",
                         function.n_output, " outputs, the call has ", node.n_input, " and ",
                         node.n_output);
  }
  ASSIGN_OR_RETURN(const auto inputs, resolve_all(node.input, node.n_input, scope));
  for (size_t i = 0; i < function.n_input; ++i) {
    const std::string_view formal = decoded_.text(function.input[i]);
    const ValueId actual = i < inputs.size() ? inputs[i] : kNoValue;
    if (!body.names.emplace(formal, actual).second) {
      return invalid_graph("function '", function_name, "': input '", formal, "' is given twice");
    }
  }
  for (size_t i = 0; i < function.n_output && i < node.n_output; ++i) {
    const std::string_view formal = decoded_.text(function.output[i]);
    const std::string_view actual_name = decoded_.text(node.output[i]);
    if (actual_name.empty()) continue;
    ASSIGN_OR_RETURN(const ValueId actual, resolve(scope, actual_name));
    auto [place, is_new] = body.names.emplace(formal, actual);
    if (is_new) continue;
    // The output is an input, or another output: the caller's second name needs a node.
    if (place->second == kNoValue) {
      return invalid_graph("function '", function_name, "': output '", formal,
                           "' is an input that the call omits");
    }
    RETURN_IF_ERROR(check_opset("", body));
    RETURN_IF_ERROR(scope.graph
                        ->add_node("Identity", "", str_cat(body.call->prefix, "output_", i),
                                   {place->second}, {actual})
                        .status());
  }
  return Status::ok();
}

// Never more than what inline_call() charges for, so that no model is refused that could be read.
// What is nested too deep is left to those who refuse it.
uint64_t Importer::inlined_cost(Onnx__NodeProto* const* nodes, size_t count, int depth) {
  if (depth > kNestingMax) return 0;
  uint64_t cost = 0;
  for (size_t i = 0; i < count; ++i) {
    const Onnx__NodeProto& node = *nodes[i];
    if (const Function* function = function_of(node)) {
      cost = saturating_add(cost, call_cost(*function, depth + 1));
      continue;  // graphs among its attributes are imported where the function has them
    }
    for (size_t j = 0; j < node.n_attribute; ++j) {
      const Onnx__AttributeProto& attribute = *node.attribute[j];
      if (attribute.g != nullptr) {
        const Onnx__GraphProto& body = *attribute.g;
        cost = saturating_add(cost, inlined_cost(body.node, body.n_node, depth + 1));
      }
    }
  }
  return cost;
}

uint64_t Importer::call_cost(const Function& function, int depth) {
  const uint64_t own = cost_of_call(function);
  // While it is counted, too: it may call itself.
  const auto [known, is_new] = call_costs_.emplace(&function, own);
  if (!is_new) return known->second;
  const uint64_t inner = inlined_cost(function.proto->node, function.proto->n_node, depth);
  return call_costs_[&function] = saturating_add(own, inner);
}

Status Importer::check_inlined_cost() {
  if (functions_.empty() || decoded_.message().graph == nullptr) return Status::ok();
  const Onnx__GraphProto& graph = *decoded_.message().graph;
  return check_cost(inlined_cost(graph.node, graph.n_node, 0));
}

}  // namespace ortc

// SPDX-License-Identifier: MIT
// The functions of AttnLSTM's gates: see the header.
#include "providers/cpu/fusions/microsoft/attn_lstm_gates.h"

#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"
#include "providers/cpu/products/gate_function.h"

namespace ortc::cpu {
namespace {

constexpr size_t kFunctions = 3;  // of a direction

struct Lists {
  std::vector<std::string> names;
  std::vector<float> alphas, betas;
};

std::vector<std::string> names_of(const Node& node) {
  std::vector<std::string> names;
  if (const Attribute* given = node.attribute("activations")) {
    for (const Blob& name : given->strings) names.emplace_back(name.text());
    return names;
  }
  const bool has_two = node.string_attribute("direction", "forward") == "bidirectional";
  for (size_t d = 0; d < (has_two ? 2 : 1); ++d) {
    names.insert(names.end(), {"Sigmoid", "Tanh", "Tanh"});
  }
  return names;
}

// Numbers stand in the order of the functions that take some, those of the first direction first.
Result<Lists> own_lists(const Node& node, size_t direction) {
  const std::vector<std::string> names = names_of(node);
  const size_t first = direction * kFunctions;
  if (names.size() < first + kFunctions || names.size() % kFunctions != 0) {
    return invalid_graph("attribute 'activations' has ", names.size(), " names, expected ",
                         kFunctions, " for each direction");
  }
  const Attribute *alpha = node.attribute("activation_alpha"),
                  *beta = node.attribute("activation_beta");
  size_t alpha_at = 0, beta_at = 0;
  Lists own;
  for (size_t i = 0; i < first + kFunctions; ++i) {
    bool takes_alpha = false, takes_beta = false;
    ASSIGN_OR_RETURN(GateFunction function, gate_function(names[i], &takes_alpha, &takes_beta));
    if (takes_alpha && alpha != nullptr && alpha_at < alpha->floats.size()) {
      function.alpha = alpha->floats[alpha_at++];
    }
    if (takes_beta && beta != nullptr && beta_at < beta->floats.size()) {
      function.beta = beta->floats[beta_at++];
    }
    if (i < first) continue;
    own.names.push_back(names[i]);
    if (takes_alpha) own.alphas.push_back(function.alpha);
    if (takes_beta) own.betas.push_back(function.beta);
  }
  return own;
}

Result<std::string> plain_operator(std::string_view name) {
  bool takes_alpha = false, takes_beta = false;
  ASSIGN_OR_RETURN(const GateFunction function, gate_function(name, &takes_alpha, &takes_beta));
  switch (static_cast<GateKind>(function.kind)) {
    case GateKind::kTanh:
      return std::string("Tanh");
    case GateKind::kSigmoid:
      return std::string("Sigmoid");
    case GateKind::kRelu:
      return std::string("Relu");
    default:
      return not_implemented("'clip' beside the last activation '", name, "'");
  }
}

}  // namespace

Result<AttnLstmGates> attn_lstm_gates(const Node& node, size_t direction) {
  AttnLstmGates gates;
  gates.attributes = attributes_named(node, "clip hidden_size input_forget");
  ASSIGN_OR_RETURN(Lists own, own_lists(node, direction));
  if (node.float_attribute("clip", 0.0f) != 0) {
    ASSIGN_OR_RETURN(gates.last, plain_operator(own.names.back()));
    own.names.back() = "Affine";
    own.alphas.push_back(0);
    own.betas.push_back(1);
  }
  Attribute names;
  names.name = "activations";
  names.kind = AttributeKind::kStrings;
  for (std::string& name : own.names) names.strings.push_back(Blob::from_string(std::move(name)));
  gates.attributes.push_back(std::move(names));
  gates.attributes.push_back(Attribute::of_floats("activation_alpha", std::move(own.alphas)));
  gates.attributes.push_back(Attribute::of_floats("activation_beta", std::move(own.betas)));
  return gates;
}

}  // namespace ortc::cpu

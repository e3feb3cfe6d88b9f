// SPDX-License-Identifier: MIT
// The lists of operators of com.microsoft that are spelled out, one for each file, and what the
// files share.
#pragma once

#include <span>
#include <string_view>

#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/spelling.h"

namespace ortc::cpu {

struct Spelled {
  std::string_view op;
  bool (*takes)(const Node& node);
  Result<bool> (*spell)(Graph& graph, NodeId id);
  // Of ONNX, with which the operators in the result are read in models of an older one. Bodies are
  // read with the model's: what has some is not taken then.
  int64_t first_opset = 11;
  bool has_bodies = false;
};

std::span<const Spelled> fused_spellings();      // microsoft_fused.cc
std::span<const Spelled> qlinear_spellings();    // microsoft_qlinear.cc
std::span<const Spelled> plain_spellings();      // microsoft_plain.cc
std::span<const Spelled> layout_spellings();     // microsoft_layouts.cc
std::span<const Spelled> head_spellings();       // microsoft_heads.cc
std::span<const Spelled> expert_spellings();     // microsoft_experts.cc
std::span<const Spelled> quantised_spellings();  // microsoft_quantised.cc
std::span<const Spelled> search_spellings();     // microsoft_search.cc
std::span<const Spelled> ordered_spellings();    // microsoft_ordered.cc
std::span<const Spelled> recurrent_spellings();  // microsoft_recurrent.cc
std::span<const Spelled> attn_lstm_spellings();  // microsoft_attn_lstm.cc

// Whether the node's input has one of these types.
inline bool has_type(const Node& node, size_t i, TypeMask types) {
  return (mask_of(dtype_of(*node.graph(), node.input(i))) & types) != 0;
}
// The node's attributes of these names, separated by spaces.
std::vector<Attribute> attributes_named(const Node& node, std::string_view names);
// A tensor of the type's elements, of which no more is known.
inline Type elements_of(DType dtype) { return Type::tensor(dtype); }

inline ValueId cast_to(Spelling& s, ValueId x, DType dtype) {
  Type type = s.type(x);
  if (type.dtype == dtype) return x;
  type.dtype = dtype;
  return s.add("Cast", {x}, std::move(type),
               {Attribute::of_int("to", static_cast<int64_t>(dtype))});
}
inline ValueId int64_constant(Spelling& s, const std::vector<int64_t>& values) {
  return s.constant(Tensor::from<int64_t>({static_cast<int64_t>(values.size())}, values));
}
// x as a tensor of one element, whatever rank it has.
inline ValueId as_scalar(Spelling& s, ValueId x) {
  return s.add("Reshape", {x, int64_constant(s, {})}, Type::tensor(s.type(x).dtype, Shape{}));
}

}  // namespace ortc::cpu

// SPDX-License-Identifier: MIT
// Node: its label, attributes and sub-graphs.
#include <algorithm>

#include "core/graph/graph.h"

namespace ortc {

std::string Node::label() const {
  return name_.empty() ? op_type_ : str_cat(op_type_, " '", name_, "'");
}

const Attribute* Node::attribute(std::string_view name) const {
  for (const Attribute& attribute : attributes_) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

namespace {

const Attribute* attribute_of_kind(const Node& node, std::string_view name, AttributeKind kind) {
  const Attribute* found = node.attribute(name);
  return found != nullptr && found->kind == kind ? found : nullptr;
}

}  // namespace

int64_t Node::int_attribute(std::string_view name, int64_t otherwise) const {
  const Attribute* found = attribute_of_kind(*this, name, AttributeKind::kInt);
  return found != nullptr ? found->i : otherwise;
}

float Node::float_attribute(std::string_view name, float otherwise) const {
  const Attribute* found = attribute_of_kind(*this, name, AttributeKind::kFloat);
  return found != nullptr ? found->f : otherwise;
}

std::string_view Node::string_attribute(std::string_view name, std::string_view otherwise) const {
  const Attribute* found = attribute_of_kind(*this, name, AttributeKind::kString);
  return found != nullptr ? found->s.text() : otherwise;
}

std::vector<int64_t> Node::ints_attribute(std::string_view name,
                                          std::vector<int64_t> otherwise) const {
  const Attribute* found = attribute_of_kind(*this, name, AttributeKind::kInts);
  return found != nullptr ? found->ints : std::move(otherwise);
}

void Node::set_attribute(Attribute attribute) {
  auto place = std::find_if(attributes_.begin(), attributes_.end(),
                            [&](const Attribute& a) { return a.name == attribute.name; });
  if (place != attributes_.end()) {
    *place = std::move(attribute);
  } else {
    attributes_.push_back(std::move(attribute));
  }
  graph_->adopt_subgraphs(*this);
}

bool Node::remove_attribute(std::string_view name) {
  const auto erased =
      std::erase_if(attributes_, [&](const Attribute& a) { return a.name == name; });
  if (erased != 0) graph_->adopt_subgraphs(*this);
  return erased != 0;
}

std::vector<Graph*> Node::subgraphs() const {
  std::vector<Graph*> graphs;
  for (const Attribute& attribute : attributes_) {
    if (attribute.graph) graphs.push_back(attribute.graph.get());
    for (const auto& graph : attribute.graphs) graphs.push_back(graph.get());
  }
  return graphs;
}

int64_t Node::opset() const { return opset_ != 0 ? opset_ : graph_->opset(domain_); }

}  // namespace ortc

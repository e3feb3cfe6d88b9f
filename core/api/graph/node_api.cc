// SPDX-License-Identifier: MIT
// ort_c/graph.h: nodes of graphs.
#include "core/api/graph/graph_handles.h"
#include "core/api/guard.h"
#include "core/ops/signatures/layout_sensitive.h"
#include "core/ops/signatures/op_attributes.h"
#include "ort_c/graph.h"

using namespace ortc;
using api::guard;

namespace ortc::api {
namespace {

// A text of the node, of a view or of a draft.
OrtStatus* give_text(const OrtNode* node, const std::string& (Node::*seen)() const,
                     std::string NodeDraft::*drafted, const char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_ALIVE(node);
    *out = node->is_draft() ? (node->draft.*drafted).c_str() : (node->node->*seen)().c_str();
    return {};
  });
}

std::vector<const OrtOpAttr*> attributes_of(const OrtNode& node) {
  std::vector<const OrtOpAttr*> list;
  list.reserve(node.attributes.size());
  for (const OrtOpAttr& attribute : node.attributes) list.push_back(&attribute);
  return list;
}

}  // namespace
}  // namespace ortc::api

extern "C" {

void OrtReleaseNode(OrtNode* node) {
  if (!api::is_alive(node) || node->graph != nullptr) return;
  delete node;
}

OrtStatus* OrtNode_GetId(const OrtNode* node, size_t* node_id) {
  return guard([&]() -> Status {
    ORTC_OUT(node_id);
    ORTC_ALIVE(node);
    ORTC_VIEW_ONLY(node, Node_GetId);
    *node_id = node->node->id();
    return {};
  });
}

OrtStatus* OrtNode_GetName(const OrtNode* node, const char** node_name) {
  return api::give_text(node, &Node::name, &NodeDraft::name, node_name);
}

OrtStatus* OrtNode_GetOperatorType(const OrtNode* node, const char** operator_type) {
  return api::give_text(node, &Node::op_type, &NodeDraft::op_type, operator_type);
}

OrtStatus* OrtNode_GetDomain(const OrtNode* node, const char** domain_name) {
  return api::give_text(node, &Node::domain, &NodeDraft::domain, domain_name);
}

OrtStatus* OrtNode_GetSinceVersion(const OrtNode* node, int* since_version) {
  return guard([&]() -> Status {
    ORTC_OUT(since_version);
    ORTC_ALIVE(node);
    ORTC_VIEW_ONLY(node, Node_GetSinceVersion);
    const OpRow* row = op_row_of(*node->node);
    *since_version = row != nullptr ? row->since : -1;
    return {};
  });
}

OrtStatus* OrtNode_GetNumInputs(const OrtNode* node, size_t* num_inputs) {
  return guard([&]() -> Status {
    ORTC_OUT(num_inputs);
    ORTC_ALIVE(node);
    *num_inputs = node->is_draft() ? node->draft.inputs.size() : node->inputs.size();
    return {};
  });
}

OrtStatus* OrtNode_GetInputs(const OrtNode* node, const OrtValueInfo** inputs, size_t num_inputs) {
  return guard([&]() -> Status {
    ORTC_ALIVE(node);
    ORTC_VIEW_ONLY(node, Node_GetInputs);
    return api::copy_list("inputs", node->inputs, inputs, num_inputs);
  });
}

OrtStatus* OrtNode_GetNumOutputs(const OrtNode* node, size_t* num_outputs) {
  return guard([&]() -> Status {
    ORTC_OUT(num_outputs);
    ORTC_ALIVE(node);
    *num_outputs = node->is_draft() ? node->draft.outputs.size() : node->outputs.size();
    return {};
  });
}

OrtStatus* OrtNode_GetOutputs(const OrtNode* node, const OrtValueInfo** outputs,
                              size_t num_outputs) {
  return guard([&]() -> Status {
    ORTC_ALIVE(node);
    ORTC_VIEW_ONLY(node, Node_GetOutputs);
    return api::copy_list("outputs", node->outputs, outputs, num_outputs);
  });
}

OrtStatus* OrtNode_GetNumImplicitInputs(const OrtNode* node, size_t* num_implicit_inputs) {
  return guard([&]() -> Status {
    ORTC_OUT(num_implicit_inputs);
    ORTC_ALIVE(node);
    *num_implicit_inputs = node->implicit_inputs.size();
    return {};
  });
}

OrtStatus* OrtNode_GetImplicitInputs(const OrtNode* node, const OrtValueInfo** implicit_inputs,
                                     size_t num_implicit_inputs) {
  return guard([&]() -> Status {
    ORTC_ALIVE(node);
    return api::copy_list("implicit_inputs", node->implicit_inputs, implicit_inputs,
                          num_implicit_inputs);
  });
}

OrtStatus* OrtNode_GetNumAttributes(const OrtNode* node, size_t* num_attributes) {
  return guard([&]() -> Status {
    ORTC_OUT(num_attributes);
    ORTC_ALIVE(node);
    *num_attributes = node->attributes.size();
    return {};
  });
}

OrtStatus* OrtNode_GetAttributes(const OrtNode* node, const OrtOpAttr** attributes,
                                 size_t num_attributes) {
  return guard([&]() -> Status {
    ORTC_ALIVE(node);
    return api::copy_list("attributes", api::attributes_of(*node), attributes, num_attributes);
  });
}

OrtStatus* OrtNode_GetAttributeByName(const OrtNode* node, const char* attribute_name,
                                      const OrtOpAttr** attribute) {
  return guard([&]() -> Status {
    ORTC_OUT(attribute);
    ORTC_ALIVE(node);
    ORTC_NEEDED(attribute_name);
    for (const OrtOpAttr& candidate : node->attributes) {
      if (candidate.attribute->name != attribute_name) continue;
      *attribute = &candidate;
      return {};
    }
    // One that the model leaves out is not a mistake of the caller.
    if (!node->is_draft() &&
        may_have_attribute(node->node->domain(), node->node->op_type(), attribute_name)) {
      return {};
    }
    return make_status(Code::kNotFound, "the node has no attribute '", attribute_name, "'");
  });
}

OrtStatus* OrtNode_GetNumSubgraphs(const OrtNode* node, size_t* num_subgraphs) {
  return guard([&]() -> Status {
    ORTC_OUT(num_subgraphs);
    ORTC_ALIVE(node);
    *num_subgraphs = node->is_draft() ? 0 : node->node->subgraphs().size();
    return {};
  });
}

OrtStatus* OrtNode_GetSubgraphs(const OrtNode* node, const OrtGraph** subgraphs,
                                size_t num_subgraphs, const char** attribute_names) {
  return guard([&]() -> Status {
    ORTC_ALIVE(node);
    ASSIGN_OR_RETURN(const auto* inner, api::subgraphs_of(*node));
    std::vector<const OrtGraph*> graphs;
    std::vector<const char*> names;
    for (const OrtNode::Subgraph& subgraph : *inner) {
      graphs.push_back(subgraph.graph.get());
      names.push_back(subgraph.attribute->c_str());
    }
    RETURN_IF_ERROR(api::copy_list("subgraphs", graphs, subgraphs, num_subgraphs));
    if (attribute_names == nullptr) return {};
    return api::copy_list("attribute_names", names, attribute_names, num_subgraphs);
  });
}

OrtStatus* OrtNode_GetGraph(const OrtNode* node, const OrtGraph** graph) {
  return guard([&]() -> Status {
    ORTC_OUT(graph);
    ORTC_ALIVE(node);
    ORTC_VIEW_ONLY(node, Node_GetGraph);
    *graph = node->graph;
    return {};
  });
}

OrtStatus* OrtNode_GetEpName(const OrtNode* node, const char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_ALIVE(node);
    ORTC_VIEW_ONLY(node, Node_GetEpName);
    *out = node->ep_name.c_str();
    return {};
  });
}

}  // extern "C"

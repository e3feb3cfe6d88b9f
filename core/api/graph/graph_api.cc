// SPDX-License-Identifier: MIT
// ort_c/graph.h: graphs. Their nodes are in node_api.cc.
#include "core/api/env/env_handle.h"
#include "core/api/graph/graph_handles.h"
#include "core/api/guard.h"
#include "core/api/model/model_metadata_handle.h"
#include "core/api/session/create_session.h"
#include "core/session/stages.h"
#include "ort_c/graph.h"

using namespace ortc;
using api::guard;

namespace ortc::api {
namespace {

constexpr char kPartName[] = "sub_graph";

Status load_graph(const OrtEnv& env, const ModelSource& source, OrtGraph** out) {
  ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                   load_for_providers(env.shared->environment, source));
  ASSIGN_OR_RETURN(auto graph, make_graph(std::move(model)));
  *out = graph.release();
  return {};
}

template <typename T>
OrtStatus* count_list(const OrtGraph* graph, std::vector<T> OrtGraph::*list, size_t* count) {
  return guard([&]() -> Status {
    ORTC_OUT(count);
    ORTC_ALIVE(graph);
    *count = (graph->*list).size();
    return {};
  });
}

// The nodes' ids, all of them of this graph.
Result<std::vector<NodeId>> ids_of(const OrtGraph& graph, const OrtNode** nodes, size_t count) {
  std::vector<NodeId> ids;
  for (size_t i = 0; i < count; ++i) {
    if (nodes[i] == nullptr) return invalid_argument("'nodes[", i, "]' must not be NULL");
    if (!is_alive(nodes[i])) return invalid_argument("'nodes[", i, "]' is not there any more");
    if (nodes[i]->is_draft() || nodes[i]->node->graph() != &graph.view->graph() ||
        !graph.view->has_node(nodes[i]->node->id())) {
      return invalid_argument("'nodes[", i, "]' is not a node of the graph");
    }
    ids.push_back(nodes[i]->node->id());
  }
  return ids;
}

}  // namespace
}  // namespace ortc::api

extern "C" {

OrtStatus* OrtLoadGraph(const OrtEnv* env, const char* model_path, OrtGraph** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_path);
    ASSIGN_OR_RETURN(const ModelSource source, api::file_source(model_path));
    return api::load_graph(*env, source, out);
  });
}

OrtStatus* OrtLoadGraphFromArray(const OrtEnv* env, const void* model_data,
                                 size_t model_data_length, OrtGraph** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_data);
    ASSIGN_OR_RETURN(const ModelSource source, api::memory_source(model_data, model_data_length));
    return api::load_graph(*env, source, out);
  });
}

void OrtReleaseGraph(OrtGraph* graph) {
  if (graph == nullptr || !api::live<OrtGraph>().has(graph) || graph->is_lent ||
      graph->draft_model != nullptr || graph->parent_node != nullptr) {
    return;
  }
  delete graph;
}

OrtStatus* OrtGraph_GetName(const OrtGraph* graph, const char** graph_name) {
  return guard([&]() -> Status {
    ORTC_OUT(graph_name);
    ORTC_ALIVE(graph);
    *graph_name = "";
    if (graph->is_draft()) return {};
    *graph_name = graph->view->is_part() ? api::kPartName : graph->view->graph().name.c_str();
    return {};
  });
}

OrtStatus* OrtGraph_GetModelPath(const OrtGraph* graph, const char** model_path) {
  return guard([&]() -> Status {
    ORTC_OUT(model_path);
    ORTC_ALIVE(graph);
    *model_path = graph->is_draft() ? "" : graph->root->model->path.c_str();
    return {};
  });
}

OrtStatus* OrtGraph_GetOnnxIRVersion(const OrtGraph* graph, int64_t* onnx_ir_version) {
  return guard([&]() -> Status {
    ORTC_OUT(onnx_ir_version);
    ORTC_ALIVE(graph);
    ORTC_VIEW_ONLY(graph, Graph_GetOnnxIRVersion);
    *onnx_ir_version = graph->root->model->ir_version;
    return {};
  });
}

OrtStatus* OrtGraph_GetNumOperatorSets(const OrtGraph* graph, size_t* num_operator_sets) {
  return guard([&]() -> Status {
    ORTC_OUT(num_operator_sets);
    ORTC_ALIVE(graph);
    ORTC_VIEW_ONLY(graph, Graph_GetNumOperatorSets);
    *num_operator_sets = graph->view->graph().opsets()->size();
    return {};
  });
}

OrtStatus* OrtGraph_GetOperatorSets(const OrtGraph* graph, const char** domains,
                                    int64_t* opset_versions, size_t num_operator_sets) {
  return guard([&]() -> Status {
    ORTC_ALIVE(graph);
    ORTC_VIEW_ONLY(graph, Graph_GetOperatorSets);
    std::vector<const char*> names;
    std::vector<int64_t> versions;
    for (const auto& [domain, version] : *graph->view->graph().opsets()) {
      names.push_back(domain.c_str());
      versions.push_back(version);
    }
    if (!versions.empty()) ORTC_NEEDED(opset_versions);
    RETURN_IF_ERROR(api::copy_list("domains", names, domains, num_operator_sets));
    return api::copy_list("opset_versions", versions, opset_versions, num_operator_sets);
  });
}

OrtStatus* OrtGraph_GetNumInputs(const OrtGraph* graph, size_t* num_inputs) {
  return api::count_list(graph, &OrtGraph::inputs, num_inputs);
}

OrtStatus* OrtGraph_GetInputs(const OrtGraph* graph, const OrtValueInfo** inputs,
                              size_t num_inputs) {
  return guard([&]() -> Status {
    ORTC_ALIVE(graph);
    return api::copy_list("inputs", graph->inputs, inputs, num_inputs);
  });
}

OrtStatus* OrtGraph_GetNumOutputs(const OrtGraph* graph, size_t* num_outputs) {
  return api::count_list(graph, &OrtGraph::outputs, num_outputs);
}

OrtStatus* OrtGraph_GetOutputs(const OrtGraph* graph, const OrtValueInfo** outputs,
                               size_t num_outputs) {
  return guard([&]() -> Status {
    ORTC_ALIVE(graph);
    return api::copy_list("outputs", graph->outputs, outputs, num_outputs);
  });
}

OrtStatus* OrtGraph_GetNumInitializers(const OrtGraph* graph, size_t* num_initializers) {
  return guard([&]() -> Status {
    ORTC_OUT(num_initializers);
    ORTC_ALIVE(graph);
    ORTC_VIEW_ONLY(graph, Graph_GetNumInitializers);
    *num_initializers = graph->initializers.size();
    return {};
  });
}

OrtStatus* OrtGraph_GetInitializers(const OrtGraph* graph, const OrtValueInfo** initializers,
                                    size_t num_initializers) {
  return guard([&]() -> Status {
    ORTC_ALIVE(graph);
    ORTC_VIEW_ONLY(graph, Graph_GetInitializers);
    return api::copy_list("initializers", graph->initializers, initializers, num_initializers);
  });
}

OrtStatus* OrtGraph_GetNumNodes(const OrtGraph* graph, size_t* num_nodes) {
  return api::count_list(graph, &OrtGraph::nodes, num_nodes);
}

OrtStatus* OrtGraph_GetNodes(const OrtGraph* graph, const OrtNode** nodes, size_t num_nodes) {
  return guard([&]() -> Status {
    ORTC_ALIVE(graph);
    return api::copy_list("nodes", graph->nodes, nodes, num_nodes);
  });
}

OrtStatus* OrtGraph_GetParentNode(const OrtGraph* graph, const OrtNode** node) {
  return guard([&]() -> Status {
    ORTC_OUT(node);
    ORTC_ALIVE(graph);
    ORTC_VIEW_ONLY(graph, Graph_GetParentNode);
    *node = graph->parent_node;
    return {};
  });
}

OrtStatus* OrtGraph_GetGraphView(const OrtGraph* src_graph, const OrtNode** nodes, size_t num_nodes,
                                 OrtGraph** dst_graph) {
  return guard([&]() -> Status {
    ORTC_OUT(dst_graph);
    ORTC_ALIVE(src_graph);
    ORTC_NEEDED(nodes);
    ORTC_VIEW_ONLY(src_graph, Graph_GetGraphView);
    if (num_nodes == 0) return invalid_argument("'num_nodes' is 0, expected 1 or more");
    ASSIGN_OR_RETURN(const auto ids, api::ids_of(*src_graph, nodes, num_nodes));
    ASSIGN_OR_RETURN(GraphView view, GraphView::part(src_graph->view->graph(), ids));
    // A lock of its own: it may outlive the graph, and shares nothing with it but the model.
    auto root = std::make_shared<api::ViewRoot>();
    root->model = src_graph->root->model;
    root->lent = src_graph->root->lent;
    ASSIGN_OR_RETURN(auto graph, OrtGraph::create(root, std::move(view), nullptr));
    if (root->lent != nullptr) {
      root->lent->add(*graph);
      graph->made_of = root->lent;
    }
    *dst_graph = graph.release();
    return {};
  });
}

OrtStatus* OrtGraph_GetModelMetadata(const OrtGraph* graph, OrtModelMetadata** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_ALIVE(graph);
    ORTC_VIEW_ONLY(graph, Graph_GetModelMetadata);
    *out = new OrtModelMetadata(api::metadata_of(*graph->root->model));
    return {};
  });
}

}  // extern "C"

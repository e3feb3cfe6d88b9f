// SPDX-License-Identifier: MIT
// What is behind the handles of graphs. Each kind of object exists twice: as a part of a view over
// a model's graph, and as a draft that the model editor makes and that knows only what it was told.
//
// A view owns its nodes and values; sub-graphs, types and initializers as C values are made when
// they are asked for first, under the lock of the view's root, and stay.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/api/live_handles.h"
#include "core/api/value/type_info_handles.h"
#include "core/api/value/value_handle.h"
#include "core/graph/graph_view.h"
#include "core/graph/model_draft.h"
#include "ort_c/graph.h"
#include "ort_c/model_editor.h"
#include "ort_c/op_attr.h"
#include "ort_c/value_info.h"

struct OrtExternalInitializerInfo {
  std::string path;
  int64_t offset = 0;
  size_t size = 0;
};

struct OrtOpAttr {
  explicit OrtOpAttr(const ortc::Attribute& of) : attribute(&of) {}
  explicit OrtOpAttr(std::unique_ptr<const ortc::Attribute> own_attribute)
      : own(std::move(own_attribute)), attribute(own.get()) {}

  std::unique_ptr<const ortc::Attribute> own;  // null: of a node
  const ortc::Attribute* attribute;
};

namespace ortc::api {

// A graph that is lent for one call: what it shows ends, or changes, when the call is over. Views
// that were made of it, and not released by then, show nothing any more.
class LentGraph {
 public:
  void add(OrtGraph& view);
  void remove(OrtGraph& view);
  void end();

 private:
  std::mutex mutex_;
  std::unordered_set<OrtGraph*> views_;
};

// What a view and all its sub-graphs share.
struct ViewRoot {
  std::shared_ptr<const Model> model;
  std::shared_ptr<LentGraph> lent;  // null: what is shown stays as long as `model`
  std::mutex mutex;                 // guards what is made on the first question, anywhere below
};

}  // namespace ortc::api

struct OrtValueInfo : ortc::api::LiveHandle<OrtValueInfo> {
  OrtValueInfo(const OrtGraph& of, const ortc::Value& seen) : graph(&of), value(&seen) {}
  OrtValueInfo(std::string name, ortc::Type type, const OrtTypeInfo& shown);

  bool is_draft() const { return value == nullptr; }
  const std::string& name() const { return is_draft() ? draft.name : value->name; }

  const OrtGraph* graph = nullptr;  // that it stands in; of a draft: that took it over
  const ortc::Value* value = nullptr;
  ortc::PortDraft draft;
  mutable std::unique_ptr<OrtTypeInfo> type;
  mutable std::unique_ptr<OrtValue> initializer;
};

struct OrtNode : ortc::api::LiveHandle<OrtNode> {
  OrtNode(const OrtGraph& of, const ortc::Node& seen) : graph(&of), node(&seen) {}
  explicit OrtNode(ortc::NodeDraft made);
  ~OrtNode();

  bool is_draft() const { return node == nullptr; }

  const OrtGraph* graph = nullptr;  // as in OrtValueInfo
  const ortc::Node* node = nullptr;
  ortc::NodeDraft draft;
  std::string ep_name;  // the execution provider that it was given to, if any
  std::vector<const OrtValueInfo*> inputs, outputs, implicit_inputs;
  std::vector<OrtOpAttr> attributes;
  struct Subgraph {
    const std::string* attribute = nullptr;
    std::unique_ptr<OrtGraph> graph;
  };
  mutable std::vector<Subgraph> subgraphs;  // empty until asked for
};

struct OrtGraph : ortc::api::LiveHandle<OrtGraph> {
  // A view. INVALID_GRAPH for a cycle.
  static ortc::Result<std::unique_ptr<OrtGraph>> create(std::shared_ptr<ortc::api::ViewRoot> root,
                                                        ortc::GraphView view,
                                                        const OrtNode* parent);
  OrtGraph() = default;  // a draft
  ~OrtGraph();
  OrtGraph(const OrtGraph&) = delete;
  OrtGraph& operator=(const OrtGraph&) = delete;

  bool is_draft() const { return root == nullptr; }
  void end();  // what it shows; the handle stays until it is released
  const OrtValueInfo* value_of(ortc::ValueId id) const {
    return id == ortc::kNoValue ? nullptr : by_value[id];
  }

  std::vector<const OrtValueInfo*> inputs, outputs, initializers;
  std::vector<const OrtNode*> nodes;
  std::vector<std::unique_ptr<OrtValueInfo>> own_values;
  std::vector<std::unique_ptr<OrtNode>> own_nodes;

  // Of a view.
  std::shared_ptr<ortc::api::ViewRoot> root;
  std::unique_ptr<const ortc::GraphView> view;
  const OrtNode* parent_node = nullptr;
  bool is_lent = false;  // not the caller's: OrtReleaseGraph() leaves it
  std::atomic<bool> has_ended{false};
  std::shared_ptr<ortc::api::LentGraph> made_of;  // of a view of a graph that is lent
  std::vector<const OrtValueInfo*> by_value;      // by id; null for what the view does not show
  std::vector<const OrtNode*> by_node;

  // Of a draft.
  struct Initializer {
    std::shared_ptr<const ortc::Constant> constant;
    std::unique_ptr<OrtValue> value;  // taken over; its pointer stays good for the caller
  };
  std::vector<Initializer> draft_initializers;
  std::unordered_set<std::string> draft_names, draft_node_names;  // what nodes and tensors define
  const OrtModel* draft_model = nullptr;                          // that took it over
};

namespace ortc::api {

inline bool is_alive(const OrtGraph* graph) {
  return graph != nullptr && live<OrtGraph>().has(graph) && !graph->has_ended;
}

// What an OrtModel stands for; options and sessions that use it keep it.
struct ModelParts {
  OpsetImports opsets;
  std::unique_ptr<OrtGraph> graph;
};

// A view of the main graph.
Result<std::unique_ptr<OrtGraph>> make_graph(std::shared_ptr<const Model> model);

// The node's sub-graphs, made now if they were not yet.
Result<const std::vector<OrtNode::Subgraph>*> subgraphs_of(const OrtNode& node);

// Copies `from` to the caller's array. INVALID_ARGUMENT when there is not enough room.
template <typename T>
Status copy_list(const char* what, const std::vector<T>& from, T* to, size_t room) {
  if (room < from.size()) {
    return invalid_argument("there is room for ", room, " ", what, ", but there are ", from.size());
  }
  if (!from.empty() && to == nullptr) return invalid_argument("'", what, "' must not be NULL");
  std::copy(from.begin(), from.end(), to);
  return {};
}

}  // namespace ortc::api

struct OrtModel {
  std::shared_ptr<ortc::api::ModelParts> parts;
};

// Refuses objects of the model editor.
#define ORTC_VIEW_ONLY(object, function)                                                  \
  if ((object)->is_draft()) {                                                             \
    return ::ortc::not_implemented(#function " of an object that the model editor made"); \
  }

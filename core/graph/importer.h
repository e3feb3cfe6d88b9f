// SPDX-License-Identifier: MIT
// The importer's insides, shared by the import_*.cc files only: decoded messages -> Graph.
//
// Names are resolved through scopes. A scope is one list of nodes: a graph's, or the body of a
// local function that is being inlined into a graph. A sub-graph sees the scopes around it; a
// function body sees its own formal inputs and nothing else.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/graph/model.h"
#include "core/proto/decoded_model.h"
#include "core/proto/external_data.h"

namespace ortc {

Result<Type> import_type(const DecodedModel& model, const Onnx__TypeProto& proto);
std::vector<std::pair<std::string, std::string>> import_entries(
    const DecodedModel& model, Onnx__StringStringEntryProto* const* entries, size_t count);

// Of graphs and function calls in each other.
inline constexpr int kNestingMax = 64;

class Importer {
 public:
  Importer(const DecodedModel& decoded, ExternalFiles& files, const ImportOptions& options,
           Model& model);
  // Opsets, functions, then the main graph.
  Status import_model();

 private:
  struct Call;
  struct Scope {
    Graph* graph = nullptr;
    const Scope* outer = nullptr;  // where names not found here are looked up; null: nowhere
    const Call* call = nullptr;    // the function being inlined around this scope
    std::unordered_map<std::string_view, ValueId> names;
  };
  // An attribute as a node of a function's caller gave it: its names mean values of that scope.
  struct GivenAttribute {
    const Onnx__AttributeProto* proto = nullptr;
    const Scope* scope = nullptr;
  };
  struct Function {
    const Onnx__FunctionProto* proto = nullptr;
    uint64_t cost = 0;
    std::unordered_map<std::string, int64_t> opsets;
  };
  struct Call {
    const Function* function = nullptr;
    const Call* caller = nullptr;
    std::string prefix;  // "<node name>/"
    std::unordered_map<std::string_view, GivenAttribute> attributes;
  };

  // import.cc
  Status import_opsets();
  Status charge(uint64_t bytes);
  Status check_cost(uint64_t bytes) const;
  // One level of graphs and function calls; the recursion ends where the limit is.
  class Level {
   public:
    explicit Level(int& nesting) : nesting_(nesting) { ++nesting_; }
    ~Level() { --nesting_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Status check() const;

   private:
    int& nesting_;
  };

  // import_function.cc
  Status check_inlined_cost();
  uint64_t inlined_cost(Onnx__NodeProto* const* nodes, size_t count, int depth);
  uint64_t call_cost(const Function& function, int depth);

  // import_graph.cc
  Status import_main_graph();
  Status import_graph(const Onnx__GraphProto& proto, Scope& scope);
  Status import_inputs(const Onnx__GraphProto& proto, Scope& scope);
  Status decode_external_frames(const Onnx__GraphProto& proto);
  Status import_initializers(const Onnx__GraphProto& proto, Scope& scope);
  void drop_listed_initializers(Graph& graph);
  // The tensor that was given for the initializer; null when there is none.
  Result<std::shared_ptr<const Constant>> given_initializer(const Onnx__TensorProto& proto,
                                                            std::string_view name) const;
  Status import_sparse_initializers(const Onnx__GraphProto& proto, Scope& scope);
  Status import_outputs(const Onnx__GraphProto& proto, Scope& scope);
  Status import_value_infos(const Onnx__GraphProto& proto, Scope& scope);
  Status apply_value_info(const Onnx__ValueInfoProto& info, Value& value);
  Status set_initializer(Scope& scope, std::string_view name,
                         std::shared_ptr<const Constant> constant,
                         std::shared_ptr<const SparseConstant> sparse);
  Result<ValueId> define(Scope& scope, std::string_view name);
  // kNoValue for an omitted optional input of a function.
  Result<ValueId> resolve(Scope& scope, std::string_view name);
  Result<ValueId> reach(Graph* target, Graph* home, ValueId id);

  // import_node.cc
  Status import_nodes(Onnx__NodeProto* const* nodes, size_t count, Scope& scope);
  Status import_node(const Onnx__NodeProto& proto, Scope& scope);
  Status check_opset(const std::string& domain, const Scope& scope);
  Result<std::vector<ValueId>> resolve_all(const ProtobufCBinaryData* names, size_t count,
                                           Scope& scope);

  // import_attribute.cc
  Result<std::vector<Attribute>> import_attributes(const Onnx__NodeProto& node, Scope& scope);
  Result<Attribute> import_attribute(const Onnx__AttributeProto& proto, const Scope& scope,
                                     Graph* parent);
  Status import_attribute_value(const Onnx__AttributeProto& proto, const Scope& scope,
                                Graph* parent, Attribute& out);
  // What an attribute with ref_attr_name stands for; a null proto when the caller gave nothing.
  Result<GivenAttribute> dereference(const Onnx__AttributeProto& proto, const Scope& scope) const;
  Result<std::shared_ptr<Graph>> import_subgraph(const Onnx__GraphProto& proto, const Scope& scope,
                                                 Graph* parent);
  Result<std::shared_ptr<const Constant>> import_constant(const Onnx__TensorProto& proto);
  Result<std::shared_ptr<const SparseConstant>> import_sparse(const Onnx__SparseTensorProto& proto);

  // import_function.cc
  Status collect_functions();
  static uint64_t cost_of_call(const Function& function) {
    return function.cost + sizeof(Call) + 256;
  }
  const Function* function_of(const Onnx__NodeProto& node) const;
  Status inline_call(const Function& function, const Onnx__NodeProto& node, Scope& scope);
  Status bind_attributes(const Function& function, const Onnx__NodeProto& node, const Scope& scope,
                         Call& call) const;
  Status bind_values(const Onnx__FunctionProto& function, const Onnx__NodeProto& node, Scope& scope,
                     Scope& body);
  std::string make_prefix(const Onnx__NodeProto& node, const Call* caller);

  const DecodedModel& decoded_;
  ExternalFiles& files_;
  const ImportOptions& options_;
  Model& model_;
  std::shared_ptr<OpsetImports> opsets_;
  std::unordered_map<std::string, Function> functions_;
  std::unordered_map<const Function*, uint64_t> call_costs_;
  std::unordered_set<std::string> prefixes_;
  std::unordered_map<const Onnx__TensorProto*, std::shared_ptr<const Constant>> constants_;
  int nesting_ = 0;
  uint64_t cost_ = 0, cost_max_ = 0;
};

}  // namespace ortc

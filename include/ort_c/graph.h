// SPDX-License-Identifier: MIT
// Graphs as execution providers see them: a view of a model's graph, its nodes, values, attributes
// and sub-graphs, read-only.
//
// Lifetime. An OrtGraph that a function gives as a new object is yours; everything reached from it
// (nodes, values, types, tensors, attributes, sub-graphs, names) is borrowed and lives as long as
// that OrtGraph. A sub-graph is a graph of its own; a name that it takes from an enclosing graph is
// a value of the sub-graph too, marked as from the outer scope.
//
// Lists. Ask for the number, then pass an array with room for as many; a smaller one is
// INVALID_ARGUMENT. An optional input or output that a node leaves out stands in the list as NULL.
//
// Nodes, values and graphs of the model editor (model_editor.h) are not part of a view: they tell
// what they were made of, and NOT_IMPLEMENTED for the rest.
//
// Threads. All functions here that take `const` objects may be called by any number of threads.
#pragma once

#include "ort_c/model_metadata.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtGraph OrtGraph;
typedef struct OrtNode OrtNode;
typedef struct OrtValueInfo OrtValueInfo;
typedef struct OrtOpAttr OrtOpAttr;

// Graphs.

/// Reads a model file and shows its main graph as execution providers see it before any
/// optimisation: names resolved, nodes sorted, local functions inlined, Constant nodes made
/// initializers, every value with its type and shape as far as they can be inferred.
///
/// `model_path`  A model file; external data are found beside it, and mapped, not read.
/// `out`         A new graph; give it back with OrtReleaseGraph(). NULL after a failure.
///
/// Fails like OrtCreateSession(): NO_SUCHFILE, INVALID_PROTOBUF, INVALID_GRAPH, INVALID_ARGUMENT.
/// Thread-safe. Blocks on file reads. Since 1.0.
ORTC_API OrtStatus* OrtLoadGraph(const OrtEnv* env, const char* model_path, OrtGraph** out);

/// As OrtLoadGraph(), for a model in memory.
///
/// `model_data`         Copied. External data are looked for in the current folder.
/// `model_data_length`  In bytes, 1 to 2^31-1.
///
/// Fails like OrtLoadGraph(). Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtLoadGraphFromArray(const OrtEnv* env, const void* model_data,
                                          size_t model_data_length, OrtGraph** out);

/// Gives a graph back, and with it everything that was borrowed from it.
///
/// `graph`  Ends here. NULL is allowed. A graph that a model took over is not ended: the model does
///          that.
///
/// Since 1.0.
ORTC_API void OrtReleaseGraph(OrtGraph* graph);

/// Tells the graph's name, empty when it has none. A view of some nodes is called "sub_graph".
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetName(const OrtGraph* graph, const char** graph_name);

/// Tells the path of the model file; empty when the model came from memory.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetModelPath(const OrtGraph* graph, const char** model_path);

/// Tells the version of the ONNX format that the model is written in.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a graph of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetOnnxIRVersion(const OrtGraph* graph, int64_t* onnx_ir_version);

/// Counts the operator sets that the model imports.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a graph of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetNumOperatorSets(const OrtGraph* graph, size_t* num_operator_sets);

/// Lists the operator sets: domains ("" is ONNX's own) and versions.
///
/// `domains`            Filled with borrowed texts.
/// `opset_versions`     Filled, in the same order.
/// `num_operator_sets`  Room in both arrays.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a graph of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetOperatorSets(const OrtGraph* graph, const char** domains,
                                             int64_t* opset_versions, size_t num_operator_sets);

/// Counts the inputs, those with an initializer behind them included.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetNumInputs(const OrtGraph* graph, size_t* num_inputs);

/// Lists the inputs in order. A view of some nodes has the values that its nodes read and others
/// make, constants aside.
///
/// `inputs`      Filled with borrowed values.
/// `num_inputs`  Room in the array.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetInputs(const OrtGraph* graph, const OrtValueInfo** inputs,
                                       size_t num_inputs);

/// Counts the outputs.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetNumOutputs(const OrtGraph* graph, size_t* num_outputs);

/// Lists the outputs in order. A view of some nodes has the values that its nodes make and that
/// others read or the whole graph gives.
///
/// `outputs`      Filled with borrowed values.
/// `num_outputs`  Room in the array.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetOutputs(const OrtGraph* graph, const OrtValueInfo** outputs,
                                        size_t num_outputs);

/// Counts the graph's own initializers that something reads, gives out, or can override.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a graph of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetNumInitializers(const OrtGraph* graph, size_t* num_initializers);

/// Lists the graph's own initializers; those of enclosing graphs are listed there.
///
/// `initializers`      Filled with borrowed values.
/// `num_initializers`  Room in the array.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a graph of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetInitializers(const OrtGraph* graph,
                                             const OrtValueInfo** initializers,
                                             size_t num_initializers);

/// Counts the nodes, without those of sub-graphs.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetNumNodes(const OrtGraph* graph, size_t* num_nodes);

/// Lists the nodes so that those that make a value come before those that read it.
///
/// `nodes`      Filled with borrowed nodes.
/// `num_nodes`  Room in the array.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetNodes(const OrtGraph* graph, const OrtNode** nodes,
                                      size_t num_nodes);

/// Tells the node that a sub-graph belongs to.
///
/// `node`  Borrowed; NULL for a main graph and for a view of some nodes.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a graph of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetParentNode(const OrtGraph* graph, const OrtNode** node);

/// Makes a view of some nodes of a graph, with the inputs and outputs that they have together.
/// The nodes and values in it are objects of their own with the same ids and names.
///
/// `nodes`      Nodes of `src_graph`, each once, in any order: inputs and outputs follow it.
/// `num_nodes`  How many, 1 or more.
/// `dst_graph`  A new graph; give it back with OrtReleaseGraph(). It may outlive `src_graph`, but
///              for a library of providers: a view of a graph that is lent to it for a call is
///              refused with INVALID_ARGUMENT when the call is over. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a graph of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetGraphView(const OrtGraph* src_graph, const OrtNode** nodes,
                                          size_t num_nodes, OrtGraph** dst_graph);

/// Tells what the model says about itself.
///
/// `out`  A new object; give it back with OrtReleaseModelMetadata(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a graph of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGraph_GetModelMetadata(const OrtGraph* graph, OrtModelMetadata** out);

// Nodes.

/// Gives back a node that the model editor made.
///
/// `node`  Ends here. NULL is allowed. A node that belongs to a graph is not ended: the graph does
///         that.
///
/// Since 1.0.
ORTC_API void OrtReleaseNode(OrtNode* node);

/// Tells the node's id: unique in its graph, the same in every view of the graph.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a node of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtNode_GetId(const OrtNode* node, size_t* node_id);

/// Tells the node's name, which may be empty and need not be unique.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetName(const OrtNode* node, const char** node_name);

/// Tells the operator, as "Conv".
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetOperatorType(const OrtNode* node, const char** operator_type);

/// Tells the operator's domain; "" is ONNX's own.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetDomain(const OrtNode* node, const char** domain_name);

/// Tells the opset version in which the operator took the form that the node is read with.
///
/// `since_version`  -1 when this library does not know the operator.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a node of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtNode_GetSinceVersion(const OrtNode* node, int* since_version);

/// Counts the inputs, omitted ones included.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetNumInputs(const OrtNode* node, size_t* num_inputs);

/// Lists the inputs in order.
///
/// `inputs`      Filled with borrowed values, NULL for an omitted one.
/// `num_inputs`  Room in the array.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a node of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtNode_GetInputs(const OrtNode* node, const OrtValueInfo** inputs,
                                      size_t num_inputs);

/// Counts the outputs, omitted ones included.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetNumOutputs(const OrtNode* node, size_t* num_outputs);

/// Lists the outputs in order.
///
/// `outputs`      Filled with borrowed values, NULL for an omitted one.
/// `num_outputs`  Room in the array.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a node of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtNode_GetOutputs(const OrtNode* node, const OrtValueInfo** outputs,
                                       size_t num_outputs);

/// Counts the values of the node's graph that its sub-graphs read.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetNumImplicitInputs(const OrtNode* node, size_t* num_implicit_inputs);

/// Lists the values of the node's graph that its sub-graphs (If, Loop, Scan) read, each once.
///
/// `implicit_inputs`      Filled with borrowed values.
/// `num_implicit_inputs`  Room in the array.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetImplicitInputs(const OrtNode* node,
                                              const OrtValueInfo** implicit_inputs,
                                              size_t num_implicit_inputs);

/// Counts the attributes that the model gives the node, sub-graphs included.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetNumAttributes(const OrtNode* node, size_t* num_attributes);

/// Lists the attributes that the model gives the node. Defaults of the operator are not filled in.
///
/// `attributes`      Filled with borrowed attributes.
/// `num_attributes`  Room in the array.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetAttributes(const OrtNode* node, const OrtOpAttr** attributes,
                                          size_t num_attributes);

/// Finds an attribute that the model gives the node.
///
/// `attribute`  Borrowed. NULL, which is not a failure, when the operator has such an attribute and
///              the model leaves it out; NULL after a failure.
///
/// Fails with INVALID_ARGUMENT; NOT_FOUND when the operator has no such attribute, or is not known
/// well enough and the node has none. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetAttributeByName(const OrtNode* node, const char* attribute_name,
                                               const OrtOpAttr** attribute);

/// Counts the sub-graphs.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetNumSubgraphs(const OrtNode* node, size_t* num_subgraphs);

/// Lists the sub-graphs. They are made when they are asked for first.
///
/// `subgraphs`        Filled with borrowed graphs.
/// `num_subgraphs`    Room in the array.
/// `attribute_names`  Filled with the names of the attributes that hold them, as "then_branch"; may
///                    be NULL.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtNode_GetSubgraphs(const OrtNode* node, const OrtGraph** subgraphs,
                                         size_t num_subgraphs, const char** attribute_names);

/// Tells the graph that the node was found in.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a node of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtNode_GetGraph(const OrtNode* node, const OrtGraph** graph);

/// Tells the execution provider that the node was given to; empty when there is none, as in a
/// graph that was only loaded.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a node of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtNode_GetEpName(const OrtNode* node, const char** out);

#ifdef __cplusplus
}
#endif

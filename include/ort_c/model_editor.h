// SPDX-License-Identifier: MIT
// The model editor: models made in memory, piece by piece, for sessions and for the compile API;
// and models from files that get more nodes before a session is made of them.
//
//     values  = OrtCreateValueInfo() of OrtCreateTensorTypeInfo()
//     graph   = OrtCreateGraph() + inputs, outputs, initializers, nodes
//     model   = OrtCreateModel() + graph
//     session = OrtCreateSessionFromModel()
//
// Ownership goes inwards: a graph takes values, tensors and nodes over, a model takes the graph, a
// node its attributes. What was taken over ends with its owner; giving it back is a mistake that
// does nothing while the owner lives, except for tensors, for which it must not happen. Pointers
// that were given in an array are set to NULL there when they were taken.
//
// Names connect: a node reads the values that inputs, initializers and other nodes define. Nodes
// may be added in any order. Whether the graph makes sense is checked when it is used.
#pragma once

#include "ort_c/graph.h"
#include "ort_c/model_compiler.h"
#include "ort_c/op_attr.h"
#include "ort_c/session.h"
#include "ort_c/type_info.h"
#include "ort_c/types.h"
#include "ort_c/value.h"
#include "ort_c/value_info.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtModel OrtModel;
typedef struct OrtPrepackedWeightsContainer OrtPrepackedWeightsContainer;

// Types.

/// Makes the type of a tensor.
///
/// `tensor_info`  Copied: element type and, when it was set, shape.
/// `type_info`    A new type; give it back with OrtReleaseTypeInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateTensorTypeInfo(const OrtTensorTypeAndShapeInfo* tensor_info,
                                            OrtTypeInfo** type_info);

/// Makes the type of a sparse tensor; parameters as for OrtCreateTensorTypeInfo().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSparseTensorTypeInfo(const OrtTensorTypeAndShapeInfo* tensor_info,
                                                  OrtTypeInfo** type_info);

/// Makes the type of a map.
///
/// `map_key_type`    An integer type or STRING.
/// `map_value_type`  Copied.
/// `type_info`       A new type; give it back with OrtReleaseTypeInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateMapTypeInfo(ONNXTensorElementDataType map_key_type,
                                         const OrtTypeInfo* map_value_type,
                                         OrtTypeInfo** type_info);

/// Makes the type of a sequence.
///
/// `sequence_type`  Copied: the type of its elements.
/// `type_info`      A new type; give it back with OrtReleaseTypeInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSequenceTypeInfo(const OrtTypeInfo* sequence_type,
                                              OrtTypeInfo** type_info);

/// Makes the type of a value that may be absent.
///
/// `contained_type`  Copied.
/// `type_info`       A new type; give it back with OrtReleaseTypeInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateOptionalTypeInfo(const OrtTypeInfo* contained_type,
                                              OrtTypeInfo** type_info);

// Values and nodes.

/// Makes a value: a name with a type, for the inputs and outputs of a graph.
///
/// `name`        Copied, not empty.
/// `type_info`   Copied: the type of a tensor.
/// `value_info`  A new value; give it to a graph, or back with OrtReleaseValueInfo(). NULL after a
///               failure.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for other types. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateValueInfo(const char* name, const OrtTypeInfo* type_info,
                                       OrtValueInfo** value_info);

/// Makes a node.
///
/// `operator_name`    Copied, not empty.
/// `domain_name`      Copied; "" is ONNX's own.
/// `node_name`        Copied; may be empty.
/// `input_names`      Copied; "" for an omitted input. May be NULL when `input_names_len` is 0.
/// `input_names_len`  How many.
/// `output_names`     Copied; "" for an omitted output. May be NULL when `output_names_len` is 0.
/// `output_names_len` How many.
/// `attributes`       Made with OrtCreateOpAttr(), each name once. The node takes them over, and
///                    the array holds NULL then. Untouched after a failure.
/// `attribs_len`      How many.
/// `node`             A new node; give it to a graph, or back with OrtReleaseNode(). NULL after a
///                    failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateNode(const char* operator_name, const char* domain_name,
                                  const char* node_name, const char* const* input_names,
                                  size_t input_names_len, const char* const* output_names,
                                  size_t output_names_len, OrtOpAttr** attributes,
                                  size_t attribs_len, OrtNode** node);

// Graphs.

/// Makes an empty graph.
///
/// `graph`  A new graph; give it to a model, or back with OrtReleaseGraph(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateGraph(OrtGraph** graph);

/// Sets the inputs of a graph, in order. Inputs set before are given back.
///
/// `inputs`      Values of the model editor, each name once. The graph takes them over, and the
///               array holds NULL then. Untouched after a failure.
/// `inputs_len`  How many; 0 is allowed.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtSetGraphInputs(OrtGraph* graph, OrtValueInfo** inputs, size_t inputs_len);

/// Sets the outputs of a graph, in order. Outputs set before are given back.
///
/// `outputs`      As the inputs of OrtSetGraphInputs().
/// `outputs_len`  How many.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtSetGraphOutputs(OrtGraph* graph, OrtValueInfo** outputs, size_t outputs_len);

/// Adds an initializer to a graph. With an input of the same name it is that input's default.
///
/// `name`              Copied, not empty, and defined by nothing else in the graph.
/// `tensor`            Taken over unless the call fails: do not release it.
/// `data_is_external`  Whether memory of the caller under the tensor is used as it is: it must stay
///                     until the last session made of the model is released. Only for 128 bytes or
///                     more. Otherwise the content of such memory is copied now.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtAddInitializerToGraph(OrtGraph* graph, const char* name, OrtValue* tensor,
                                             bool data_is_external);

/// Adds a node to a graph.
///
/// `node`  Made with OrtCreateNode(); taken over unless the call fails. Its name, unless empty, and
///         those of its outputs must be new to the graph's nodes.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtAddNodeToGraph(OrtGraph* graph, OrtNode* node);

// Models.

/// Makes a model without a graph.
///
/// `domain_names`       Copied; "" is ONNX's own. May be NULL when there are none.
/// `opset_versions`     The opset imported of each domain, 1 or more.
/// `opset_entries_len`  How many. Without ONNX's own, the model can only be applied to another one.
/// `model`              A new model; give it back with OrtReleaseModel(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateModel(const char* const* domain_names, const int* opset_versions,
                                   size_t opset_entries_len, OrtModel** model);

/// Gives a model its graph, once.
///
/// `graph`  Made with OrtCreateGraph(); taken over unless the call fails. More may be added to it
///          as long as the model lives.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtAddGraphToModel(OrtModel* model, OrtGraph* graph);

/// Gives a model back. Sessions made of it, and compilation options that use it, stay as they are.
///
/// `model`  Ends here, and with it the graph that it took over. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseModel(OrtModel* model);

// Using models.

/// Makes a session from a model of the model editor.
///
/// `model`    Borrowed for this call; more sessions may be made of it.
/// `options`  Borrowed for this call. NULL means the defaults.
/// `out`      A new session; give it back with OrtReleaseSession(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT (no graph, no outputs, no opset of ONNX), INVALID_GRAPH, and like
/// OrtCreateSession(). Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSessionFromModel(const OrtEnv* env, const OrtModel* model,
                                              const OrtSessionOptions* options, OrtSession** out);

/// Compiles a model of the model editor. The last input that was set counts.
///
/// `model`  Kept by the options until they end or get another input; read when compiling begins.
///          Where the output goes must be said: the model has no path.
///
/// Fails with INVALID_ARGUMENT, also for a model without graph. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetInputModel(
    OrtModelCompilationOptions* model_compile_options, const OrtModel* model);

/// Reads a model file for a session that is not finished: it tells its inputs and outputs, takes
/// changes, and runs after OrtFinalizeModelEditorSession().
///
/// `options`  Borrowed for this call. NULL means the defaults.
/// `out`      A new session; give it back with OrtReleaseSession(). NULL after a failure.
///
/// Fails like OrtCreateSession(). Thread-safe. May block on file reads. Since 1.0.
ORTC_API OrtStatus* OrtCreateModelEditorSession(const OrtEnv* env, const char* model_path,
                                                const OrtSessionOptions* options, OrtSession** out);

/// As OrtCreateModelEditorSession(), for a model in memory.
///
/// `model_data`         Copied.
/// `model_data_length`  In bytes, 1 to 2^31-1.
///
/// Fails like OrtCreateSessionFromArray(). Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateModelEditorSessionFromArray(const OrtEnv* env, const void* model_data,
                                                         size_t model_data_length,
                                                         const OrtSessionOptions* options,
                                                         OrtSession** out);

/// Tells the opset of a domain that the session's model imports; any session will do.
///
/// `domain`  "" is ONNX's own.
///
/// Fails with INVALID_ARGUMENT; FAIL when the model does not import the domain. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtSessionGetOpsetForDomain(const OrtSession* session, const char* domain,
                                                int* opset);

/// Adds the nodes and initializers of a model to that of an unfinished session. Inputs and outputs
/// of the model, when it has any, take the place of the session's; an input that is none any more
/// must be an output of a new node. May be called several times; a failure changes nothing.
///
/// `model`  Borrowed for this call. Opsets of domains that both import must agree.
///
/// Fails with INVALID_ARGUMENT; INVALID_GRAPH when the result is impossible; MODEL_LOADED when the
/// session is finished. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtApplyModelToModelEditorSession(OrtSession* session, OrtModel* model);

/// Finishes a session: what OrtCreateSession() does after reading. A finished session stays as it
/// is.
///
/// `options`  Borrowed for this call; those given before do not count. NULL means the defaults.
/// `prepacked_weights_container`  NULL.
///
/// Fails like OrtCreateSession(), and the session stays unfinished; NOT_IMPLEMENTED for a
/// container. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtFinalizeModelEditorSession(
    OrtSession* session, const OrtSessionOptions* options,
    OrtPrepackedWeightsContainer* prepacked_weights_container);

#ifdef __cplusplus
}
#endif

// SPDX-License-Identifier: MIT
// Values in a graph: name, type, who makes and who reads them, and the initializer behind them.
// Lifetime, lists and threads are those of graph.h.
#pragma once

#include "ort_c/graph.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Gives back a value that the model editor made.
///
/// `value_info`  Ends here. NULL is allowed. A value that belongs to a graph is not ended: the
///               graph does that.
///
/// Since 1.0.
ORTC_API void OrtReleaseValueInfo(OrtValueInfo* value_info);

/// Tells the value's name.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetValueInfoName(const OrtValueInfo* value_info, const char** name);

/// Tells the value's type: of the model and as inferred.
///
/// `type_info`  Borrowed: not to be released.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetValueInfoTypeInfo(const OrtValueInfo* value_info,
                                            const OrtTypeInfo** type_info);

/// Tells the node of the view that makes the value.
///
/// `producer_node`          Borrowed; NULL when no node of the view does: an input, an initializer,
///                          a value from the outer scope.
/// `producer_output_index`  Which of its outputs the value is; 0 without a node.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a value of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtValueInfo_GetValueProducer(const OrtValueInfo* value_info,
                                                  const OrtNode** producer_node,
                                                  size_t* producer_output_index);

/// Counts the places where nodes of the view read the value.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a value of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtValueInfo_GetValueNumConsumers(const OrtValueInfo* value_info,
                                                      size_t* num_consumers);

/// Lists the places where nodes of the view read the value. A node stands there once for each of
/// its inputs, and once more when its sub-graphs read the value.
///
/// `nodes`          Filled with borrowed nodes.
/// `input_indices`  Filled, in the same order, with the number of the node's input; -1 where
///                  sub-graphs of the node read the value.
/// `num_consumers`  Room in both arrays.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a value of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtValueInfo_GetValueConsumers(const OrtValueInfo* value_info,
                                                   const OrtNode** nodes, int64_t* input_indices,
                                                   size_t num_consumers);

/// Shows the initializer behind the value, also when it belongs to an enclosing graph or can be
/// overridden.
///
/// `initializer_value`  Borrowed: not to be released, and not to be written. NULL when there is
///                      none, which is not a failure.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a value of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtValueInfo_GetInitializerValue(const OrtValueInfo* value_info,
                                                     const OrtValue** initializer_value);

/// Tells where the bytes of the initializer stand, when that is a file beside the model.
///
/// `info`  A new object; give it back with OrtReleaseExternalInitializerInfo(). NULL, which is no
///         failure, when the value has no initializer or it stands in the model itself.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a value of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtValueInfo_GetExternalInitializerInfo(const OrtValueInfo* value_info,
                                                            OrtExternalInitializerInfo** info);

/// Says whether the value is an input of the view that every run must give.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a value of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtValueInfo_IsRequiredGraphInput(const OrtValueInfo* value_info,
                                                      bool* is_required_graph_input);

/// Says whether the value is a graph input with an initializer behind it, which a run may override.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a value of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtValueInfo_IsOptionalGraphInput(const OrtValueInfo* value_info,
                                                      bool* is_optional_graph_input);

/// Says whether the value is an output of the view.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a value of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtValueInfo_IsGraphOutput(const OrtValueInfo* value_info,
                                               bool* is_graph_output);

/// Says whether the value is an initializer that no run can override, also of an enclosing graph.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a value of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtValueInfo_IsConstantInitializer(const OrtValueInfo* value_info,
                                                       bool* is_constant_initializer);

/// Says whether a sub-graph takes the value from an enclosing graph.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for a value of the model editor. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtValueInfo_IsFromOuterScope(const OrtValueInfo* value_info,
                                                  bool* is_from_outer_scope);

// Where the bytes of an initializer stand.

/// Makes a description of bytes in a file.
///
/// `filepath`     Copied: a path below the model's folder, as the model gives it. Not empty.
/// `file_offset`  Where the bytes begin, 0 or more.
/// `byte_size`    How many they are.
/// `out`          A new object; give it back with OrtReleaseExternalInitializerInfo(). NULL after a
///                failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateExternalInitializerInfo(const char* filepath, int64_t file_offset,
                                                     size_t byte_size,
                                                     OrtExternalInitializerInfo** out);

/// Gives a description back.
///
/// `info`  Ends here, and with it what was borrowed from it. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseExternalInitializerInfo(OrtExternalInitializerInfo* info);

/// Tells the file, relative to the model's folder, as the model gives it.
///
/// Gives NULL when `info` is NULL. The text lives as long as `info`. Thread-safe. Since 1.0.
ORTC_API const char* OrtExternalInitializerInfo_GetFilePath(const OrtExternalInitializerInfo* info);

/// Tells where in the file the bytes begin.
///
/// Gives 0 when `info` is NULL. Thread-safe. Since 1.0.
ORTC_API int64_t OrtExternalInitializerInfo_GetFileOffset(const OrtExternalInitializerInfo* info);

/// Tells how many bytes they are.
///
/// Gives 0 when `info` is NULL. Thread-safe. Since 1.0.
ORTC_API size_t OrtExternalInitializerInfo_GetByteSize(const OrtExternalInitializerInfo* info);

#ifdef __cplusplus
}
#endif

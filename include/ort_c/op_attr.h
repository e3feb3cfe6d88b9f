// SPDX-License-Identifier: MIT
// Attributes of nodes: read from a view (graph.h), or made for the model editor.
#pragma once

#include "ort_c/graph.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of attributes.
typedef enum OrtOpAttrType {
  ORT_OP_ATTR_UNDEFINED = 0,  // of a kind that this interface does not have
  ORT_OP_ATTR_INT = 1,
  ORT_OP_ATTR_INTS = 2,
  ORT_OP_ATTR_FLOAT = 3,
  ORT_OP_ATTR_FLOATS = 4,
  ORT_OP_ATTR_STRING = 5,
  ORT_OP_ATTR_STRINGS = 6,
  ORT_OP_ATTR_GRAPH = 7,   // see OrtNode_GetSubgraphs()
  ORT_OP_ATTR_TENSOR = 8,  // see OrtOpAttr_GetTensorAttributeAsOrtValue()
} OrtOpAttrType;

/// Makes an attribute.
///
/// `name`     Copied, not empty.
/// `data`     Copied: an int64_t, int64_t[len], float, float[len], char[len] (any bytes) or
///            const char*[len], as `type` says.
/// `len`      How many elements, or bytes of a text; 0 or more. Not looked at for one number.
/// `type`     What `data` is.
/// `op_attr`  A new attribute; give it back with OrtReleaseOpAttr(), or to OrtCreateNode(). NULL
///            after a failure.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for graphs and tensors (an initializer does the
/// same). Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateOpAttr(const char* name, const void* data, int len, OrtOpAttrType type,
                                    OrtOpAttr** op_attr);

/// Gives back an attribute made with OrtCreateOpAttr().
///
/// `op_attr`  Ends here. NULL is allowed, and so is an attribute that belongs to a node: it stays.
///
/// Since 1.0.
ORTC_API void OrtReleaseOpAttr(OrtOpAttr* op_attr);

/// Copies the content of an attribute.
///
/// `type`  What is expected; it must be the attribute's.
/// `data`  Filled: numbers; the bytes of a text, without an end mark; texts one after the other,
///         each with its end mark.
/// `len`   Room in bytes.
/// `out`   How many bytes the content takes, also when there was not enough room.
///
/// Fails with INVALID_ARGUMENT: not enough room, or another type. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtReadOpAttr(const OrtOpAttr* op_attr, OrtOpAttrType type, void* data,
                                  size_t len, size_t* out);

/// Tells the attribute's type.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtOpAttr_GetType(const OrtOpAttr* attribute, OrtOpAttrType* type);

/// Tells the attribute's name.
///
/// `name`  Borrowed; lives as long as the attribute.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtOpAttr_GetName(const OrtOpAttr* attribute, const char** name);

/// Gives the tensor of an attribute.
///
/// `attr_tensor`  A new value with a copy of the bytes, the caller's to write. Give it back with
///                OrtReleaseValue(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, also when the attribute is not a tensor. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtOpAttr_GetTensorAttributeAsOrtValue(const OrtOpAttr* attribute,
                                                           OrtValue** attr_tensor);

#ifdef __cplusplus
}
#endif

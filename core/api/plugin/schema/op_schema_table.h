// SPDX-License-Identifier: MIT
// Entries of OrtEpApi that tell libraries of execution providers what operators take and give. The
// form is that of core/api/abi/ort_table_overrides.h.
#pragma once

#include "ort_c/ort_api.h"

namespace ortc::api::table {

// NULL for an unknown operator.
OrtStatus* GetOpSchema(const char* name, int max_inclusive_version, const char* domain,
                       OrtOpSchema** out_schema) noexcept;
void ReleaseOpSchema(OrtOpSchema* input) noexcept;
OrtStatus* OpSchema_GetSinceVersion(const OrtOpSchema* schema, int* out) noexcept;
OrtStatus* OpSchema_GetNumInputs(const OrtOpSchema* schema, size_t* out) noexcept;
OrtStatus* OpSchema_GetInputName(const OrtOpSchema* schema, size_t index,
                                 const char** out) noexcept;
OrtStatus* OpSchema_GetInputTypeConstraint(const OrtOpSchema* schema, size_t index,
                                           const OrtOpSchemaTypeConstraint** out) noexcept;
OrtStatus* OpSchema_GetNumOutputs(const OrtOpSchema* schema, size_t* out) noexcept;
OrtStatus* OpSchema_GetOutputName(const OrtOpSchema* schema, size_t index,
                                  const char** out) noexcept;
OrtStatus* OpSchema_GetOutputTypeConstraint(const OrtOpSchema* schema, size_t index,
                                            const OrtOpSchemaTypeConstraint** out) noexcept;
OrtStatus* OpSchema_GetTypeConstraintCount(const OrtOpSchema* schema, size_t* out) noexcept;
OrtStatus* OpSchema_GetTypeConstraint(const OrtOpSchema* schema, size_t index,
                                      const OrtOpSchemaTypeConstraint** out) noexcept;
OrtStatus* OpSchemaTypeConstraint_GetTypeParamName(const OrtOpSchemaTypeConstraint* type_constraint,
                                                   const char** out) noexcept;
OrtStatus* OpSchemaTypeConstraint_GetAllowedTypes(const OrtOpSchemaTypeConstraint* type_constraint,
                                                  const char* const** out_types,
                                                  size_t* num_types) noexcept;
OrtStatus* OpSchemaTypeConstraint_GetInputIndices(const OrtOpSchemaTypeConstraint* type_constraint,
                                                  const size_t** out_indices,
                                                  size_t* count) noexcept;
OrtStatus* OpSchemaTypeConstraint_GetOutputIndices(const OrtOpSchemaTypeConstraint* type_constraint,
                                                   const size_t** out_indices,
                                                   size_t* count) noexcept;

}  // namespace ortc::api::table

// SPDX-License-Identifier: MIT
// What libraries ask of operators: see the header.
#include "core/api/plugin/schema/op_schema_table.h"

#include "core/api/guard.h"
#include "core/api/plugin/schema/op_schema_handle.h"
#include "core/base/result.h"
#include "core/graph/channels_last_domain.h"
#include "core/ops/signatures/layout_sensitive.h"

namespace ortc::api::table {
namespace {

template <typename T>
Result<const T*> at(const std::vector<T>& list, size_t index, std::string_view what) {
  if (index < list.size()) return &list[index];
  return invalid_argument("'index' is ", index, ", but the operator has ", list.size(), " ", what);
}

template <typename T>
void give(const std::vector<T>& list, const T** items, size_t* count) {
  *items = list.data();
  *count = list.size();
}

}  // namespace

OrtStatus* GetOpSchema(const char* name, int max_inclusive_version, const char* domain,
                       OrtOpSchema** out_schema) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out_schema);
    ORTC_NEEDED(name);
    ORTC_NEEDED(domain);
    if (std::string_view(domain) == kChannelsLastDomain && !is_layout_sensitive(name)) return {};
    const auto signature = find_op_signature(domain, name, max_inclusive_version);
    if (signature.has_value()) *out_schema = new OrtOpSchema(*signature);
    return {};
  });
}

void ReleaseOpSchema(OrtOpSchema* input) noexcept { delete input; }

OrtStatus* OpSchema_GetSinceVersion(const OrtOpSchema* schema, int* out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(schema);
    *out = schema->since;
    return {};
  });
}

OrtStatus* OpSchema_GetNumInputs(const OrtOpSchema* schema, size_t* out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(schema);
    *out = schema->inputs.size();
    return {};
  });
}

OrtStatus* OpSchema_GetInputName(const OrtOpSchema* schema, size_t index,
                                 const char** out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(schema);
    ASSIGN_OR_RETURN(const auto* input, at(schema->inputs, index, "inputs"));
    *out = input->name.c_str();
    return {};
  });
}

OrtStatus* OpSchema_GetInputTypeConstraint(const OrtOpSchema* schema, size_t index,
                                           const OrtOpSchemaTypeConstraint** out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(schema);
    ASSIGN_OR_RETURN(const auto* input, at(schema->inputs, index, "inputs"));
    *out = input->constraint;
    return {};
  });
}

OrtStatus* OpSchema_GetNumOutputs(const OrtOpSchema* schema, size_t* out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(schema);
    *out = schema->outputs.size();
    return {};
  });
}

OrtStatus* OpSchema_GetOutputName(const OrtOpSchema* schema, size_t index,
                                  const char** out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(schema);
    ASSIGN_OR_RETURN(const auto* output, at(schema->outputs, index, "outputs"));
    *out = output->name.c_str();
    return {};
  });
}

OrtStatus* OpSchema_GetOutputTypeConstraint(const OrtOpSchema* schema, size_t index,
                                            const OrtOpSchemaTypeConstraint** out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(schema);
    ASSIGN_OR_RETURN(const auto* output, at(schema->outputs, index, "outputs"));
    *out = output->constraint;
    return {};
  });
}

OrtStatus* OpSchema_GetTypeConstraintCount(const OrtOpSchema* schema, size_t* out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(schema);
    *out = schema->constraints.size();
    return {};
  });
}

OrtStatus* OpSchema_GetTypeConstraint(const OrtOpSchema* schema, size_t index,
                                      const OrtOpSchemaTypeConstraint** out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(schema);
    ASSIGN_OR_RETURN(*out, at(schema->constraints, index, "type constraints"));
    return {};
  });
}

OrtStatus* OpSchemaTypeConstraint_GetTypeParamName(const OrtOpSchemaTypeConstraint* type_constraint,
                                                   const char** out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(type_constraint);
    *out = type_constraint->name.c_str();
    return {};
  });
}

OrtStatus* OpSchemaTypeConstraint_GetAllowedTypes(const OrtOpSchemaTypeConstraint* type_constraint,
                                                  const char* const** out_types,
                                                  size_t* num_types) noexcept {
  return guard([&]() -> Status {
    empty_outs(out_types, num_types);
    ORTC_NEEDED(out_types);
    ORTC_NEEDED(num_types);
    ORTC_NEEDED(type_constraint);
    give(type_constraint->type_texts, out_types, num_types);
    return {};
  });
}

OrtStatus* OpSchemaTypeConstraint_GetInputIndices(const OrtOpSchemaTypeConstraint* type_constraint,
                                                  const size_t** out_indices,
                                                  size_t* count) noexcept {
  return guard([&]() -> Status {
    empty_outs(out_indices, count);
    ORTC_NEEDED(out_indices);
    ORTC_NEEDED(count);
    ORTC_NEEDED(type_constraint);
    give(type_constraint->inputs, out_indices, count);
    return {};
  });
}

OrtStatus* OpSchemaTypeConstraint_GetOutputIndices(const OrtOpSchemaTypeConstraint* type_constraint,
                                                   const size_t** out_indices,
                                                   size_t* count) noexcept {
  return guard([&]() -> Status {
    empty_outs(out_indices, count);
    ORTC_NEEDED(out_indices);
    ORTC_NEEDED(count);
    ORTC_NEEDED(type_constraint);
    give(type_constraint->outputs, out_indices, count);
    return {};
  });
}

}  // namespace ortc::api::table

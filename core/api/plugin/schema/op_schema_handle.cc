// SPDX-License-Identifier: MIT
// Signatures for libraries: see the header.
#include "core/api/plugin/schema/op_schema_handle.h"

OrtOpSchema::OrtOpSchema(const ortc::OpSignature& signature)
    : since(signature.since), constraints(signature.constraints.size()) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    OrtOpSchemaTypeConstraint& constraint = constraints[i];
    constraint.name = signature.constraints[i].name;
    for (std::string_view type : signature.constraints[i].types)
      constraint.types.emplace_back(type);
    for (const std::string& type : constraint.types) constraint.type_texts.push_back(type.c_str());
  }
  const auto take = [this](const std::vector<ortc::OpParameter>& from, std::vector<Parameter>& to,
                           std::vector<size_t> OrtOpSchemaTypeConstraint::*users) {
    for (size_t i = 0; i < from.size(); ++i) {
      Parameter& parameter = to.emplace_back();
      parameter.name = from[i].name;
      for (OrtOpSchemaTypeConstraint& constraint : constraints) {
        if (constraint.name != from[i].type) continue;
        parameter.constraint = &constraint;
        (constraint.*users).push_back(i);
      }
    }
  };
  take(signature.inputs, inputs, &OrtOpSchemaTypeConstraint::inputs);
  take(signature.outputs, outputs, &OrtOpSchemaTypeConstraint::outputs);
}

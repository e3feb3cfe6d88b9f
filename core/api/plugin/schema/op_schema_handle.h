// SPDX-License-Identifier: MIT
// An operator's signature as libraries of providers read it: all texts end in 0, and stay where
// they are until the handle is released.
#pragma once

#include <string>
#include <vector>

#include "core/ops/signatures/op_signature.h"
#include "ort_c/ort_api.h"

struct OrtOpSchemaTypeConstraint {
  std::string name;
  std::vector<std::string> types;
  std::vector<const char*> type_texts;  // of `types`
  std::vector<size_t> inputs, outputs;  // that have it
};

struct OrtOpSchema {
  struct Parameter {
    std::string name;
    const OrtOpSchemaTypeConstraint* constraint = nullptr;  // null: has one type
  };

  explicit OrtOpSchema(const ortc::OpSignature& signature);
  OrtOpSchema(const OrtOpSchema&) = delete;
  OrtOpSchema& operator=(const OrtOpSchema&) = delete;

  int since;
  std::vector<OrtOpSchemaTypeConstraint> constraints;
  std::vector<Parameter> inputs, outputs;
};

// SPDX-License-Identifier: MIT
// Functions of the program that give and take context data. Named types, so that the functions
// themselves can be shown to libraries of providers, which call them too.
#pragma once

#include "core/context/context_data.h"
#include "ort_c/model_compiler.h"
#include "ort_c/session_options.h"

namespace ortc::api {

// As a ContextDataReader.
struct ReadByProgram {
  OrtReadNamedBufferFunc function;
  void* state;
  Result<Blob> operator()(const std::string& name) const;
};

// As a ContextDataWriter.
struct WriteByProgram {
  OrtWriteNamedBufferFunc function;
  void* state;
  Status operator()(const std::string& name, Bytes data) const;
};

}  // namespace ortc::api

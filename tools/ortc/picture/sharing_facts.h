// SPDX-License-Identifier: MIT
// Who uses what: the files that hold tensors of several models, and for each tensor the models
// whose graphs read it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/ortc/picture/model_facts.h"

namespace ortc::tool {

struct SharedTensor {
  TensorFacts facts;
  std::vector<size_t> users;  // numbers of models, sorted
};

struct SharedFile {
  std::string name;                   // as the first model has it
  std::vector<SharedTensor> tensors;  // by offset
  uint64_t bytes = 0;                 // of its tensors, as they are stored
};

struct ModelShare {
  uint64_t bytes = 0;        // of all tensors in files that it uses
  uint64_t alone_bytes = 0;  // of those that no other model uses
};

struct SharingFacts {
  std::vector<std::string> models;  // their names
  std::vector<ModelShare> shares;
  std::vector<SharedFile> files;
  uint64_t used_bytes = 0;    // by all models, as if each had its own
  uint64_t stored_bytes = 0;  // of tensors that some model uses, each once
  uint64_t unused_bytes = 0;  // of tensors that none of these models uses
  // Equal tensors that are in several files: compiled as one group they would be stored once.
  uint64_t repeated_bytes = 0;
  size_t repeated_tensors = 0;

  uint64_t saved_bytes() const { return used_bytes - stored_bytes; }
};

SharingFacts sharing_of(const std::vector<ModelFacts>& models);

}  // namespace ortc::tool

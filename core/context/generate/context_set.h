// SPDX-License-Identifier: MIT
// What is written together: a model, or those of a sharing group, with the containers that their
// nodes name. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/context/compile_report.h"
#include "core/context/generate/prepared_model.h"

namespace ortc {

class ContextSet {
 public:
  // `is_shared`: by the models of a group. Large tensors go to a file without a name as they come.
  ContextSet(std::unique_ptr<OutputSet> output, bool is_shared)
      : output_(std::move(output)), is_shared_(is_shared) {}

  OutputSet& output() { return *output_; }
  bool is_shared() const { return is_shared_; }
  // The container of the options' provider, made at the first call. INVALID_ARGUMENT when another
  // model of the group asked for it with another target or compression.
  Result<std::shared_ptr<ContextBinaryWriter>> container(
      const ContextBinaryWriter::Options& options, bool goes_to_file);

  void add(PreparedModel model) { models_.push_back(std::move(model)); }
  // Everything, or nothing. `write_context_data` may be empty.
  Status publish(const ContextDataWriter& write_context_data, Work& work, CompileReport& report);

  size_t model_count() const { return models_.size(); }
  const std::map<std::string, std::shared_ptr<ContextBinaryWriter>>& containers() const {
    return containers_;
  }

 private:
  uint64_t units_of_writing() const;
  Result<Hash128> seal(Work& work);
  Status give(const std::string& name, Bytes bytes, const Work& work);
  Status give_container(ContextBinaryWriter& container, const Work& work);
  Status check_files() const;
  Status stage_files(const Hash128& generation, const Work& work);

  std::unique_ptr<OutputSet> output_;
  bool is_shared_;
  std::map<std::string, std::shared_ptr<ContextBinaryWriter>> containers_;  // by provider
  std::map<std::string, std::pair<std::string, int>> terms_;  // target and compression, likewise
  std::vector<PreparedModel> models_;
  const ContextDataWriter* write_context_data_ = nullptr;  // while publishing
};

}  // namespace ortc

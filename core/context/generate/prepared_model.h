// SPDX-License-Identifier: MIT
// A context model as it will be written, but for the generation: that is a hash of everything that
// is written with it, other models of its sharing group among it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/context/binary_writer.h"
#include "core/context/context_data.h"
#include "core/context/external_initializers.h"
#include "core/context/generate/provider_sink.h"
#include "core/context/output/output_set.h"
#include "core/graph/model.h"
#include "core/options/context_settings.h"
#include "core/platform/file_map.h"

namespace ortc {

class PreparedModel {
 public:
  // `number`: of the model in the output set.
  PreparedModel(Model model, size_t number, const ContextSettings& settings,
                InitializerPlaces initializers);

  // Where initializers go. Large ones that the container holds are read from there; in a group
  // (`is_shared`) it takes all of them, for the other models, and nothing of the program is needed
  // any more: its function was asked, its memory copied, and so is what is small in files. The
  // container may be null.
  Status place_initializers(std::shared_ptr<ContextBinaryWriter> container, bool is_shared);
  // Compresses and hashes the initializers that go to a file; the model learns of its source.
  Status finish(const std::optional<SourceIdentity>& source, Work& work, ThreadPool* pool);
  uint64_t expected_units() const { return external_.expected_units(); }

  // Files whose bytes are read until the model is written. FAIL when one was written to since:
  // what was lost of it would be fatal to read, and the rest would be of two models.
  void read_until_written(std::vector<ReadFile> files) { still_read_ = std::move(files); }
  Status check_files() const;

  // In this order. The first adds all bytes but the generation.
  Status seal(Hasher& hasher, Work& work);
  void set_generation(const Hash128& generation);
  Status write_initializers(OutputSet& output, const Hash128& generation) const;
  Status write(OutputSet& output, Work& work);

  size_t number() const { return number_; }
  std::vector<ProviderSink::Raw> raws;  // that no node embeds

 private:
  ExportOptions exporting();
  Result<std::optional<ExternalLocation>> place(const Value& value);
  using ConstantPtr = std::shared_ptr<const Constant>;
  using Replace = std::function<Result<ConstantPtr>(const ConstantPtr&)>;
  Status replace_constants(const Replace& replace);
  Status leave_in_container(bool adds);
  Status outlast_program();
  Result<ConstantPtr> lasting(const ConstantPtr& constant);
  void note_view(Bytes bytes);

  Model model_;
  size_t number_;
  std::string initializers_file_;
  bool aligns_contexts_;
  ExternalInitializers external_;
  ExternalInitializersRecord record_;
  std::function<Status()> all_chosen_;
  bool may_stay_in_context_;
  bool chooses_;
  ChosenLocations chosen_;
  std::shared_ptr<ContextBinaryWriter> container_;
  std::map<const Constant*, uint32_t> in_container_;  // and their numbers there
  std::vector<Node*> tied_;                           // get the generation
  std::vector<ReadFile> still_read_;
  uint64_t copied_bytes_ = 0;
  uint64_t size_ = 0;
};

}  // namespace ortc

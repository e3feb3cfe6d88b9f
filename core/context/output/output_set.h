// SPDX-License-Identifier: MIT
// What a compile writes, published together or not at all: a model, its context binaries, its
// external initializers; or, of a sharing group, several models and what they share.
//
//   route    the model goes to                the other files go to
//   file     a file of the folder             the same folder, or a folder beneath it
//   stream   a function, piece by piece       a folder, if one was named; else there are none
//
//   OutputSet set(place, rules);
//   set.expect("m_aot.bin");       for every file, as soon as its name is known
//   set.check();                   before compiling; no lock is held
//   set.begin(limits);             waits for the folder's lock; checks again
//   set.stage("m_aot.bin");        each file, to be written
//   set.write_model(0, size, ..);  a stream gets the model when all files are on the device
//   set.commit(generation);        from here on readers see the new set
//
// Until commit() nothing of an earlier set has changed; a set that is destroyed without it leaves
// nothing behind. Memory is a stream whose begin() allocates.
//
// No output replaces a file that the source model reads, nor one that another model of the folder
// reads; the error names that model.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/context/file_readers.h"
#include "core/context/source_identity.h"
#include "core/platform/wait_limits.h"

namespace ortc {

class FileTransaction;
class StagedFile;

inline constexpr size_t kStreamPieceMax = size_t{1} << 20;

// Where a model goes that goes to no file. A failure of either function fails the set, with that
// status; none of its files is kept then.
struct ModelStream {
  std::function<Status(uint64_t size)> begin;  // once, before the first piece; may be empty
  std::function<Status(Bytes piece)> write;    // in order, kStreamPieceMax bytes at most
};

struct OutputPlace {
  std::string folder;      // of the set's files; "": the set has none beside a streamed model
  std::string model_name;  // of the file, or what a streamed model would be called
  std::optional<ModelStream> stream;

  static OutputPlace file(const std::string& model_path);
  // Binaries are named after `model_name`; "" and a name without extension get one.
  static OutputPlace streamed(ModelStream stream, std::string folder = {},
                              std::string model_name = {});
  bool is_file() const { return !stream.has_value(); }
  std::string model_path() const;  // for names and messages, also of a streamed model
};

struct OutputRules {
  bool overwrite = false;       // what stands under the set's names may be replaced ...
  bool replace_shared = false;  // ... even when another model of the folder reads it
  // The source, whose files are never replaced. Bytes, of a model from memory, are borrowed.
  std::string source_path;
  Bytes source_bytes;
  std::string source_folder;  // of its external data, when that is not the model's own

  // The files that the source reads; borrowed bytes are not needed any more once it was called.
  const ModelFiles& source_files();
  // Of the source; nothing when none is named. Reads and hashes all of it. FAIL when it is not the
  // file any more that was `read`.
  Result<std::optional<SourceIdentity>> source_identity(
      const std::optional<FileIdentity>& read) const;

 private:
  std::optional<ModelFiles> source_files_;
};

class OutputSet {
 public:
  struct File {
    std::string path;
    uint64_t bytes = 0;
  };

  using ByteSink = std::function<Status(Bytes)>;
  using Produce = std::function<Status(const ByteSink&)>;

  OutputSet(OutputPlace place, OutputRules rules);
  ~OutputSet();
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;

  // One more model, whose number is given back; the first one is 0. INVALID_ARGUMENT when it goes
  // to another folder, or its file has the name of another one of the set.
  Result<size_t> add_model(OutputPlace place, OutputRules rules);
  size_t model_count() const { return models_.size(); }
  const OutputPlace& place(size_t model = 0) const { return models_[model].place; }
  const OutputRules& rules(size_t model) const { return models_[model].rules; }
  // The model's source need not be in memory any more.
  void let_go_of_source(size_t model);

  // A file that the set will have, besides the models: a name in the folder, or a path beneath it
  // ("sub/w.bin"). INVALID_ARGUMENT when it is neither, when another file of the set has that name,
  // or when the place has no folder. `model` is whose file it is, where it is one model's.
  Status expect(const std::string& name, std::optional<size_t> model = {});
  // The model is made again, and says again which files it has.
  void expect_again(size_t model);

  // What can be known to fail: the folder is missing or not writable, the output is the source,
  // a name is taken, a file belongs to another model. FAIL; INVALID_ARGUMENT for the first.
  // `may_grow`: more models are to come, perhaps the one that a file belongs to.
  Status check(bool may_grow = false);

  // Takes the folder's lock, completes what ended writers left, checks again. Where there is no
  // folder, nothing. The failure of limits.go_on() is given back as it is.
  Status begin(const WaitLimits& limits = {});
  // A file that was expected, to be written by the caller. It belongs to the set.
  Result<StagedFile*> stage(const std::string& name);
  // The same, made with StagedFile::create_unnamed().
  Result<StagedFile*> stage(const std::string& name, std::unique_ptr<StagedFile> file);
  // A model, after the files, and those with a stream after all others. `produce` gives its `size`
  // bytes to the sink it is handed.
  Status write_model(size_t model, uint64_t size, const Produce& produce);
  Status commit(const std::string& generation);

  // Of a committed set; a streamed model is not among them.
  const std::vector<File>& files() const { return files_; }

 private:
  struct OutputModel {
    OutputPlace place;
    OutputRules rules;
  };
  bool has_files() const;
  const std::string& folder() const { return models_.front().place.folder; }
  std::set<std::string> model_names() const;
  std::string primary() const;
  bool may_overwrite() const;
  Status complete_behind_links(const WaitLimits& limits) const;
  Status check_folder() const;
  Status check_name(const std::string& name, const OutputRules& rules, bool may_grow);
  Status check_sources(const std::string& path);
  Status check_readers(const std::string& name) const;
  Status stream_model(const ModelStream& stream, uint64_t size, const Produce& produce);

  std::vector<OutputModel> models_;
  struct Expected {
    std::string name;
    std::optional<size_t> model;
  };
  std::vector<Expected> expected_;  // the files besides the models
  std::unique_ptr<FileTransaction> transaction_;
  std::vector<std::pair<std::string, StagedFile*>> staged_;
  std::vector<File> files_;
};

}  // namespace ortc

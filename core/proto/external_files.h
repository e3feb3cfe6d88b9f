// SPDX-License-Identifier: MIT
// The files beside a model that its names lead to, each opened beneath the model's folder and
// mapped once per process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/platform/file_map.h"
#include "core/platform/folder.h"
#include "core/proto/external_frames.h"

namespace ortc {

class ExternalFiles {
 public:
  // `folder`: "" is the current one. `model_path`: when it is a symbolic link, links into the
  // folder where it leads are allowed too; "" for none. The file system is asked when the first
  // name is opened, not before.
  // `current_name`: where a file stands now whose writer has not given it its name yet; may be
  // empty.
  ExternalFiles(std::string folder, std::string model_path, Access access,
                std::function<std::string(const std::string&)> current_name = {})
      : folder_path_(std::move(folder)),
        model_path_(std::move(model_path)),
        access_(access),
        current_name_(std::move(current_name)) {}

  // For a model at `model_path`; `folder` when it is not the model's own, "" otherwise.
  static ExternalFiles of_model(const std::string& model_path, const std::string& folder,
                                Access access,
                                std::function<std::string(const std::string&)> current_name = {});

  // Contents of files by name, in place of the files: none is opened then. Borrowed.
  void set_contents(const std::map<std::string, Bytes>* contents) { contents_ = contents; }

  // Initializers of a compiled model may stand in a context binary of it: names that its nodes have
  // too, by what plain_location() makes of them, are asked of `read`, or opened as those of
  // `files` where there is no such function.
  struct Contexts {
    // Plain names, and as the node has them. Called once, when the first file is asked for.
    std::function<std::map<std::string, std::string>()> find_names;
    std::function<Result<Blob>(const std::string&)> read;  // gives the same again
    std::shared_ptr<ExternalFiles> files;
  };
  void set_contexts(Contexts contexts) { contexts_ = std::move(contexts); }

  // Where open() says what it has opened; null: nobody asks.
  void set_opened(std::vector<ReadFile>* opened) { opened_ = opened; }

  // Where decode_tensor() says what cannot be read, and gives zeros instead; null: it fails.
  void set_missing(std::vector<std::string>* missing) { missing_ = missing; }
  std::vector<std::string>* missing() const { return missing_; }

  // What was decoded of the files.
  ExternalFrames& frames() { return frames_; }

  // FAIL when the name leaves the folder, is missing or no regular file.
  Result<std::shared_ptr<const FileMap>> open(const std::string& name);
  // All bytes of that name, wherever they come from. Those that a program gave in place of files
  // have no owner; FAIL when it gave some, but none of that name.
  Result<Blob> whole(const std::string& name);

 private:
  bool has_contents() const { return contents_ != nullptr && !contents_->empty(); }
  Result<Blob> whole_context(const std::string& name, const std::string& name_in_node);

  std::string folder_path_, model_path_;
  Access access_;
  std::function<std::string(const std::string&)> current_name_;
  const std::map<std::string, Bytes>* contents_ = nullptr;
  std::vector<std::string>* missing_ = nullptr;
  Contexts contexts_;
  std::optional<std::map<std::string, std::string>> context_names_;
  std::vector<ReadFile>* opened_ = nullptr;
  ExternalFrames frames_;
  std::shared_ptr<const Folder> folder_, real_folder_;
  std::map<std::string, std::shared_ptr<const FileMap>> by_name_;
};

}  // namespace ortc

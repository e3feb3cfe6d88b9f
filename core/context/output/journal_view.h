// SPDX-License-Identifier: MIT
// Reading through a transaction's journal, beside a writer: see transaction.h. Readers neither
// write nor lock.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/context/output/journal.h"
#include "core/platform/held_file.h"

namespace ortc {

// What a reader sees: the current name of each file of the set that `model_path` belongs to.
//
//   open a view, open every file through it, ask is_unchanged(): false says start again. A failed
//   open counts only when the view is unchanged.
class JournalView {
 public:
  // Reads the journal beside the model, if there is one. A damaged journal is as good as none when
  // the final files stand (commit is a rename: a committed journal is whole), so it is ignored.
  // NOT_IMPLEMENTED for a journal of a newer version.
  static Result<JournalView> open(const std::string& model_path);
  // For a model that is in no file, whose files are in the folder: all journals of it together.
  static Result<JournalView> open_folder(const std::string& folder);
  // The name to open in the folder for `name`: the staged file while a journal says so and it still
  // exists, else `name`. A file that was written without a model is looked up under its own name.
  std::string current_name(const std::string& name) const;
  // The result of `open(current name)`, a Result; tried again when the file got its final name
  // between question and open.
  template <typename Open>
  auto open_current(const std::string& name, const Open& open) const {
    const std::string first = current_name(name);
    auto result = open(first);
    if (result.is_ok() || first == name || current_name(name) == first) return result;
    return open(name);
  }
  // Opens what current_name() gave; without a journal, the model is what the view holds already.
  Result<std::shared_ptr<const FileMap>> open_file(const std::string& current, Access access) const;
  // The file under the model's final name, where no journal says otherwise.
  std::optional<FileIdentity> model_identity() const;
  // Whether the model's final name is a symbolic link.
  bool is_model_behind_link() const;
  bool is_empty() const { return entries_.empty(); }
  // True when folder and journal still say the same: checked after all files were opened; false:
  // start again.
  bool is_unchanged() const;
  const std::string& folder() const { return folder_; }

 private:
  std::shared_ptr<const HeldFile> open_model() const;
  Status read_all();

  std::string folder_, primary_, journal_text_;
  bool is_of_folder_ = false;
  std::vector<JournalEntry> entries_;
  std::shared_ptr<const HeldFile> model_;  // under its final name, when the view was opened
};

}  // namespace ortc

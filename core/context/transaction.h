// SPDX-License-Identifier: MIT
// Several files of one folder that appear together or not at all.
//
//   stage     every file is written under a unique name beside its target and synced (StagedFile)
//   commit    a journal (staged names, final names, generation) is renamed to ".<model file
//   name>.ortc-journal": from here on
//             readers see the new set, by reading through the journal
//   complete  staged files are renamed to their final names, the folder is synced, the journal is
//   removed
//
// A process that ends anywhere leaves either the old set or the new one. Only a transaction, which
// holds the folder's exclusive lock from begin() to its end, completes or removes what an ended
// process left: readers never write or lock. The journal is untrusted input: checked by checksum,
// plain names in the same folder only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/platform/file.h"
#include "core/platform/staged_write.h"

namespace ortc {

class FileTransaction {
 public:
  // `primary`: plain name of the file that readers open first (the model); the journal's name
  // follows from it. Waits for another transaction in the folder; then completes committed journals
  // in it and removes staged files and unfinished journals that ended processes left behind.
  static Result<std::unique_ptr<FileTransaction>> begin(const std::string& folder,
                                                        const std::string& primary);
  ~FileTransaction();  // without commit(): every staged file is gone, nothing has changed

  // A new file of the set; `name` is plain. Write it, then seal() it.
  Result<StagedFile*> stage(const std::string& name);
  // Publishes all staged files (synced here when they are not yet). With `replace` false every name
  // must be free: FAIL
  // "... exists already" otherwise, and the primary appears last and in one step, so that a reader
  // without knowledge of journals sees nothing or all. After success the set is on the device.
  Status commit(bool replace, const std::string& generation);

 private:
  struct Entry {
    std::string name;
    std::unique_ptr<StagedFile> file;
  };
  FileTransaction() = default;
  Status write_journal(const std::string& generation, std::string* staged_journal);
  Status complete();
  std::string folder_, primary_;
  std::unique_ptr<FolderLock> lock_;
  std::vector<Entry> entries_;
};

// What a reader sees: the current name of each file of the set that `model_path` belongs to.
class JournalView {
 public:
  // Reads the journal beside the model, if there is one. A damaged journal is as good as none when
  // the final files stand (commit is a rename: a committed journal is whole), so it is ignored.
  static Result<JournalView> open(const std::string& model_path);
  // The plain name to open for `name`: the staged file while the journal says so and it still
  // exists, else `name`.
  std::string current_name(const std::string& name) const;
  bool is_empty() const { return entries_.empty(); }
  // True when folder and journal still say the same: checked after all files were opened; false:
  // start again.
  bool is_unchanged() const;
  const std::string& folder() const { return folder_; }

 private:
  struct Entry {
    std::string staged, name;
  };
  std::string folder_, journal_name_, journal_text_;
  std::vector<Entry> entries_;
};

std::string journal_name_of(const std::string& primary);

}  // namespace ortc

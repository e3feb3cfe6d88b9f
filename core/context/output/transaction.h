// SPDX-License-Identifier: MIT
// Several files of one folder that appear together or not at all.
//
//   stage     every file is written under a unique name beside its target and synced (StagedFile)
//   commit    a journal (staged names, final names, generation) is renamed to ".<model file
//             name>.ortc-journal": from here on readers see the new set, by reading through it; a
//             set of several models has marks that lead to it (journal.h)
//   complete  staged files are renamed to their final names, the folder is synced, the journal is
//             removed
//
// A process that ends anywhere leaves either the old set or the new one. Only a transaction, which
// holds the folder's exclusive lock from begin() to its end, completes or removes what an ended
// process left: readers never write or lock. The journal is untrusted input: checked by checksum,
// plain names in the same folder only. No one else keeps staged files in a folder of transactions:
// begin() removes them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/context/output/journal.h"
#include "core/platform/shared_folder/folder_lock.h"
#include "core/platform/staged_write.h"

namespace ortc {

class FileTransaction {
 public:
  // `primary`: plain name of the file that readers open first (the model); the journal's name
  // follows from it. "": the first file that is staged. Waits, within the limits, for another
  // transaction in the folder; then completes committed journals in it and removes staged files and
  // unfinished journals that ended processes left behind. The limits hold for commit() too, up to
  // the commit point.
  static Result<std::unique_ptr<FileTransaction>> begin(const std::string& folder,
                                                        const std::string& primary,
                                                        const WaitLimits& limits = {});
  // Completes what ended processes committed in a folder that no transaction of the caller's will
  // begin in. Where no journal stands, nothing.
  static Status complete_earlier(const std::string& folder, const WaitLimits& limits);
  // Without commit(): every staged file is gone, nothing has changed. The same after an exception
  // before the commit point. Allocates nothing.
  ~FileTransaction();
  FileTransaction(const FileTransaction&) = delete;
  FileTransaction& operator=(const FileTransaction&) = delete;

  // A new file of the set; `name` is plain or a path beneath the folder ("sub/w.bin": folders that
  // are missing are made after the commit point), and given once. Write it; commit() syncs and
  // closes it when the caller has not. It belongs to the transaction.
  Result<StagedFile*> stage(const std::string& name);
  // The same, of a file that was made by create_unnamed() in this folder.
  Result<StagedFile*> stage(const std::string& name, std::unique_ptr<StagedFile> file);
  // Readers open this one first too: they find the set by it as they do by the primary.
  void add_primary(const std::string& name) { more_primaries_.push_back(name); }
  // All staged files are on the device; they cannot be written any more.
  Status seal();
  // Publishes all staged files, the primary among them. With `replace` false every name must be
  // free, and is taken only if it is still free then: FAIL "... exists already" otherwise. The
  // primary appears last and in one step, so that, where nothing is replaced, a reader without
  // knowledge of journals sees nothing or all. After success the set is on the device. After a
  // failure nothing has changed, unless the message says that the new files are in place: then
  // readers see them, and only tidying up is left. Memory that runs out (std::bad_alloc) leaves one
  // or the other.
  Status commit(bool replace, const std::string& generation);

 private:
  FileTransaction() = default;
  Status recover();
  Status check_names(bool replace) const;
  Status check_stage(const std::string& name) const;
  Status publish_marks();
  void remove_marks();
  Status publish_journal(bool replace, const std::string& generation);
  Status complete();
  Status roll_back(Status reason);
  void release_files();

  struct Entry {
    std::string name;
    std::unique_ptr<StagedFile> file;
  };
  std::string folder_, primary_;
  std::vector<std::string> more_primaries_;
  std::vector<std::string> marks_;  // names of those that may stand
  WaitLimits limits_;
  std::unique_ptr<FolderLock> lock_;  // outlives the staged files
  std::vector<Entry> entries_;
  Journal journal_;  // the primary last
  std::string journal_name_;
  bool journal_stands_ = false;      // published, and not yet carried out
  bool journal_owns_files_ = false;  // and not this object
  bool is_committed_ = false;
};

}  // namespace ortc

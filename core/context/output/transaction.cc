// SPDX-License-Identifier: MIT
// FileTransaction. What is on the device when:
//
//   data and names of the staged files  before the journal gets its name
//   the journal                         before the first staged file gets its final name
//   the final names                     before the journal is removed
//
// A crash of the machine then finds what an end of the process finds. Everything here happens under
// the folder's lock.
#include "core/context/output/transaction.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/platform/path.h"
#include "core/platform/staged_name.h"

namespace ortc {

Result<std::unique_ptr<FileTransaction>> FileTransaction::begin(const std::string& folder,
                                                                const std::string& primary,
                                                                const WaitLimits& limits) {
  const std::string_view fault = primary.empty() ? "" : fault_of_final_name(primary);
  if (!fault.empty()) {
    return invalid_argument("expected the plain name of a file to write, found ", fault, ": '",
                            primary, "'");
  }
  std::unique_ptr<FileTransaction> transaction(new FileTransaction);
  transaction->folder_ = folder;
  transaction->primary_ = primary;
  transaction->limits_ = limits;
  ASSIGN_OR_RETURN(transaction->lock_, FolderLock::acquire(folder, limits));
  RETURN_IF_ERROR_WHILE(transaction->recover(), "while completing an earlier transaction");
  return transaction;
}

Status FileTransaction::complete_earlier(const std::string& folder, const WaitLimits& limits) {
  const auto names = list_folder(folder);
  if (!names.is_ok() || std::none_of(names->begin(), names->end(), is_journal_name)) {
    return Status::ok();
  }
  return begin(folder, "", limits).status();
}

// A journal that stands while the staged files go would speak of files that are not there.
FileTransaction::~FileTransaction() {
  if (journal_stands_ && !journal_owns_files_ && !lock_->remove_and_sync(journal_name_)) {
    release_files();
  } else if (!journal_stands_ || !journal_owns_files_) {
    remove_marks();
  }
}

Status FileTransaction::recover() {
  ASSIGN_OR_RETURN(const auto names, list_folder(folder_));
  std::vector<std::string> idle;
  for (const std::string& name : names) {
    if (!is_journal_name(name)) continue;
    ASSIGN_OR_RETURN(const auto file, read_journal(folder_, name));
    if (file) {
      // It may have been renamed by a process that ended before it made that sure.
      RETURN_IF_ERROR(sync_folder(folder_));
      RETURN_IF_ERROR(complete_journal(folder_, name, file->journal).status());
    } else {
      idle.push_back(name);
    }
  }
  // Nobody reads through them now: damaged ones, and marks, whose journals are carried out. When
  // one cannot be removed it does no harm.
  for (const std::string& name : idle) (void)remove_in_folder(folder_, name).is_ok();
  // With every journal carried out, no staged file belongs to anybody.
  for (const std::string& name : names) {
    if (is_staged_name(name)) (void)remove_in_folder(folder_, name).is_ok();
  }
  return Status::ok();
}

Status FileTransaction::check_stage(const std::string& name) const {
  if (is_committed_ || journal_stands_) {
    return invalid_argument("cannot add file '", name, "' to a transaction that was committed");
  }
  if (const std::string_view fault = fault_of_final_path(name); !fault.empty()) {
    return invalid_argument("expected the name of a file beneath the folder, found ", fault, ": '",
                            name, "'");
  }
  for (const Entry& entry : entries_) {
    if (!paths_collide(entry.name, name)) continue;
    return invalid_argument("cannot add file '", name, "' to a transaction that has '", entry.name,
                            "'");
  }
  if (entries_.size() == kJournalEntryLimit) {
    return invalid_argument("cannot add file '", name, "': a transaction has at most ",
                            kJournalEntryLimit, " files");
  }
  return MadeFolders::check(folder_, name);
}

Result<StagedFile*> FileTransaction::stage(const std::string& name) {
  RETURN_IF_ERROR(check_stage(name));
  // In the folder itself, wherever the file goes: whoever tidies up need not look beneath.
  ASSIGN_OR_RETURN(auto file, StagedFile::create(folder_, path_file_name(name), name));
  file->set_limits(limits_);
  entries_.push_back({name, std::move(file)});
  if (primary_.empty()) primary_ = name;
  return entries_.back().file.get();
}

Result<StagedFile*> FileTransaction::stage(const std::string& name,
                                           std::unique_ptr<StagedFile> file) {
  RETURN_IF_ERROR(check_stage(name));
  file->set_limits(limits_);
  RETURN_IF_ERROR(file->appear());
  entries_.push_back({name, std::move(file)});
  if (primary_.empty()) primary_ = name;
  return entries_.back().file.get();
}

Status FileTransaction::seal() {
  for (const Entry& entry : entries_) {
    RETURN_IF_ERROR(entry.file->failure());
    if (!entry.file->is_closed()) RETURN_IF_ERROR(entry.file->sync_and_close());
  }
  RETURN_IF_ERROR(limits_.check());
  return sync_folder(folder_);
}

Status FileTransaction::check_names(bool replace) const {
  for (const Entry& entry : entries_) {
    const std::string path = path_join(folder_, entry.name);
    ASSIGN_OR_RETURN(const FileKind kind, file_kind(folder_, entry.name));
    if (kind == FileKind::kNone) continue;
    if (!replace) return fail("cannot write file '", path, "': it exists already");
    if (kind == FileKind::kFolder) return fail("cannot replace '", path, "': it is a folder");
    ASSIGN_OR_RETURN(const bool may, may_replace(geteuid(), folder_, entry.name));
    if (!may) return fail("cannot replace '", path, "': it belongs to another user");
  }
  return Status::ok();
}

namespace {

// Writes what readers find under the name of a journal.
Status publish_small(const std::string& folder, const std::string& name, std::string_view text) {
  ASSIGN_OR_RETURN(const auto file, StagedFile::create(folder, name));
  RETURN_IF_ERROR(file->write(as_bytes(text)));
  RETURN_IF_ERROR(file->sync_and_close());
  RETURN_IF_ERROR(rename_in_folder(folder, file->staged_name(), name));
  file->release();
  return Status::ok();
}

}  // namespace

Status FileTransaction::publish_marks() {
  if (more_primaries_.empty()) return Status::ok();
  marks_.reserve(more_primaries_.size());
  for (const std::string& name : more_primaries_) {
    marks_.push_back(journal_name_of(name));
    RETURN_IF_ERROR(publish_small(folder_, marks_.back(), encode_mark({name, primary_})));
  }
  return sync_folder(folder_);
}

// Allocates nothing. One that stays does no harm.
void FileTransaction::remove_marks() {
  for (const std::string& name : marks_) (void)lock_->remove(name);
  marks_.clear();
}

Status FileTransaction::publish_journal(bool replace, const std::string& generation) {
  journal_ = {.generation = generation, .replaces = replace, .entries = {}};
  const auto order = [&](const std::string& name) {
    if (name == primary_) return 2;
    return std::find(more_primaries_.begin(), more_primaries_.end(), name) == more_primaries_.end()
               ? 0
               : 1;
  };
  for (const int wanted : {0, 1, 2}) {
    for (const Entry& entry : entries_) {
      if (order(entry.name) != wanted) continue;
      journal_.entries.push_back({entry.file->staged_name(), entry.name});
    }
  }
  ASSIGN_OR_RETURN(const std::string text, encode_journal(journal_));
  journal_name_ = journal_name_of(primary_);
  RETURN_IF_ERROR(publish_marks());
  RETURN_IF_ERROR(publish_small(folder_, journal_name_, text));
  journal_stands_ = true;
  return Status::ok();
}

void FileTransaction::release_files() {
  journal_owns_files_ = true;
  for (const Entry& entry : entries_) entry.file->release();
}

// Readers may have seen the journal, but no file has its final name yet.
Status FileTransaction::roll_back(Status reason) {
  const bool is_gone = remove_in_folder(folder_, journal_name_).is_ok() ||
                       remove_in_folder(folder_, journal_name_).is_ok();
  // Staged files go only after their journal has gone for good.
  if (!is_gone || !sync_folder(folder_).is_ok()) release_files();
  journal_stands_ = !is_gone;
  if (!is_gone) reason.note("the new files are in place, but perhaps not on the device");
  return reason;
}

// From the commit point on the journal answers for the files.
Status FileTransaction::complete() {
  auto in_the_way = complete_journal(folder_, journal_name_, journal_);
  if (!in_the_way.is_ok()) {
    Status status = std::move(in_the_way).status();
    // What failed once may succeed now; what still stays is the next transaction's.
    in_the_way = complete_journal(folder_, journal_name_, journal_);
    status.note(
        "the new files are in place, but tidying up after them failed (the next transaction in the "
        "folder does it)");
    if (!in_the_way.is_ok() || in_the_way->empty()) return status;
  }
  journal_stands_ = false;
  remove_marks();
  if (in_the_way->empty()) return Status::ok();
  return fail("cannot write file '", path_join(folder_, *in_the_way), "': it exists already");
}

Status FileTransaction::commit(bool replace, const std::string& generation) {
  if (is_committed_ || journal_stands_) {
    return invalid_argument("cannot commit a transaction twice");
  }
  if (std::none_of(entries_.begin(), entries_.end(),
                   [&](const Entry& entry) { return entry.name == primary_; })) {
    return invalid_argument("cannot commit a transaction without its file '", primary_, "'");
  }
  RETURN_IF_ERROR(seal());
  RETURN_IF_ERROR(check_names(replace));
  RETURN_IF_ERROR(publish_journal(replace, generation));
  if (Status synced = sync_folder(folder_); !synced.is_ok()) return roll_back(std::move(synced));
  release_files();
  is_committed_ = true;
  return complete();
}

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Where a reader finds the files of a set, and whether that still holds: see the header.
#include "core/context/output/journal_view.h"

#include <algorithm>

#include "core/platform/path.h"

namespace ortc {

Result<JournalView> JournalView::open(const std::string& model_path) {
  JournalView view;
  view.folder_ = path_folder(model_path);
  view.primary_ = path_file_name(model_path);
  if (!fault_of_final_name(view.primary_).empty()) return view;  // the model's own open tells
  // The model before the journal: what is exchanged in between shows in one of them.
  view.model_ = view.open_model();
  ASSIGN_OR_RETURN(auto file, read_journal_of(view.folder_, view.primary_));
  if (file) {
    view.journal_text_ = std::move(file->text);
    view.entries_ = std::move(file->journal.entries);
  }
  return view;
}

Status JournalView::read_all() {
  ASSIGN_OR_RETURN(const auto names, list_folder(folder_));
  for (const std::string& name : names) {
    if (!is_journal_name(name)) continue;
    ASSIGN_OR_RETURN(auto file, read_journal(folder_, name));
    if (!file) continue;
    journal_text_ += file->text;
    for (JournalEntry& entry : file->journal.entries) entries_.push_back(std::move(entry));
  }
  return Status::ok();
}

Result<JournalView> JournalView::open_folder(const std::string& folder) {
  JournalView view;
  view.folder_ = folder;
  view.is_of_folder_ = true;
  // A folder that cannot be listed has nothing to open either; that failure tells more.
  if (path_is_directory(folder.empty() ? "." : folder)) RETURN_IF_ERROR(view.read_all());
  return view;
}

std::string JournalView::current_name(const std::string& name) const {
  const auto staged_in = [&](const std::vector<JournalEntry>& entries) {
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const JournalEntry& e) { return e.name == name; });
    return entry != entries.end() && path_exists(path_join(folder_, entry->staged)) ? entry->staged
                                                                                    : name;
  };
  if (!entries_.empty() || is_of_folder_ || name == primary_ ||
      !fault_of_final_path(name).empty()) {
    return staged_in(entries_);
  }
  const auto own = read_journal_of(folder_, name);
  return own.is_ok() && *own ? staged_in((*own)->journal.entries) : name;
}

Result<std::shared_ptr<const FileMap>> JournalView::open_file(const std::string& current,
                                                              Access access) const {
  // What is held was opened before the journal was read. With a journal, the final name may have
  // got another model since.
  if (model_ != nullptr && current == primary_ && is_empty()) return model_->map(access);
  return FileMap::open(path_join(folder_, current), access);
}

std::optional<FileIdentity> JournalView::model_identity() const {
  if (model_ == nullptr || !is_empty()) return std::nullopt;
  return model_->identity();
}

bool JournalView::is_model_behind_link() const {
  if (model_ != nullptr) return model_->is_behind_link();
  return !is_of_folder_ && path_is_symlink(path_join(folder_, primary_));
}

std::shared_ptr<const HeldFile> JournalView::open_model() const {
  auto file = HeldFile::open(path_join(folder_, primary_));
  return file.is_ok() ? std::make_shared<const HeldFile>(std::move(file).value()) : nullptr;
}

bool JournalView::is_unchanged() const {
  if (is_of_folder_) {
    const auto now = open_folder(folder_);
    return now.is_ok() && now->journal_text_ == journal_text_;
  }
  if (!fault_of_final_name(primary_).empty()) return true;
  const auto file = read_journal_of(folder_, primary_);
  if (!file.is_ok()) return false;
  if ((*file ? (*file)->text : std::string()) != journal_text_) return false;
  // With the same journal the same set, wherever its renames are by now.
  if (!is_empty()) return true;
  // The view holds its model open, so nobody else gets its inode.
  return model_ != nullptr ? model_->is_still_there() : open_model() == nullptr;
}

}  // namespace ortc

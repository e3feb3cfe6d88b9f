// SPDX-License-Identifier: MIT
// Where a reader finds the files of a set, and whether that still holds: see the header.
#include "core/context/journal_view.h"

#include <algorithm>

namespace ortc {

Result<JournalView> JournalView::open(const std::string& model_path) {
  JournalView view;
  view.folder_ = path_folder(model_path);
  view.primary_ = path_file_name(model_path);
  if (!fault_of_final_name(view.primary_).empty()) return view;  // the model's own open tells
  // The model before the journal: what is exchanged in between shows in one of them.
  view.model_ = view.open_model();
  ASSIGN_OR_RETURN(auto file, read_journal(view.folder_, journal_name_of(view.primary_)));
  if (file) {
    view.journal_text_ = std::move(file->text);
    view.entries_ = std::move(file->journal.entries);
  }
  return view;
}

std::string JournalView::current_name(const std::string& name) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const JournalEntry& e) { return e.name == name; });
  if (entry == entries_.end()) return name;
  return path_exists(path_join(folder_, entry->staged)) ? entry->staged : name;
}

std::shared_ptr<const FileMap> JournalView::open_model() const {
  auto file = FileMap::open(path_join(folder_, primary_));
  return file.is_ok() ? *file : nullptr;
}

bool JournalView::is_unchanged() const {
  if (!fault_of_final_name(primary_).empty()) return true;
  const auto file = read_journal(folder_, journal_name_of(primary_));
  if (!file.is_ok()) return false;
  if ((*file ? (*file)->text : std::string()) != journal_text_) return false;
  // With the same journal the same set, wherever its renames are by now.
  if (!is_empty()) return true;
  const auto now = open_model();
  if (now == nullptr || model_ == nullptr) return now == model_;
  // The view keeps its model open, so nobody else gets its inode.
  return now->identity().device == model_->identity().device &&
         now->identity().inode == model_->identity().inode;
}

}  // namespace ortc

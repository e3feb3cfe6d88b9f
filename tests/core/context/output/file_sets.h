// SPDX-License-Identifier: MIT
// Sets of two files that are published together, numbered, and a reader of them in single steps.
#pragma once

#include <optional>
#include <set>

#include "core/context/output/journal_view.h"
#include "core/context/output/transaction.h"
#include "core/platform/file_map.h"
#include "core/platform/path.h"
#include "tests/core/context/context_testing.h"
#include "tests/core/platform/platform_files.h"
#include "tests/core/platform/write_hook.h"

namespace ortc::test {

constexpr const char* kModel = "m_ctx.onnx";
constexpr const char* kBinary = "m_aot.bin";
inline const Names kBoth = {kBinary, kModel};

inline std::string text_for(int set, const std::string& name) { return str_cat(set, " ", name); }

inline Status write_set(const std::string& folder, int set, bool replace) {
  ASSIGN_OR_RETURN(const auto transaction, FileTransaction::begin(folder, kModel));
  for (const char* name : {kModel, kBinary}) {
    ASSIGN_OR_RETURN(StagedFile* const file, transaction->stage(name));
    RETURN_IF_ERROR(file->write(as_bytes(text_for(set, name))));
  }
  return transaction->commit(replace, str_cat("generation ", set));
}

// The number in "<number> <name>"; -1 when the text is something else.
inline int set_of(const std::string& text, const std::string& name) {
  const int set = atoi(text.c_str());
  return text == text_for(set, name) ? set : -1;
}

constexpr int kNone = 0;
constexpr int kAgain = -2;
constexpr int kError = -3;
constexpr int kMix = -4;

// One reader, in steps that a writer may come between.
class Reader {
 public:
  explicit Reader(const std::string& folder) : folder_(folder) {}
  void open_view() {
    auto view = JournalView::open(path_join(folder_, kModel));
    CHECK_OK(view);
    view_ = std::move(view).value();
  }
  void open_file(const char* name) {
    const auto file = view_->open_current(name, [&](const std::string& current) {
      return FileMap::open(path_join(view_->folder(), current), Access::kRead);
    });
    // Outside of the writer's steps a file is there or missing, never unreadable.
    CHECK(file.is_ok() || file.status().code() == Code::kNoSuchFile);
    sets_.insert(file.is_ok() ? set_of(std::string(as_text((*file)->bytes())), name) : kNone);
    is_model_missing_ |= !file.is_ok() && std::string_view(name) == kModel;
  }
  int result() const {
    if (!view_->is_unchanged()) return kAgain;
    if (is_model_missing_) return kNone;  // that is all a reader of a model asks
    if (sets_.contains(kNone)) return kError;
    return sets_.size() == 1 ? *sets_.begin() : kMix;
  }

 private:
  std::string folder_;
  std::optional<JournalView> view_;
  std::set<int> sets_;
  bool is_model_missing_ = false;
};

inline int read_set(const std::string& folder) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    Reader reader(folder);
    reader.open_view();
    reader.open_file(kModel);
    reader.open_file(kBinary);
    if (const int set = reader.result(); set != kAgain) return set;
  }
  return kAgain;
}

// A folder with set 1 when there is something to replace, else empty.
inline std::string start_folder(bool replace) {
  const std::string folder = fresh_folder("set");
  if (replace) CHECK_OK(write_set(folder, 1, false));
  return folder;
}

}  // namespace ortc::test

// SPDX-License-Identifier: MIT
// Transactions with files in folders beneath: those are made when nothing can be taken back.
#include "core/platform/path.h"
#include "tests/core/context/output/file_sets.h"
#include "tests/support/processes.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

namespace {

const std::string kDeep = "deep/er/w.bin";

// A model and a file beneath; their contents are their names.
Status write_beneath(const std::string& folder, bool commits = true) {
  ASSIGN_OR_RETURN(const auto transaction, FileTransaction::begin(folder, kModel));
  for (const std::string& name : {kDeep, std::string(kModel)}) {
    ASSIGN_OR_RETURN(StagedFile* const file, transaction->stage(name));
    RETURN_IF_ERROR(file->write(as_bytes(name)));
  }
  return commits ? transaction->commit(/*replace=*/true, "g") : fail("not today");
}

}  // namespace

TEST(transaction_beneath, files_are_taken_and_missing_folders_made) {
  const std::string folder = fresh_folder("beneath");
  CHECK(!write_beneath(folder, /*commits=*/false).is_ok());
  CHECK(names_in(folder).empty());
  CHECK_OK(write_beneath(folder));
  CHECK((names_in(folder) == Names{"deep", kModel}));
  CHECK_EQ(get_file(folder + "/" + kDeep), kDeep);
  CHECK_EQ(entry_count(folder + "/deep/er"), 1u);
}

TEST(transaction_beneath, files_that_were_private_stay_so) {
  const std::string folder = fresh_folder("private_beneath");
  CHECK_OK(write_beneath(folder));
  for (const std::string& name : {kDeep, std::string(kModel)}) {
    fs::permissions(folder + "/" + name, fs::perms{0600});
  }
  CHECK_OK(write_beneath(folder));
  for (const std::string& name : {kDeep, std::string(kModel)}) {
    CHECK(fs::status(folder + "/" + name).permissions() == fs::perms{0600});
  }
}

TEST(transaction_beneath, no_empty_folder_is_left_wherever_the_process_ends) {
  int old_count = 0, new_count = 0;
  bool has_ended = true;
  for (int n = 1; has_ended; ++n) {
    const std::string folder = fresh_folder("empty_beneath");
    has_ended = dies_at_operation(n, [&] { CHECK_OK(write_beneath(folder)); });
    CHECK_OK(FileTransaction::begin(folder, "other"));
    const Names names = names_in(folder);
    const bool is_new = names == Names{"deep", kModel};
    CHECK(is_new || names.empty());
    CHECK(!is_new || fs::exists(folder + "/" + kDeep));
    ++(is_new ? new_count : old_count);
  }
  CHECK(old_count > 6);
  CHECK(new_count > 6);
}

TEST(transaction_beneath, files_are_completed) {
  const std::string folder = fresh_folder("complete_beneath");
  // The journal stands, and no file has its final name.
  int renames = 0;
  {
    const HookForScope hook([&](const char* operation, const std::string&) {
      renames += std::string_view(operation) == "rename" ? 1 : 0;
      return renames > 1 ? fail("not today") : Status::ok();
    });
    CHECK(!write_beneath(folder).is_ok());
  }
  const auto view = JournalView::open(folder + "/" + kModel);
  CHECK_OK(view);
  CHECK_EQ(get_file(folder + "/" + view->current_name(kDeep)), kDeep);
  fs::remove_all(folder + "/deep");  // made again
  CHECK_OK(FileTransaction::begin(folder, "other"));
  CHECK_EQ(get_file(folder + "/" + kDeep), kDeep);
}

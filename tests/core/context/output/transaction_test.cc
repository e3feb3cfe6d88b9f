// SPDX-License-Identifier: MIT
// Transactions: whatever operation fails or ends the process, there is a whole set of files, the
// old one or the new one.
#include "core/context/output/transaction.h"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "core/platform/path.h"
#include "tests/core/context/output/file_sets.h"
#include "tests/support/processes.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

namespace {

// What a reader sees that knows nothing of journals.
int read_set_plainly(const std::string& folder) {
  if (!fs::exists(folder + "/" + kModel)) return kNone;
  const int set = set_of(get_file(folder + "/" + kModel), kModel);
  return set_of(get_file(folder + "/" + kBinary), kBinary) == set ? set : kMix;
}

constexpr int kFinished = 42;

// Runs `action` in a process that ends before its n-th changing operation. False when it had fewer.
bool ends_at(int n, const std::function<void()>& action) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int count = 0;
    set_write_operation_hook([&](const char*, const std::string&) {
      if (++count == n) _exit(0);
      return Status::ok();
    });
    action();
    _exit(kFinished);
  }
  int state = 0;
  CHECK_EQ(waitpid(child, &state, 0), child);
  CHECK(WIFEXITED(state));
  CHECK(WEXITSTATUS(state) == 0 || WEXITSTATUS(state) == kFinished);
  return WEXITSTATUS(state) == 0;
}

void check_whole(const std::string& folder, bool replace) {
  const int seen = read_set(folder);
  CHECK(seen == 2 || seen == (replace ? 1 : kNone));
  if (!replace) {
    const int plain = read_set_plainly(folder);
    CHECK(plain == kNone || plain == 2);
  }
}

// After whatever happened to set 2 another attempt succeeds, or finds the whole set 2.
void check_next_attempt(const std::string& folder, bool replace) {
  const int seen = read_set(folder);
  const Status status = write_set(folder, 3, replace);
  if (!replace && seen == 2) {
    CHECK_CODE(status, Code::kFail);
    CHECK(has_text(status.message(), "exists already"));
    CHECK_EQ(read_set(folder), 2);
  } else {
    CHECK_OK(status);
    CHECK_EQ(read_set(folder), 3);
  }
  CHECK_EQ(read_set_plainly(folder), read_set(folder));
  CHECK(names_in(folder) == kBoth);
}

void check_every_end_of_process(bool replace) {
  for (int n = 1;; ++n) {
    const std::string folder = start_folder(replace);
    const bool ended = ends_at(n, [&] { CHECK_OK(write_set(folder, 2, replace)); });
    if (!ended) {
      CHECK(n > 12);  // two creates, writes, syncs, the journal, renames ...
      CHECK_EQ(read_set(folder), 2);
      return;
    }
    check_whole(folder, replace);
    check_next_attempt(folder, replace);
  }
}

void check_every_end_of_recovery(bool replace) {
  bool is_ending = true;
  for (int n = 1; is_ending; ++n) {
    bool is_recovery_ending = true;
    for (int k = 1; is_ending && is_recovery_ending; ++k) {
      const std::string folder = start_folder(replace);
      is_ending = ends_at(n, [&] { CHECK_OK(write_set(folder, 2, replace)); });
      const int before = read_set(folder);
      is_recovery_ending = ends_at(k, [&] { CHECK_OK(FileTransaction::begin(folder, kModel)); });
      CHECK_EQ(read_set(folder), before);
      check_whole(folder, replace);
      check_next_attempt(folder, replace);
    }
  }
}

enum class Failing { kOnce, kAllButRemoving, kAllButRemovingStaged, kEverything };

// False when there were fewer than n operations.
bool check_failure(int n, bool replace, Failing failing) {
  const std::string folder = start_folder(replace);
  int count = 0;
  Status status;
  {
    const HookForScope hook([&](const char* operation, const std::string& path) {
      ++count;
      if (count < n || (failing == Failing::kOnce && count > n)) return Status::ok();
      const bool is_removal = std::string_view(operation) == "remove";
      if (failing == Failing::kAllButRemoving && is_removal) return Status::ok();
      if (failing == Failing::kAllButRemovingStaged && is_removal && path.ends_with(".tmp")) {
        return Status::ok();
      }
      return fail("cannot ", operation, " '", path, "': No space left on device");
    });
    status = write_set(folder, 2, replace);
  }
  if (count < n) {
    CHECK_OK(status);
    return false;
  }
  check_whole(folder, replace);
  const int seen = read_set(folder);
  const bool only_removing_left = failing == Failing::kAllButRemoving && status.is_ok();
  CHECK(!status.is_ok() || (only_removing_left && seen == 2));
  if (!status.is_ok()) {
    CHECK_CODE(status, Code::kFail);
    CHECK(has_text(status.message(), "No space left on device"));
    CHECK_EQ(has_text(status.message(), "in place"), seen == 2);
  }
  if (seen != 2) CHECK_EQ(read_set_plainly(folder), seen);
  // A failed operation leaves no file when the others around it work.
  if (failing == Failing::kOnce) {
    CHECK(names_in(folder) == (seen == kNone ? Names() : kBoth));
    CHECK_EQ(read_set_plainly(folder), seen);
  }
  check_next_attempt(folder, replace);
  return true;
}

void check_every_failure(Failing failing) {
  for (const bool replace : {true, false}) {
    int n = 1;
    while (check_failure(n, replace, failing)) ++n;
    CHECK(n > 12);
  }
}

Status commit_one(const std::string& folder, const std::string& primary, const std::string& staged,
                  bool replace = true) {
  ASSIGN_OR_RETURN(const auto transaction, FileTransaction::begin(folder, primary));
  ASSIGN_OR_RETURN(StagedFile* const file, transaction->stage(staged));
  RETURN_IF_ERROR(file->write(as_bytes(staged)));
  return transaction->commit(replace, "g");
}

}  // namespace

TEST(transaction, publishes_a_set_and_replaces_it) {
  const std::string folder = fresh_folder("plain");
  CHECK_EQ(read_set(folder), kNone);
  CHECK_OK(write_set(folder, 1, false));
  CHECK_EQ(read_set(folder), 1);
  CHECK_OK(write_set(folder, 2, true));
  CHECK_EQ(read_set(folder), 2);
  CHECK_EQ(read_set_plainly(folder), 2);
  CHECK(names_in(folder) == kBoth);
}

TEST(transaction, works_in_the_current_folder) {
  const std::string folder = fresh_folder("here");
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  CHECK_OK(write_set("", 1, false));
  CHECK_EQ(read_set(""), 1);
  CHECK_OK(write_set(".", 2, true));
  CHECK_EQ(read_set(""), 2);
  fs::current_path(before);
  CHECK(names_in(folder) == kBoth);
}

TEST(transaction, without_commit_changes_nothing) {
  const std::string folder = start_folder(true);
  {
    auto transaction = FileTransaction::begin(folder, kModel);
    CHECK_OK(transaction);
    auto file = (*transaction)->stage(kModel);
    CHECK_OK(file);
    CHECK_OK((*file)->write(as_bytes("half")));
    CHECK_EQ(names_in(folder).size(), 3u);
  }
  CHECK(names_in(folder) == kBoth);
  CHECK_EQ(read_set(folder), 1);
}

TEST(transaction, takes_files_that_the_caller_has_closed) {
  const std::string folder = fresh_folder("closed");
  auto transaction = FileTransaction::begin(folder, kModel);
  CHECK_OK(transaction);
  for (const char* name : {kModel, kBinary}) {
    auto file = (*transaction)->stage(name);
    CHECK_OK(file);
    CHECK_OK((*file)->write(as_bytes(text_for(5, name))));
    if (name == kBinary) CHECK_OK((*file)->sync_and_close());
  }
  CHECK_OK((*transaction)->commit(false, "g"));
  CHECK_EQ(read_set(folder), 5);
  CHECK_CODE((*transaction)->commit(true, "g"), Code::kInvalidArgument);
  CHECK_CODE((*transaction)->stage("more"), Code::kInvalidArgument);
}

TEST(transaction, refuses_a_set_with_a_broken_file) {
  const std::string folder = start_folder(true);
  auto transaction = FileTransaction::begin(folder, kModel);
  CHECK_OK(transaction);
  auto file = (*transaction)->stage(kModel);
  CHECK_OK(file);
  {
    const HookForScope hook([](const char*, const std::string&) { return fail("disk"); });
    CHECK_CODE((*file)->sync_and_close(), Code::kFail);
  }
  const Status status = (*transaction)->commit(true, "g");
  CHECK_CODE(status, Code::kFail);
  CHECK(has_text(status.message(), "disk"));
  transaction->reset();
  CHECK_EQ(read_set(folder), 1);
  CHECK(names_in(folder) == kBoth);
}

TEST(transaction, refuses_names_that_leave_the_folder) {
  const std::string folder = fresh_folder("names");
  const Names wrong = {".",
                       "..",
                       "../a",
                       "a/../b",
                       "a//b",
                       "/a",
                       "a\\b",
                       std::string("a\0b", 3),
                       std::string(256, 'n'),
                       ".m.0123456789abcdef.tmp",
                       ".m.ortc-journal"};
  for (const std::string& name : wrong) {
    CHECK_CODE(FileTransaction::begin(folder, name), Code::kInvalidArgument);
    CHECK_CODE(commit_one(folder, kModel, name), Code::kInvalidArgument);
  }
  CHECK_CODE(FileTransaction::begin(folder, "a/b"), Code::kInvalidArgument);
  CHECK_CODE(commit_one(folder, "", ""), Code::kInvalidArgument);
  CHECK(has_text(commit_one(folder, kModel, "other").message(), "without its file"));
  const Status twice = [&]() -> Status {
    ASSIGN_OR_RETURN(const auto transaction, FileTransaction::begin(folder, kModel));
    ASSIGN_OR_RETURN(StagedFile* const file, transaction->stage(kModel));
    (void)file;
    return std::move(transaction->stage(kModel)).status();
  }();
  CHECK_CODE(twice, Code::kInvalidArgument);
  CHECK_CODE(commit_one(folder, kModel, kBinary), Code::kInvalidArgument);  // without its primary
  CHECK(names_in(folder).empty());
  CHECK_CODE(FileTransaction::begin(folder + "/none", kModel), Code::kFail);
}

TEST(transaction, takes_256_files_and_the_longest_names) {
  const std::string folder = fresh_folder("many");
  const std::string longest = std::string(200, 'x') + "\xc3\xa4\xc3\xa4" + std::string(51, 'y');
  CHECK_EQ(longest.size(), 255u);
  auto transaction = FileTransaction::begin(folder, longest);
  CHECK_OK(transaction);
  for (int i = 0; i < 255; ++i) {
    CHECK_OK((*transaction)->stage(str_cat(i, std::string(240, 's'))));
  }
  CHECK_OK((*transaction)->stage(longest));
  CHECK_CODE((*transaction)->stage("one more"), Code::kInvalidArgument);
  CHECK_CODE((*transaction)->commit(false, std::string(200'000, 'g')), Code::kInvalidArgument);
  CHECK_OK((*transaction)->commit(false, "g"));
  CHECK_EQ(names_in(folder).size(), 256u);
  CHECK_OK(JournalView::open(path_join(folder, longest)));
}

TEST(transaction, says_which_file_is_in_the_way) {
  const std::string folder = fresh_folder("exists");
  put_file(folder + "/" + kBinary, "mine");
  Status status = write_set(folder, 1, false);
  CHECK_CODE(status, Code::kFail);
  CHECK(has_text(status.message(), "exists already"));
  CHECK(has_text(status.message(), kBinary));
  CHECK_EQ(get_file(folder + "/" + kBinary), "mine");
  CHECK(names_in(folder) == Names{kBinary});

  CHECK_EQ(symlink("nowhere", (folder + "/link").c_str()), 0);
  CHECK(has_text(commit_one(folder, "link", "link", false).message(), "exists already"));
  fs::create_directory(folder + "/sub");
  CHECK(has_text(commit_one(folder, "sub", "sub", false).message(), "exists already"));
  CHECK(has_text(commit_one(folder, "sub", "sub", true).message(), "is a folder"));
  CHECK_EQ(names_in(folder).size(), 3u);
}

// Somebody who takes no lock makes a file between the look at the names and the renames.
TEST(transaction, that_replaces_nothing_never_replaces_a_file_that_came_meanwhile) {
  for (const char* name : {kBinary, kModel}) {
    const std::string folder = fresh_folder("meanwhile");
    Status status;
    {
      const HookForScope hook([&](const char* operation, const std::string& path) {
        const bool is_first = std::string_view(operation) == "rename" && has_text(path, kBinary);
        if (is_first) put_file(folder + "/" + name, "theirs");
        return Status::ok();
      });
      status = write_set(folder, 1, false);
    }
    CHECK_CODE(status, Code::kFail);
    CHECK(has_text(status.message(), "exists already"));
    CHECK(has_text(status.message(), name));
    CHECK(names_in(folder) == Names{name});
    CHECK_EQ(get_file(folder + "/" + name), "theirs");
  }
}

TEST(transaction, that_was_cut_off_never_replaces_a_file_that_came_meanwhile) {
  const std::string folder = fresh_folder("came");
  const bool ended = ends_at(INT32_MAX, [&] {
    set_write_operation_hook([&](const char* operation, const std::string& path) {
      if (std::string_view(operation) == "rename" && !has_text(path, ".ortc-journal")) _exit(0);
      return Status::ok();
    });
    CHECK_OK(write_set(folder, 1, false));
  });
  CHECK(ended);
  CHECK_EQ(read_set(folder), 1);
  put_file(folder + "/" + kModel, "theirs");
  CHECK_OK(commit_one(folder, "other.onnx", "other.onnx"));
  CHECK((names_in(folder) == Names{kModel, "other.onnx"}));
  CHECK_EQ(get_file(folder + "/" + kModel), "theirs");
}

TEST(transaction, without_a_primary_is_named_after_its_first_file) {
  const std::string folder = fresh_folder("first");
  const bool ended = ends_at(INT32_MAX, [&] {
    set_write_operation_hook([&](const char* operation, const std::string& path) {
      if (std::string_view(operation) == "rename" && !has_text(path, ".ortc-journal")) _exit(0);
      return Status::ok();
    });
    CHECK_OK(commit_one(folder, "", kBinary));
  });
  CHECK(ended);
  CHECK(!fs::exists(folder + "/" + kBinary));
  // A model of that folder, from memory or from a file, finds its binary through the journal.
  const auto of_folder = JournalView::open_folder(folder);
  CHECK_OK(of_folder);
  CHECK_EQ(get_file(folder + "/" + of_folder->current_name(kBinary)), kBinary);
  CHECK(of_folder->is_unchanged());
  const auto of_model = JournalView::open(folder + "/" + kModel);
  CHECK_OK(of_model);
  CHECK_EQ(get_file(folder + "/" + of_model->current_name(kBinary)), kBinary);
  CHECK_OK(FileTransaction::begin(folder, ""));
  CHECK(!of_folder->is_unchanged());
  CHECK_EQ(get_file(folder + "/" + kBinary), kBinary);
  CHECK(names_in(folder) == Names{kBinary});
}

TEST(transaction, survives_the_end_of_its_process_anywhere_when_it_replaces) {
  check_every_end_of_process(/*replace=*/true);
}

TEST(transaction, survives_the_end_of_its_process_anywhere_when_it_does_not_replace) {
  check_every_end_of_process(/*replace=*/false);
}

TEST(transaction, survives_the_end_of_the_recovery_too) {
  check_every_end_of_recovery(/*replace=*/true);
  check_every_end_of_recovery(/*replace=*/false);
}

TEST(transaction, survives_one_failed_operation_and_leaves_nothing) {
  check_every_failure(Failing::kOnce);
}

TEST(transaction, survives_a_device_that_gets_full) {
  check_every_failure(Failing::kAllButRemoving);
}

TEST(transaction, keeps_the_files_of_a_journal_that_stays) {
  check_every_failure(Failing::kAllButRemovingStaged);
}

TEST(transaction, survives_a_device_that_goes_away) { check_every_failure(Failing::kEverything); }

TEST(transaction, completes_what_other_models_of_the_folder_left) {
  const std::string folder = start_folder(true);
  int journal_renames = 0;
  const bool ended = ends_at(INT32_MAX, [&] {
    set_write_operation_hook([&](const char* operation, const std::string& path) {
      if (std::string_view(operation) == "rename" && !has_text(path, ".ortc-journal")) _exit(0);
      journal_renames += std::string_view(operation) == "rename";
      return Status::ok();
    });
    CHECK_OK(write_set(folder, 2, true));
  });
  CHECK(ended);
  put_file(folder + "/.other.0123456789abcdef.tmp", "stray");
  put_file(folder + "/.other.0123456789abcdeg.tmp", "not a staged name");
  fs::create_directory(folder + "/.folder.0123456789abcdef.tmp");
  put_file(folder + "/.x.ortc-journal", "damaged");
  CHECK_EQ(read_set(folder), 2);
  CHECK_EQ(read_set_plainly(folder), 1);
  CHECK_OK(commit_one(folder, "other.onnx", "other.onnx"));
  CHECK_EQ(read_set_plainly(folder), 2);
  const Names expected = {".folder.0123456789abcdef.tmp", ".other.0123456789abcdeg.tmp", kBinary,
                          kModel, "other.onnx"};
  CHECK(names_in(folder) == expected);
}

TEST(transaction, waits_for_another_process) {
  const std::string folder = start_folder(true);
  auto transaction = FileTransaction::begin(folder, kModel);
  CHECK_OK(transaction);
  CHECK_OK((*transaction)->stage(kModel));
  const Pipe from_child;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    from_child.send('s');
    const Status status = write_set(folder, 7, true);
    from_child.send('d');
    _exit(status.is_ok() ? 0 : 1);
  }
  CHECK_EQ(from_child.receive(), 's');
  usleep(100'000);
  CHECK_EQ(names_in(folder).size(), 3u);  // ours; the other one has neither removed nor staged
  CHECK_EQ(read_set(folder), 1);
  transaction->reset();
  CHECK_EQ(from_child.receive(), 'd');
  int state = 0;
  CHECK_EQ(waitpid(child, &state, 0), child);
  CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  CHECK_EQ(read_set(folder), 7);
  CHECK(names_in(folder) == kBoth);
}

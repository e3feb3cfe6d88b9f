// SPDX-License-Identifier: MIT
// Staged writing: all or nothing, whatever operation fails.
#include "core/platform/staged_write.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "tests/core/platform/platform_files.h"
#include "tests/core/platform/write_hook.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

namespace {

std::unique_ptr<StagedFile> stage(const std::string& folder, const std::string& name = "m.bin") {
  auto file = StagedFile::create(folder, name);
  CHECK_OK(file);
  return std::move(file).value();
}

// Stages, writes, syncs, renames and syncs the folder, as a writer does.
Status publish(const std::string& folder, const std::string& text) {
  ASSIGN_OR_RETURN(const auto file, StagedFile::create(folder, "m.bin"));
  RETURN_IF_ERROR(file->write(as_bytes(text)));
  RETURN_IF_ERROR(file->sync_and_close());
  RETURN_IF_ERROR(rename_in_folder(folder, file->staged_name(), "m.bin"));
  file->release();
  return sync_folder(folder);
}

}  // namespace

TEST(staged_write, publishes_what_was_written) {
  const std::string folder = fresh_folder("publish");
  put_file(folder + "/m.bin", "old");
  auto file = stage(folder);
  CHECK(file->staged_name().starts_with(".m.bin."));
  CHECK(file->staged_name().ends_with(".tmp"));
  CHECK_EQ(file->staged_path(), folder + "/" + file->staged_name());
  CHECK_OK(file->write(as_bytes("head")));
  CHECK_OK(file->align(64));
  CHECK_EQ(file->size(), 64u);
  CHECK_OK(file->write(as_bytes("tail")));
  CHECK_OK(file->write_at(0, as_bytes("HE")));
  CHECK_OK(file->sync_and_close());
  CHECK_EQ(get_file(folder + "/m.bin"), "old");
  CHECK_OK(rename_in_folder(folder, file->staged_name(), "m.bin"));
  file->release();
  file.reset();
  CHECK_OK(sync_folder(folder));
  CHECK_EQ(get_file(folder + "/m.bin"), "HEad" + std::string(60, '\0') + "tail");
  CHECK_EQ(entry_count(folder), 1u);
}

TEST(staged_write, keeps_order_and_size_over_small_and_big_writes) {
  const std::string folder = fresh_folder("sizes");
  auto file = stage(folder);
  std::string expected;
  const size_t mebibyte = size_t{1} << 20;
  for (const size_t size : {size_t{1}, size_t{0}, mebibyte - 1, size_t{1}, mebibyte, size_t{3},
                            mebibyte * 3 + 5, size_t{700'000}, size_t{700'000}, mebibyte - 1}) {
    std::string piece(size, '\0');
    for (size_t i = 0; i < size; ++i) piece[i] = static_cast<char>(expected.size() + i * 7);
    CHECK_OK(file->write(as_bytes(piece)));
    expected += piece;
    CHECK_EQ(file->size(), expected.size());
  }
  // Over bytes that are still in the buffer, and over some that are long written.
  for (const size_t offset : {expected.size() - 10, size_t{5}, mebibyte - 2}) {
    CHECK_OK(file->write_at(offset, as_bytes("overwritten").first(10)));
    expected.replace(offset, 10, "overwritte");
  }
  CHECK_OK(file->write(as_bytes("end")));
  expected += "end";
  CHECK_OK(file->sync_and_close());
  CHECK(get_file(file->staged_path()) == expected);
}

TEST(staged_write, writes_each_huge_page_at_once) {
  const std::string folder = fresh_folder("huge_pages");
  size_t writes = 0;
  const HookForScope scope([&](const char* operation, const std::string&) {
    writes += std::strcmp(operation, "write") == 0 ? 1 : 0;
    return Status::ok();
  });
  const size_t mebibyte = size_t{1} << 20;
  const auto file = stage(folder);
  const auto write = [&](size_t size) { CHECK_OK(file->write(as_bytes(std::string(size, 'x')))); };
  for (size_t done = 0; done < 3 * mebibyte; done += mebibyte / 4) write(mebibyte / 4);
  CHECK_EQ(writes, 1u);
  write(8 * mebibyte);  // the rest of the second page, three pages at once, half a page
  CHECK_EQ(writes, 3u);
  write(mebibyte);
  CHECK_EQ(writes, 4u);
  CHECK_OK(file->sync_and_close());
  CHECK_EQ(writes, 4u);
  CHECK_EQ(fs::file_size(file->staged_path()), 12 * mebibyte);
}

TEST(staged_write, keeps_bytes_and_size_of_a_file_that_is_read_while_it_grows) {
  const std::string folder = fresh_folder("mapped");
  auto made = StagedFile::create_unnamed(folder, "m.bin");
  CHECK_OK(made);
  const std::unique_ptr<StagedFile> file = std::move(made).value();
  size_t cuts = 0;
  const HookForScope scope([&](const char* operation, const std::string&) {
    cuts += std::strcmp(operation, "cut") == 0 ? 1 : 0;
    return Status::ok();
  });
  const size_t mebibyte = size_t{1} << 20;
  std::string expected;
  for (const size_t size : {size_t{5}, mebibyte, 2 * mebibyte, size_t{1}, 5 * mebibyte + 7}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    CHECK_OK(file->write(as_bytes(piece)));
    const auto there = file->mapped(expected.size(), size);
    CHECK_OK(there);
    CHECK(there->text() == piece);
    expected += piece;
  }
  CHECK_OK(file->write(as_bytes("last")));
  CHECK_OK(file->appear());
  CHECK_EQ(cuts, 0u);
  CHECK(fs::file_size(file->staged_path()) > expected.size());  // zeros that go at the end
  CHECK_OK(file->sync_and_close());
  CHECK_EQ(cuts, 1u);
  CHECK(get_file(file->staged_path()) == expected + "last");
}

TEST(staged_write, ends_when_the_zeros_behind_a_file_cannot_be_cut) {
  const std::string folder = fresh_folder("uncut");
  auto made = StagedFile::create_unnamed(folder, "m.bin");
  CHECK_OK(made);
  CHECK_OK((*made)->write(as_bytes("bytes")));
  CHECK_OK((*made)->mapped(0, 5));
  CHECK_OK((*made)->appear());
  {
    const HookForScope scope([](const char* operation, const std::string& path) {
      if (std::strcmp(operation, "cut") != 0) return Status::ok();
      return ortc::fail("cannot ", operation, " '", path, "'");
    });
    CHECK_CODE((*made)->sync_and_close(), Code::kFail);
  }
  CHECK_CODE((*made)->sync_and_close(), Code::kFail);
  made->reset();
  CHECK_EQ(entry_count(folder), 0u);
}

TEST(staged_write, aligns_with_zeros) {
  auto file = stage(fresh_folder("align"));
  CHECK_OK(file->align(4096));
  CHECK_EQ(file->size(), 0u);
  CHECK_OK(file->write(as_bytes("x")));
  CHECK_OK(file->align(1));
  CHECK_EQ(file->size(), 1u);
  CHECK_OK(file->align(65536));
  CHECK_EQ(file->size(), 65536u);
  CHECK_CODE(file->align(0), Code::kInvalidArgument);
  CHECK_CODE(file->align(48), Code::kInvalidArgument);
  CHECK_OK(file->sync_and_close());
  CHECK(get_file(file->staged_path()) == "x" + std::string(65535, '\0'));
}

TEST(staged_write, refuses_to_overwrite_what_is_not_there) {
  auto file = stage(fresh_folder("beyond"));
  CHECK_OK(file->write(as_bytes("0123")));
  CHECK_CODE(file->write_at(1, as_bytes("0123")), Code::kInvalidArgument);
  CHECK_CODE(file->write_at(5, {}), Code::kInvalidArgument);
  CHECK_CODE(file->write_at(UINT64_MAX, as_bytes("0123")), Code::kInvalidArgument);
  CHECK_OK(file->write_at(4, {}));
  CHECK_OK(file->write_at(0, as_bytes("abcd")));
  CHECK_OK(file->sync_and_close());
  CHECK_EQ(get_file(file->staged_path()), "abcd");
}

TEST(staged_write, says_that_a_file_was_closed) {
  auto file = stage(fresh_folder("closed"));
  CHECK_OK(file->sync_and_close());
  CHECK_CODE(file->write(as_bytes("x")), Code::kFail);
  CHECK_CODE(file->write_at(0, {}), Code::kFail);
  CHECK_CODE(file->sync_and_close(), Code::kFail);
}

TEST(staged_write, removes_what_was_not_published_and_keeps_what_was_released) {
  const std::string folder = fresh_folder("owned");
  {
    auto closed = stage(folder);
    auto open = stage(folder);
    CHECK_OK(closed->write(as_bytes("x")));
    CHECK_OK(closed->sync_and_close());
    CHECK_EQ(entry_count(folder), 2u);
  }
  CHECK_EQ(entry_count(folder), 0u);
  std::string kept;
  {
    auto released = stage(folder);
    CHECK_OK(released->write(as_bytes("kept")));
    CHECK_OK(released->sync_and_close());
    kept = released->staged_path();
    released->release();
  }
  CHECK_EQ(get_file(kept), "kept");
}

TEST(staged_write, gives_every_file_its_own_name) {
  const std::string folder = fresh_folder("names");
  auto first = stage(folder);
  auto second = stage(folder);
  CHECK(first->staged_name() != second->staged_name());
  // The longest names that the file system has, the cut between characters.
  std::string umlauts;
  for (int i = 0; i < 127; ++i) umlauts += "\xc3\xa4";
  for (const std::string& name : {std::string(255, 'n'), umlauts, "n" + umlauts}) {
    auto file = stage(folder, name);
    CHECK(file->staged_name().size() <= 255);
    const std::string shown = file->staged_name().substr(0, file->staged_name().size() - 21);
    CHECK(shown.back() != '\xc3');
    CHECK(shown.size() > 200);
  }
}

TEST(staged_write, makes_files_that_others_may_read_as_the_mask_allows) {
  const std::string folder = fresh_folder("mode");
  const mode_t before = umask(027);
  auto file = stage(folder);
  umask(before);
  struct stat info;
  CHECK_EQ(stat(file->staged_path().c_str(), &info), 0);
  CHECK_EQ(info.st_mode & 07777, 0640u);
}

TEST(staged_write, makes_files_that_a_group_may_write_as_the_mask_allows) {
  const std::string folder = fresh_folder("group_mode");
  const mode_t before = umask(002);
  auto file = stage(folder);
  auto unnamed = StagedFile::create_unnamed(folder, "m.bin");
  umask(before);
  CHECK_OK(unnamed);
  CHECK_OK((*unnamed)->appear());
  for (const StagedFile* made : {file.get(), unnamed->get()}) {
    struct stat info;
    CHECK_EQ(stat(made->staged_path().c_str(), &info), 0);
    CHECK_EQ(info.st_mode & 07777, 0664u);
  }
}

TEST(staged_write, lets_those_read_whom_the_file_that_is_replaced_let) {
  const std::string folder = fresh_folder("kept_mode"), path = folder + "/m.bin";
  const auto mode_of = [](const std::string& file) {
    struct stat info;
    CHECK_EQ(stat(file.c_str(), &info), 0);
    return info.st_mode & 07777u;
  };
  CHECK_OK(publish(folder, "old"));
  for (const mode_t mode : {0600u, 0640u, 0666u, 0400u}) {
    CHECK_EQ(chmod(path.c_str(), mode), 0);
    CHECK_EQ(mode_of(stage(folder)->staged_path()), 0600u);  // it is not whole
    CHECK_OK(publish(folder, "new"));
    CHECK_EQ(mode_of(path), mode);
    auto unnamed = StagedFile::create_unnamed(folder, "m.bin");
    CHECK_OK(unnamed);
    CHECK_OK((*unnamed)->write(as_bytes("later")));
    CHECK_OK((*unnamed)->appear());
    CHECK_EQ(mode_of((*unnamed)->staged_path()), 0600u);
    CHECK_OK((*unnamed)->sync_and_close());
    CHECK_EQ(mode_of((*unnamed)->staged_path()), mode);
  }
}

TEST(staged_write, takes_plain_names_only) {
  const std::string folder = fresh_folder("plain");
  for (const std::string& name : {std::string(), std::string("."), std::string(".."),
                                  std::string("/a"), std::string("../a"), std::string("a\0b", 3)}) {
    CHECK_CODE(StagedFile::create(folder, name), Code::kInvalidArgument);
    CHECK_CODE(rename_in_folder(folder, name, "x"), Code::kInvalidArgument);
    CHECK_CODE(rename_in_folder(folder, "x", name), Code::kInvalidArgument);
    CHECK_CODE(rename_to_free_name(folder, "x", name), Code::kInvalidArgument);
    CHECK_CODE(remove_in_folder(folder, name), Code::kInvalidArgument);
  }
  CHECK_CODE(StagedFile::create(folder, "a/b"), Code::kInvalidArgument);
}

TEST(staged_write, stops_between_slices_of_a_large_file_when_told) {
  const std::string folder = fresh_folder("slices");
  auto file = stage(folder);
  const std::string piece(size_t{1} << 20, 'x');
  for (int i = 0; i < 40; ++i) CHECK_OK(file->write(as_bytes(piece)));
  int questions = 0;
  WaitLimits limits;
  limits.go_on = [&] {
    return ++questions == 2 ? make_status(Code::kModelLoadCanceled, "enough") : Status::ok();
  };
  file->set_limits(limits);
  CHECK_CODE(file->sync_and_close(), Code::kModelLoadCanceled);
  CHECK(!file->is_closed());
  file->set_limits({});
  CHECK_OK(file->sync_and_close());
  CHECK(file->is_closed());
  file.reset();
  CHECK_EQ(entry_count(folder), 0u);
}

TEST(staged_write, names_file_operation_and_reason_in_errors) {
  const std::string folder = fresh_folder("errors");
  auto file = StagedFile::create(folder + "/none", "m.bin");
  CHECK_CODE(file, Code::kFail);
  CHECK(has_text(file.status().message(), "cannot create '" + folder + "/none/.m.bin."));
  CHECK(has_text(file.status().message(), "No such file"));
  fs::create_directory(folder + "/directory");
  put_file(folder + "/a", "a");
  const Status renamed = rename_in_folder(folder, "a", "directory");
  CHECK_CODE(renamed, Code::kFail);
  CHECK(has_text(renamed.message(), "cannot rename '" + folder + "/a' to 'directory': "));
  CHECK_CODE(rename_in_folder(folder, "none", "a"), Code::kFail);
  CHECK_EQ(get_file(folder + "/a"), "a");
  CHECK_CODE(remove_in_folder(folder, "directory"), Code::kFail);
  CHECK_OK(remove_in_folder(folder, "none"));
  CHECK_OK(remove_in_folder(folder + "/none", "none"));
  CHECK_OK(remove_in_folder(folder, "a"));
  CHECK(!fs::exists(folder + "/a"));
  CHECK_CODE(sync_folder(folder + "/none"), Code::kFail);
  CHECK_OK(sync_folder(""));
}

TEST(staged_write, passes_every_operation_through_the_hook) {
  const std::string folder = fresh_folder("hook");
  std::vector<std::string> seen;
  const HookForScope scope([&](const char* operation, const std::string& path) {
    CHECK(path.starts_with(folder));
    seen.emplace_back(operation);
    return Status::ok();
  });
  CHECK_OK(publish(folder, "text"));
  CHECK(seen == (std::vector<std::string>{"create", "write", "sync", "rename", "sync_folder"}));
  seen.clear();
  stage(folder).reset();
  CHECK(seen == (std::vector<std::string>{"create", "remove"}));
  seen.clear();
  set_write_operation_hook(nullptr);
  CHECK_OK(publish(folder, "text"));
  CHECK(seen.empty());
}

TEST(staged_write, leaves_the_old_file_alone_when_an_operation_fails) {
  const std::string folder = fresh_folder("failures");
  CHECK_OK(publish(folder, "old"));
  for (const char* failing : {"create", "write", "sync", "rename"}) {
    const HookForScope scope([&](const char* operation, const std::string& path) {
      if (std::strcmp(operation, failing) != 0) return Status::ok();
      return ortc::fail("cannot ", operation, " '", path, "': No space left on device");
    });
    const Status status = publish(folder, "new");
    CHECK_CODE(status, Code::kFail);
    CHECK(has_text(status.message(), "No space left"));
    CHECK_EQ(get_file(folder + "/m.bin"), "old");
    CHECK_EQ(entry_count(folder), 1u);
  }
}

TEST(staged_write, never_succeeds_again_after_a_failure) {
  const std::string folder = fresh_folder("sticky");
  auto file = stage(folder);
  {
    const HookForScope scope(
        [](const char*, const std::string&) { return ortc::fail("the disk is full"); });
    CHECK_OK(file->write(as_bytes("small enough for the buffer")));
    CHECK_CODE(file->write_at(0, as_bytes("x")), Code::kFail);
  }
  for (const Status& status : {file->write(as_bytes("x")), file->align(64), file->write_at(0, {}),
                               file->sync_and_close()}) {
    CHECK_CODE(status, Code::kFail);
    CHECK_EQ(status.message(), "the disk is full");
  }
  file.reset();
  CHECK_EQ(entry_count(folder), 0u);
}

// Publishes 64 KiB beyond what `folder` takes, in big and in small pieces, and looks at what stays.
static bool fails_without_a_trace(const std::string& folder, const std::string& reason) {
  if (!publish(folder, "old").is_ok()) return false;
  for (const size_t piece : {size_t{4} << 20, size_t{1000}}) {
    auto file = StagedFile::create(folder, "m.bin");
    if (!file.is_ok()) return false;
    Status status;
    for (size_t done = 0; done < size_t{4} << 20 && status.is_ok(); done += piece) {
      status = file.value()->write(as_bytes(std::string(piece, 'n')));
    }
    if (status.is_ok()) status = file.value()->sync_and_close();
    if (status.code() != Code::kFail || !has_text(status.message(), reason)) {
      std::fprintf(stderr, "expected '%s', found '%s'\n", reason.c_str(),
                   status.to_string().c_str());
      return false;
    }
    if (file.value()->sync_and_close().is_ok()) return false;
    file.value().reset();
    if (entry_count(folder) != 1 || get_file(folder + "/m.bin") != "old") return false;
  }
  return true;
}

TEST(staged_write, leaves_nothing_on_a_full_device) {
  const std::string folder = fresh_folder("full");
  if (mount("ortc_test", folder.c_str(), "tmpfs", 0, "size=64k") != 0) {
    print_message("NOT TESTED: a full device, because mounting is not allowed here: %s\n",
                  strerror(errno));
    return;
  }
  const bool well = fails_without_a_trace(folder, "No space left on device");
  CHECK_EQ(umount2(folder.c_str(), MNT_DETACH), 0);
  CHECK(well);
}

TEST(staged_write, leaves_nothing_past_the_size_limit_of_the_process) {
  const std::string folder = fresh_folder("limit");
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    // The limit ends in the middle of a write, which comes back short.
    const rlimit limit{100'000, 100'000};
    signal(SIGXFSZ, SIG_IGN);
    const bool is_set = setrlimit(RLIMIT_FSIZE, &limit) == 0;
    _exit(is_set && fails_without_a_trace(folder, "File too large") ? 0 : 1);
  }
  int state = 0;
  CHECK_EQ(waitpid(child, &state, 0), child);
  CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

TEST(staged_write, follows_no_link_and_leaves_no_descriptor) {
  const std::string folder = fresh_folder("links");
  put_file(folder + "/real", "real");
  fs::create_symlink("real", folder + "/m.bin");
  const size_t before = entry_count("/proc/self/fd");
  CHECK_OK(publish(folder, "new"));
  CHECK_EQ(get_file(folder + "/real"), "real");
  CHECK(!fs::is_symlink(folder + "/m.bin"));
  CHECK_EQ(get_file(folder + "/m.bin"), "new");
  CHECK_EQ(entry_count("/proc/self/fd"), before);
}

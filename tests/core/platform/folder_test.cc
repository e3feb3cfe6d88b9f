// SPDX-License-Identifier: MIT
// Untrusted names beneath a folder: what opens, what is refused, and that both ways of opening
// agree.
#include "core/platform/folder.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/platform/descriptor.h"
#include "core/platform/file_map.h"
#include "core/platform/path.h"
#include "tests/core/platform/platform_files.h"

namespace fs = std::filesystem;
using ortc::Access;
using ortc::Code;
using ortc::Folder;
using namespace ortc::test;

namespace {

std::shared_ptr<const Folder> open_folder(const std::string& path) {
  auto folder = Folder::open(path);
  CHECK_OK(folder);
  return folder.value();
}

void check_opens(const Folder& folder, const std::string& name, const std::string& text,
                 const Folder* also = nullptr) {
  for (const Access access : {Access::kMap, Access::kRead}) {
    auto map = folder.open_beneath(name, access, also);
    CHECK_OK(map);
    CHECK_EQ(std::string(ortc::as_text(map.value()->bytes())), text);
  }
}

void check_refuses(const Folder& folder, const std::string& name, const std::string& reason,
                   const Folder* also = nullptr) {
  auto map = folder.open_beneath(name, Access::kMap, also);
  CHECK_CODE(map, Code::kFail);
  if (!has_text(map.status().message(), reason)) {
    check_failed(__FILE__, __LINE__, "'" + map.status().message() + "' tells '" + reason + "'");
  }
  if (name.find('\0') == std::string::npos) CHECK(has_text(map.status().message(), name));
}

// m/ is the model's folder, beside it are a file and a folder that it must not reach.
std::string make_tree(const std::string& name) {
  const std::string top = fresh_folder(name);
  fs::create_directories(top + "/m/sub/deep");
  fs::create_directories(top + "/m2");
  put_file(top + "/secret", "secret");
  put_file(top + "/m2/secret", "secret");
  put_file(top + "/m/w.bin", "w");
  put_file(top + "/m/sub/v.bin", "v");
  put_file(top + "/m/sub/deep/u.bin", "u");
  return top;
}

}  // namespace

TEST(folder, opens_files_beneath_it) {
  const std::string top = make_tree("plain");
  const auto folder = open_folder(top + "/m");
  check_opens(*folder, "w.bin", "w");
  check_opens(*folder, "./w.bin", "w");
  check_opens(*folder, "sub/v.bin", "v");
  check_opens(*folder, "sub//deep/./u.bin", "u");
  check_opens(*folder, "sub/../w.bin", "w");
  check_opens(*folder, "sub/deep/../../w.bin", "w");
  CHECK_EQ(folder->open_beneath("w.bin").value()->path(), top + "/m/w.bin");
}

TEST(folder, refuses_names_that_are_not_relative) {
  const std::string top = make_tree("absolute");
  const auto folder = open_folder(top + "/m");
  check_refuses(*folder, "", "an empty one");
  check_refuses(*folder, top + "/m/w.bin", "an absolute one");
  check_refuses(*folder, "/w.bin", "an absolute one");
  check_refuses(*folder, "//server/share/w.bin", "an absolute one");
  check_refuses(*folder, "\\\\server\\share\\w.bin", "an absolute one");
  check_refuses(*folder, "\\dir\\w.bin", "an absolute one");
  check_refuses(*folder, "C:\\w.bin", "a drive letter");
  check_refuses(*folder, "c:/w.bin", "a drive letter");
  check_refuses(*folder, "C:w.bin", "a drive letter");
  check_refuses(*folder, std::string("w.bin\0x", 7), "a zero byte");
  check_refuses(*folder, std::string(5000, 'a'), "too long");
  check_refuses(*folder, std::string(300, 'a'), "too long");
}

TEST(folder, refuses_names_that_leave_it_by_dots) {
  const std::string top = make_tree("dots");
  const auto folder = open_folder(top + "/m");
  for (const char* name : {"../secret", "..", "sub/../../secret", "../m/w.bin", "./../m2/secret",
                           "sub/deep/../../../secret", "x/../../secret", "../m2/secret"}) {
    check_refuses(*folder, name, "leaves the folder by '..'");
  }
  const auto also = open_folder(top + "/m2");
  check_refuses(*folder, "../m2/secret", "leaves the folder by '..'", also.get());
}

TEST(folder, refuses_what_is_missing_or_no_regular_file) {
  const std::string top = make_tree("irregular");
  const auto folder = open_folder(top + "/m");
  CHECK_EQ(mkfifo((top + "/m/fifo").c_str(), 0600), 0);
  check_refuses(*folder, "none.bin", "No such file");
  check_refuses(*folder, "none/../w.bin", "No such file");
  check_refuses(*folder, "w.bin/x", "Not a directory");
  check_refuses(*folder, "w.bin/", "Not a directory");
  check_refuses(*folder, "sub", "a directory");
  check_refuses(*folder, ".", "a directory");
  check_refuses(*folder, "sub/..", "a directory");
  check_refuses(*folder, "fifo", "a FIFO");
}

TEST(folder, follows_links_that_stay_inside) {
  const std::string top = make_tree("inside");
  fs::create_symlink("w.bin", top + "/m/link.bin");
  fs::create_symlink("../w.bin", top + "/m/sub/up.bin");
  fs::create_symlink("link.bin", top + "/m/twice.bin");
  fs::create_directory_symlink("sub/deep", top + "/m/short");
  fs::create_symlink(top + "/m/w.bin", top + "/m/absolute.bin");
  const auto folder = open_folder(top + "/m");
  check_opens(*folder, "link.bin", "w");
  check_opens(*folder, "sub/up.bin", "w");
  check_opens(*folder, "twice.bin", "w");
  check_opens(*folder, "short/u.bin", "u");
  check_opens(*folder, "short/../v.bin", "v");  // the link's own parent, as everywhere
  check_opens(*folder, "absolute.bin", "w");
}

TEST(folder, refuses_links_that_lead_outside) {
  const std::string top = make_tree("outside");
  fs::create_symlink("../secret", top + "/m/relative.bin");
  fs::create_symlink(top + "/secret", top + "/m/absolute.bin");
  fs::create_directory_symlink("..", top + "/m/up");
  fs::create_directory_symlink("../m2", top + "/m/other");
  fs::create_symlink("/proc/self/exe", top + "/m/magic.bin");
  fs::create_symlink("relative.bin", top + "/m/chain.bin");
  const auto folder = open_folder(top + "/m");
  check_refuses(*folder, "relative.bin", "leads to '" + top + "/secret'");
  check_refuses(*folder, "absolute.bin", "leads to '" + top + "/secret'");
  check_refuses(*folder, "chain.bin", "leads to '" + top + "/secret'");
  check_refuses(*folder, "up/secret", "leads to '" + top + "/secret'");
  // "m2" begins like "m" but is another folder.
  check_refuses(*folder, "other/secret", "leads to '" + top + "/m2/secret'");
  check_refuses(*folder, "magic.bin", "found a link that leads to");
  check_refuses(*folder, "up", "found a link that leads to '" + top + "'");
}

TEST(folder, refuses_links_that_lead_nowhere) {
  const std::string top = make_tree("dangling");
  fs::create_symlink("none.bin", top + "/m/relative.bin");
  fs::create_symlink(top + "/none.bin", top + "/m/absolute.bin");
  fs::create_symlink("loop.bin", top + "/m/loop.bin");
  const auto folder = open_folder(top + "/m");
  check_refuses(*folder, "relative.bin", "No such file");
  check_refuses(*folder, "absolute.bin", "No such file");
  check_refuses(*folder, "loop.bin", "Too many levels");
}

TEST(folder, opens_the_files_of_a_cache_of_blobs) {
  const std::string top = fresh_folder("cache");
  fs::create_directories(top + "/blobs/inner");
  fs::create_directories(top + "/snapshots/x");
  put_file(top + "/blobs/abc", "model");
  put_file(top + "/blobs/def", "weights");
  put_file(top + "/blobs/inner/ghi", "inner");
  put_file(top + "/secret", "secret");
  put_file(top + "/blobs2", "secret");
  const std::string snapshot = top + "/snapshots/x";
  fs::create_symlink("../../blobs/abc", snapshot + "/model.onnx");
  fs::create_symlink("../../blobs/def", snapshot + "/model.onnx_data");
  fs::create_symlink("../../blobs/inner/ghi", snapshot + "/inner");
  fs::create_symlink("../../secret", snapshot + "/secret");
  fs::create_symlink("../../blobs2", snapshot + "/prefix");
  fs::create_symlink("../../blobs/none", snapshot + "/none");
  fs::create_symlink("../../blobs/inner", snapshot + "/directory");
  fs::create_symlink("../secret", top + "/blobs/out");
  fs::create_symlink("../../blobs/out", snapshot + "/out");

  const auto folder = open_folder(snapshot);
  const auto blobs =
      open_folder(ortc::path_folder(ortc::real_path(ortc::path_join(snapshot, "model.onnx"))));
  check_refuses(*folder, "model.onnx_data", "expected 'model.onnx_data' to stay in folder");
  check_opens(*folder, "model.onnx_data", "weights", blobs.get());
  check_opens(*folder, "inner", "inner", blobs.get());
  check_opens(*folder, "directory/ghi", "inner", blobs.get());
  for (const char* name : {"secret", "prefix", "out"}) {
    check_refuses(*folder, name, "or in '" + top + "/blobs'", blobs.get());
  }
  check_refuses(*folder, "none", "No such file", blobs.get());
  check_refuses(*folder, "directory", "a directory", blobs.get());
  // What is absent here may stand beside the file that the link leads to.
  check_opens(*folder, "def", "weights", blobs.get());
}

TEST(folder, is_found_through_links_and_as_the_current_folder) {
  const std::string top = make_tree("current");
  fs::create_directory_symlink("m", top + "/alias");
  fs::create_symlink(top + "/m/w.bin", top + "/m/absolute.bin");
  check_opens(*open_folder(top + "/alias"), "absolute.bin", "w");
  check_opens(*open_folder(top + "/alias/"), "sub/v.bin", "v");

  const fs::path before = fs::current_path();
  fs::current_path(top + "/m");
  const auto here = open_folder("");
  fs::current_path(before);
  CHECK_EQ(here->path(), "");
  check_opens(*here, "w.bin", "w");  // held by descriptor
  check_opens(*here, "absolute.bin", "w");
  check_refuses(*here, "../secret", "leaves the folder");
}

TEST(folder, says_why_it_cannot_be_opened) {
  const std::string top = make_tree("unopened");
  CHECK_CODE(Folder::open(top + "/none"), Code::kNoSuchFile);
  CHECK_CODE(Folder::open(top + "/secret"), Code::kFail);
  CHECK_CODE(Folder::open(std::string("a\0b", 3)), Code::kFail);
}

TEST(folder, opens_by_components_what_has_no_links) {
  const std::string top = make_tree("components");
  fs::create_symlink("w.bin", top + "/m/link.bin");
  fs::create_directory_symlink("sub", top + "/m/alias");
  fs::create_directory_symlink("../m2", top + "/m/other");
  const ortc::OpenedFile base = ortc::open_for_reading(top + "/m");
  const auto error_of = [&](const std::string& name) {
    const ortc::OpenedFile file = ortc::open_by_components(base.descriptor.get(), name);
    CHECK_EQ(file.descriptor.is_open(), file.error == 0);
    return file.error;
  };
  for (const char* name : {"w.bin", "./w.bin", "sub/v.bin", "sub//deep/./u.bin", "sub/../w.bin",
                           "sub/deep/../../w.bin", "sub/../sub/v.bin"}) {
    CHECK_EQ(error_of(name), 0);
  }
  for (const char* name : {"link.bin", "alias/v.bin", "other/secret", "alias/../w.bin"}) {
    CHECK_EQ(error_of(name), ELOOP);
  }
  CHECK_EQ(error_of("../secret"), EXDEV);
  CHECK_EQ(error_of("sub/../../secret"), EXDEV);
  CHECK_EQ(error_of("none/../w.bin"), ENOENT);
  CHECK_EQ(error_of("w.bin/../w.bin"), ENOTDIR);
  CHECK_EQ(error_of("none.bin"), ENOENT);
  for (const char* name : {"", ".", "sub/..", "sub/", "sub/."}) CHECK_EQ(error_of(name), EISDIR);
  for (const char* name : {"w.bin/", "w.bin/."}) CHECK_EQ(error_of(name), ENOTDIR);
}

// Lets openat2 fail with `error` from here to the end of the process.
static bool forbid_openat2(uint32_t error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof filter[0], filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void check_folder_with_links(const std::string& top) {
  const auto folder = open_folder(top + "/m");
  const auto also = open_folder(top + "/m2");
  check_opens(*folder, "w.bin", "w");
  check_opens(*folder, "sub/deep/../v.bin", "v");
  check_opens(*folder, "link.bin", "w");
  check_opens(*folder, "alias/../w.bin", "w");
  check_opens(*folder, "absolute.bin", "w");
  check_opens(*folder, "other/secret", "secret", also.get());
  check_refuses(*folder, "other/secret", "leads to '" + top + "/m2/secret'");
  check_refuses(*folder, "out.bin", "leads to '" + top + "/secret'", also.get());
  check_refuses(*folder, "dangling.bin", "No such file");
  check_refuses(*folder, "none.bin", "No such file");
  check_refuses(*folder, "../secret", "leaves the folder");
  check_refuses(*folder, "fifo", "a FIFO");
  check_refuses(*folder, "sub", "a directory");
}

TEST(folder, opens_the_same_where_the_kernel_does_not_help) {
  const std::string top = make_tree("old_kernel");
  fs::create_symlink("w.bin", top + "/m/link.bin");
  fs::create_directory_symlink("sub", top + "/m/alias");
  fs::create_symlink(top + "/m/w.bin", top + "/m/absolute.bin");
  fs::create_directory_symlink("../m2", top + "/m/other");
  fs::create_symlink("../secret", top + "/m/out.bin");
  fs::create_symlink("none.bin", top + "/m/dangling.bin");
  CHECK_EQ(mkfifo((top + "/m/fifo").c_str(), 0600), 0);
  check_folder_with_links(top);
  for (const uint32_t error : {ENOSYS, EPERM}) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      if (!forbid_openat2(error)) _exit(77);
      check_folder_with_links(top);
      _exit(0);
    }
    int state = 0;
    CHECK_EQ(waitpid(child, &state, 0), child);
    if (WIFEXITED(state) && WEXITSTATUS(state) == 77) {
      print_message("NOT TESTED: opening without openat2, because seccomp is not allowed here\n");
      return;
    }
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
}

TEST(folder, never_leaves_while_a_link_is_exchanged) {
  const std::string top = make_tree("race");
  fs::create_directory_symlink("sub", top + "/m/flip");
  put_file(top + "/m2/v.bin", "secret");
  const auto folder = open_folder(top + "/m");
  std::thread flipper([&] {
    for (int i = 0; i < 2000; ++i) {
      const std::string next = top + "/m/next";
      if (symlink(i % 2 == 0 ? "../m2" : "sub", next.c_str()) != 0) continue;
      rename(next.c_str(), (top + "/m/flip").c_str());
    }
  });
  int opened_count = 0;
  int wrong_count = 0;
  // The last link leads inside, so that one is opened sooner or later.
  for (int i = 0; i < 2000 || (opened_count == 0 && i < 1000000); ++i) {
    auto map = folder->open_beneath("flip/v.bin", Access::kRead);
    if (!map.is_ok()) continue;
    ++opened_count;
    if (ortc::as_text(map.value()->bytes()) != "v") ++wrong_count;
  }
  flipper.join();
  CHECK_EQ(wrong_count, 0);
  CHECK(opened_count > 0);
}

TEST(folder, leaves_no_descriptor_open) {
  const std::string top = make_tree("descriptors");
  fs::create_symlink("../secret", top + "/m/out.bin");
  const size_t before = entry_count("/proc/self/fd");
  {
    const auto folder = open_folder(top + "/m");
    check_opens(*folder, "sub/deep/u.bin", "u");
    check_refuses(*folder, "out.bin", "leads to");
    check_refuses(*folder, "sub", "a directory");
    const ortc::OpenedFile base = ortc::open_for_reading(top + "/m");
    CHECK(ortc::open_by_components(base.descriptor.get(), "sub/deep/u.bin").descriptor.is_open());
  }
  CHECK_EQ(entry_count("/proc/self/fd"), before);
}

// SPDX-License-Identifier: MIT
// Whole files as bytes: what is mapped, what is read, what is refused.
#include "core/platform/file_map.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/core/platform/platform_files.h"

namespace fs = std::filesystem;
using ortc::Access;
using ortc::Code;
using ortc::FileMap;
using namespace ortc::test;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

TEST(file_map, gives_the_same_bytes_mapped_and_read) {
  const std::string path = fresh_folder("same") + "/a.bin";
  std::string text(100'000, 'x');
  text[0] = 'a';
  text[99'999] = '\0';
  put_file(path, text);
  for (const Access access : {Access::kMap, Access::kRead}) {
    auto map = FileMap::open(path, access);
    CHECK_OK(map);
    CHECK(ortc::as_text(map.value()->bytes()) == text);
    CHECK_EQ(map.value()->is_mapped(), access == Access::kMap);
    CHECK_EQ(map.value()->path(), path);
    CHECK_EQ(map.value()->identity().size, text.size());
    CHECK_EQ(reinterpret_cast<uintptr_t>(map.value()->bytes().data()) % 4096, 0u);
  }
}

TEST(file_map, gives_empty_bytes_for_an_empty_file) {
  const std::string path = fresh_folder("empty") + "/a.bin";
  put_file(path, "");
  for (const Access access : {Access::kMap, Access::kRead}) {
    auto map = FileMap::open(path, access);
    CHECK_OK(map);
    CHECK(map.value()->bytes().empty());
    CHECK_EQ(FileMap::blob(map.value(), 0, 0).size(), 0u);
  }
}

TEST(file_map, says_that_a_file_is_missing) {
  const std::string folder = fresh_folder("missing");
  put_file(folder + "/file", "x");
  CHECK_CODE(FileMap::open(folder + "/none.bin"), Code::kNoSuchFile);
  CHECK_CODE(FileMap::open(folder + "/none/a.bin"), Code::kNoSuchFile);
  CHECK_CODE(FileMap::open(folder + "/file/a.bin"), Code::kNoSuchFile);
  CHECK_CODE(FileMap::open(""), Code::kNoSuchFile);
  fs::create_symlink("nowhere", folder + "/dangling");
  CHECK_CODE(FileMap::open(folder + "/dangling"), Code::kNoSuchFile);
  CHECK_CODE(FileMap::open(folder + "/file" + std::string(1, '\0') + "x"), Code::kFail);
}

TEST(file_map, refuses_what_is_no_regular_file_without_waiting) {
  const std::string folder = fresh_folder("irregular");
  CHECK_EQ(mkfifo((folder + "/fifo").c_str(), 0600), 0);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = folder + "/socket";
  CHECK(name.size() < sizeof address.sun_path);
  name.copy(address.sun_path, name.size());
  CHECK_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  for (const Access access : {Access::kMap, Access::kRead}) {
    CHECK_CODE(FileMap::open(folder, access), Code::kFail);
    CHECK_CODE(FileMap::open(folder + "/fifo", access), Code::kFail);
    CHECK_CODE(FileMap::open(folder + "/socket", access), Code::kFail);
    CHECK_CODE(FileMap::open("/dev/zero", access), Code::kFail);
  }
  CHECK(has_text(FileMap::open(folder).status().message(), "found a directory"));
  CHECK(has_text(FileMap::open(folder + "/fifo").status().message(), "found a FIFO"));
  CHECK(has_text(FileMap::open("/dev/zero").status().message(), "found a device"));
  close(listener);
}

TEST(file_map, keeps_its_bytes_when_the_file_is_replaced_or_deleted) {
  const std::string folder = fresh_folder("replaced");
  put_file(folder + "/a.bin", "old");
  put_file(folder + "/b.bin", "new");
  auto map = FileMap::open(folder + "/a.bin");
  CHECK_OK(map);
  fs::rename(folder + "/b.bin", folder + "/a.bin");
  CHECK(ortc::as_text(map.value()->bytes()) == "old");
  auto second = FileMap::open(folder + "/a.bin");
  CHECK_OK(second);
  CHECK(!(second.value()->identity() == map.value()->identity()));
  fs::remove(folder + "/a.bin");
  CHECK(ortc::as_text(map.value()->bytes()) == "old");
  CHECK(ortc::as_text(second.value()->bytes()) == "new");
}

TEST(file_map, has_one_identity_by_whatever_name) {
  const std::string folder = fresh_folder("identity");
  put_file(folder + "/a.bin", "text");
  fs::create_symlink("a.bin", folder + "/link.bin");
  auto direct = FileMap::open(folder + "/a.bin");
  auto linked = FileMap::open(folder + "/link.bin", Access::kRead);
  CHECK_OK(direct);
  CHECK_OK(linked);
  CHECK(direct.value()->identity() == linked.value()->identity());
}

TEST(file_map, lives_as_long_as_a_blob_of_it) {
  const std::string path = fresh_folder("blob") + "/a.bin";
  put_file(path, "0123456789");
  ortc::Blob blob;
  {
    auto map = FileMap::open(path);
    CHECK_OK(map);
    blob = FileMap::blob(map.value(), 3, 4);
  }
  CHECK(blob.text() == "3456");
}

TEST(file_map, leaves_no_descriptor_open) {
  const std::string path = fresh_folder("descriptors") + "/a.bin";
  put_file(path, "text");
  const size_t before = entry_count("/proc/self/fd");
  auto mapped = FileMap::open(path);
  auto read = FileMap::open(path, Access::kRead);
  CHECK_OK(mapped);
  CHECK_OK(read);
  CHECK_CODE(FileMap::open("/dev/zero"), Code::kFail);
  CHECK_EQ(entry_count("/proc/self/fd"), before);
}

TEST(file_map, reports_a_size_that_cannot_be_had) {
  // A file of 2^62 bytes that occupies nothing.
  const int memory = memfd_create("huge", 0);
  CHECK(memory >= 0);
  CHECK_EQ(ftruncate(memory, off_t{1} << 62), 0);
  const std::string path = "/proc/self/fd/" + std::to_string(memory);
  CHECK_CODE(FileMap::open(path), Code::kFail);
  // Sanitizers end the process over such an allocation instead of refusing it.
  if (!kIsSanitized) CHECK_CODE(FileMap::open(path, Access::kRead), Code::kFail);
  close(memory);
}

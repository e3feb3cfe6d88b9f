// SPDX-License-Identifier: MIT
// A staged name has random digits: several may write to one target, and the last one wins.

#include "tools/ortc/output/staged_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

namespace ortc::tool {
namespace {

namespace fs = std::filesystem;

std::string random_digits() {
  std::random_device device;
  char text[17];
  std::snprintf(text, sizeof text, "%08x%08x", device(), device());
  return text;
}

constexpr int kMaxLinks = 40;  // as the system

// False where it is none.
bool follow_link(fs::path& place) {
  std::error_code error;
  if (!fs::is_symlink(place, error)) return false;
  const fs::path next = fs::read_symlink(place, error);
  if (error) return false;
  place = next.is_absolute() ? next : place.parent_path() / next;
  return true;
}

// The number of what this process has open, for /dev/stdout, /dev/fd/5 and what leads there: opened
// anew it would be written from its beginning. -1: none.
int own_descriptor(const std::string& path) {
  const fs::path own = "/proc/" + std::to_string(getpid()) + "/fd";
  fs::path place(path);
  for (int i = 0; i < kMaxLinks; i++) {
    std::error_code error;
    const std::string name = place.filename().string();
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == name.npos;
    if (is_number && fs::canonical(place.parent_path(), error) == own)
      return std::atoi(name.c_str());
    if (!follow_link(place)) break;
  }
  return -1;
}

// For writing; -1 and errno where that cannot be.
int open_to_write_into(const std::string& path) {
  const int own = own_descriptor(path);
  return own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                  : open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

}  // namespace

ToolError not_written(const std::string& path, const std::string& why) {
  return failure(path + ": could not be written: " + why);
}

bool is_written_into(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const bool is_special =
      fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
  return is_special || own_descriptor(path) >= 0;
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string behind_links(const std::string& path) {
  fs::path place(path);
  for (int i = 0; i < kMaxLinks && follow_link(place); i++) {
  }
  return place.string();
}

StagedFile::StagedFile(const std::string& path) : path_(path), target_(path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw not_written(path, "it is a folder");
  if (is_written_into(path)) {
    const int descriptor = open_to_write_into(path);
    file_ = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
  } else {
    target_ = behind_links(path);
    open_staged();
  }
  if (file_ == nullptr) throw not_written(path, std::strerror(errno));
}

// With the permissions of the file that it will replace.
void StagedFile::open_staged() {
  staged_ = folder_of(target_) + "/.ortc-" + random_digits() + ".part";
  scope_ = std::make_unique<const CleanScope>([this] { remove_staged(); });
  const int descriptor =
      open(staged_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) return;
  struct stat info {};
  if (stat(target_.c_str(), &info) == 0) (void)fchmod(descriptor, info.st_mode & 07777);
  file_ = fdopen(descriptor, "wb");
}

StagedFile::~StagedFile() {
  if (file_ == nullptr) return;
  close();
  remove_staged();
}

void StagedFile::remove_staged() const {
  if (!staged_.empty()) std::remove(staged_.c_str());
}

void StagedFile::write(const void* data, size_t size) {
  if (size == 0 || reason_ != 0) return;
  if (std::fwrite(data, 1, size, file_) != size) reason_ = errno;
}

void StagedFile::close() {
  if (std::fclose(file_) != 0 && reason_ == 0) reason_ = errno;
  file_ = nullptr;
}

void StagedFile::finish() {
  close();
  const bool is_staged = !staged_.empty();
  if (is_staged && reason_ == 0 && std::rename(staged_.c_str(), target_.c_str()) != 0) {
    reason_ = errno;
  }
  if (reason_ == 0) return;
  remove_staged();
  throw not_written(path_, std::strerror(reason_));
}

}  // namespace ortc::tool

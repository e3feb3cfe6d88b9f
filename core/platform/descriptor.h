// SPDX-License-Identifier: MIT
// What the files of this folder share and nobody else includes: an owned descriptor, texts of
// system errors, and the openers whose failure is an errno.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/platform/file_map.h"

namespace ortc {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor();

  bool is_open() const { return value_ >= 0; }
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_ = -1;
};

// Every descriptor that was opened for writing passes through here, as it came from the system; -1
// and errno as they are. A process that closed its standard streams is given their numbers for the
// next files, and what it then prints to stderr would be written into them: 0, 1 and 2 are changed
// for higher numbers.
int above_standard_streams(int descriptor);

// "No space left on device"
std::string errno_text(int error);
// "cannot write 'm.bin': No space left on device"
Status system_failure(std::string_view operation, const std::string& path, int error);
// `path`, or "." for the empty path.
std::string folder_or_here(const std::string& path);
// True for a name without separators that is neither "", "." nor "..", nor holds a zero byte.
bool is_plain_name(std::string_view name);

struct OpenedFile {
  Descriptor descriptor;
  int error = 0;  // an errno, when the descriptor is not open
};
// For reading, without waiting for the other end of a FIFO. `more_flags`: those of open(2).
OpenedFile open_for_reading(const std::string& path, int more_flags = 0);
// Beneath `folder`, never outside; EXDEV or ELOOP when `name` leads through a link that these do
// not follow. The first asks the kernel and takes the second's way where the kernel cannot.
enum class Links { kFollowInside, kRefuse };
OpenedFile open_beneath_descriptor(int folder, const std::string& name, Links links);
OpenedFile open_by_components(int folder, std::string_view name);

// A file of the folder that has no name and is gone with its descriptor. It is staged by nobody.
Result<Descriptor> open_nameless(const std::string& folder);

FileIdentity identity_from(const struct stat& info);
// FAIL when the descriptor is that of anything but a regular file; `path` is for the message.
Result<FileIdentity> identity_of(int descriptor, const std::string& path);

// The descriptor is the caller's to close.
struct FileMapMaker {
  static Result<std::shared_ptr<const FileMap>> from_descriptor(int descriptor,
                                                                const FileIdentity& identity,
                                                                std::string path, Access access);
  // What the process's FileStore has of that file, else a map that the store has from now on.
  static Result<std::shared_ptr<const FileMap>> shared_from_descriptor(int descriptor,
                                                                       const FileIdentity& identity,
                                                                       std::string path,
                                                                       Access access);
  // The same for what is mapped, and a copy of the moment for what is read.
  static Result<std::shared_ptr<const FileMap>> shared_when_mapped(int descriptor,
                                                                   const FileIdentity& identity,
                                                                   std::string path, Access access);

 private:
  static Status take_bytes(int descriptor, Access access, FileMap& map);
};

}  // namespace ortc

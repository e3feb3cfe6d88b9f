// SPDX-License-Identifier: MIT
// FileMap: a regular file as bytes, mapped or read. What the file is, is asked of the opened
// descriptor and never of the path, so that both speak of the same file.
#include "core/platform/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <mutex>
#include <new>
#include <system_error>

#include "core/base/checked_math.h"
#include "core/base/large_memory.h"
#include "core/platform/descriptor.h"
#include "core/platform/file_store.h"
#include "core/platform/held_file.h"
#include "core/platform/memory/residency.h"
#include "core/platform/memory/watched_reading.h"

namespace ortc {

// What is read is as aligned as what is mapped, so that readers need one way only.
constexpr std::align_val_t kReadAlignment{4096};

bool is_mapped_file(uint64_t size, Access access) {
  // Reading so few bytes costs less than a map, its page faults and its end.
  constexpr uint64_t kReadRatherThanMapped = uint64_t{16} << 10;
  return access == Access::kMap && size > kReadRatherThanMapped;
}

Descriptor::~Descriptor() {
  if (value_ >= 0) close(value_);
}

int above_standard_streams(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int above = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(descriptor);
  errno = error;
  return above;
}

std::string errno_text(int error) { return std::generic_category().message(error); }

Status system_failure(std::string_view operation, const std::string& path, int error) {
  return fail("cannot ", operation, " '", path, "': ", errno_text(error));
}

OpenedFile open_for_reading(const std::string& path, int more_flags) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more_flags;
  int descriptor;
  do {
    descriptor = open(path.c_str(), flags);
  } while (descriptor < 0 && errno == EINTR);
  return {Descriptor(descriptor), descriptor < 0 ? errno : 0};
}

namespace {

std::string_view kind_name(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "something else";
}

}  // namespace

FileIdentity identity_from(const struct stat& info) {
  const auto nanoseconds = [](const timespec& t) {
    return static_cast<int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
  };
  return FileIdentity{.device = info.st_dev,
                      .inode = info.st_ino,
                      .size = static_cast<uint64_t>(info.st_size),
                      .modified_ns = nanoseconds(info.st_mtim),
                      .changed_ns = nanoseconds(info.st_ctim)};
}

Result<FileIdentity> identity_of(int descriptor, const std::string& path) {
  struct stat info;
  if (fstat(descriptor, &info) != 0) {
    return fail("cannot examine file '", path, "': ", errno_text(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return fail("expected '", path, "' to be a regular file, found ", kind_name(info.st_mode));
  }
  if (!checked_cast<size_t>(info.st_size)) {
    return fail("file '", path, "' is too large: ", info.st_size, " bytes");
  }
  return identity_from(info);
}

bool is_same_content(const FileIdentity& then, const FileIdentity& now) {
  return now.device == then.device && now.inode == then.inode && now.size == then.size &&
         now.modified_ns == then.modified_ns;
}

static constinit thread_local const Work* watched_work = nullptr;

WatchedReading::WatchedReading(const Work& work) : before_(watched_work) { watched_work = &work; }

WatchedReading::~WatchedReading() { watched_work = before_; }

Status WatchedReading::go_on() {
  return watched_work != nullptr ? watched_work->go_on() : Status::ok();
}

namespace {

// A file that is written to meanwhile would give bytes that it never held together.
Status read_whole(int descriptor, std::byte* out, const FileIdentity& expected,
                  const std::string& path) {
  uint64_t done = 0;
  while (done < expected.size) {
    RETURN_IF_ERROR(WatchedReading::go_on());
    const size_t size = std::min<uint64_t>(expected.size - done, kWorkSlice);
    const ssize_t count = pread(descriptor, out + done, size, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail("cannot read file '", path, "': ", errno_text(errno));
    if (count == 0) break;
    done += static_cast<uint64_t>(count);
  }
  ASSIGN_OR_RETURN(const FileIdentity found, identity_of(descriptor, path));
  if (done != expected.size || found.size != expected.size ||
      found.modified_ns != expected.modified_ns) {
    return fail("file '", path, "' was written to while it was read: expected ", expected.size,
                " bytes, found ", found.size);
  }
  return Status::ok();
}

}  // namespace

// All maps there are, for those who ask about memory. A list within them, so that adding one takes
// no memory and the library has nothing to construct.
static constinit std::mutex list_mutex;
static constinit FileMap* first_map = nullptr;

Status FileMapMaker::take_bytes(int descriptor, Access access, FileMap& map) {
  const size_t size = map.identity_.size;
  if (size == 0) return Status::ok();
  if (is_mapped_file(size, access)) {
    void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address != MAP_FAILED) {
      map.bytes_ = {static_cast<const std::byte*>(address), size};
      map.mapped_ = true;
      return Status::ok();
    }
    // ENODEV: this file system maps nothing; reading serves as well.
    if (errno != ENODEV) {
      return fail("cannot map file '", map.path_, "' of ", size, " bytes: ", errno_text(errno));
    }
  }
  map.is_large_copy_ = size >= kLeastLargeMemory;
  void* memory = map.is_large_copy_ ? map_large_memory(size) :
                                    operator new(size, kReadAlignment, std::nothrow);
  if (memory == nullptr) {
    return fail("cannot read file '", map.path_, "': no memory for ", size, " bytes");
  }
  auto* out = static_cast<std::byte*>(memory);
  map.bytes_ = {out, size};
  return read_whole(descriptor, out, map.identity_, map.path_);
}

Result<std::shared_ptr<const FileMap>> FileMapMaker::from_descriptor(int descriptor,
                                                                     const FileIdentity& identity,
                                                                     std::string path,
                                                                     Access access) {
  const std::shared_ptr<FileMap> map(new FileMap);
  map->identity_ = identity;
  map->path_ = std::move(path);
  RETURN_IF_ERROR(take_bytes(descriptor, access, *map));
  const std::lock_guard lock(list_mutex);
  map->next_ = first_map;
  if (first_map != nullptr) first_map->previous_ = map.get();
  first_map = map.get();
  return std::shared_ptr<const FileMap>(map);
}

Result<std::shared_ptr<const FileMap>> FileMapMaker::shared_from_descriptor(
    int descriptor, const FileIdentity& identity, std::string path, Access access) {
  if (auto known = FileStore::of_process().find(identity, access)) return known;
  ASSIGN_OR_RETURN(auto fresh, from_descriptor(descriptor, identity, std::move(path), access));
  return FileStore::of_process().share(std::move(fresh), access);
}

Result<std::shared_ptr<const FileMap>> FileMapMaker::shared_when_mapped(
    int descriptor, const FileIdentity& identity, std::string path, Access access) {
  const auto make =
      is_mapped_file(identity.size, access) ? shared_from_descriptor : from_descriptor;
  return make(descriptor, identity, std::move(path), access);
}

Result<std::shared_ptr<const FileMap>> FileMap::open(const std::string& path, Access access) {
  ASSIGN_OR_RETURN(const HeldFile file, HeldFile::open(path));
  return file.map(access);
}

std::vector<MapFacts> FileMap::all() {
  const std::lock_guard lock(list_mutex);
  std::vector<MapFacts> facts;
  for (const FileMap* map = first_map; map != nullptr; map = map->next_) {
    facts.push_back({map->path_, map->bytes_, map->mapped_});
  }
  return facts;
}

std::optional<ReadFile> FileMap::mapped_around(Bytes bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto address = [](const std::byte* byte) { return reinterpret_cast<uintptr_t>(byte); };
  const uintptr_t wanted = address(bytes.data());
  const std::lock_guard lock(list_mutex);
  for (const FileMap* map = first_map; map != nullptr; map = map->next_) {
    const uintptr_t begin = address(map->bytes_.data());
    if (!map->mapped_ || wanted < begin || wanted - begin >= map->bytes_.size()) continue;
    return ReadFile{map->path_, map->identity_};
  }
  return std::nullopt;
}

FileMap::~FileMap() {
  {
    const std::lock_guard lock(list_mutex);
    if (next_ != nullptr) next_->previous_ = previous_;
    if (previous_ != nullptr) previous_->next_ = next_;
    if (first_map == this) first_map = next_;
  }
  if (bytes_.empty()) return;
  auto* address = const_cast<std::byte*>(bytes_.data());
  if (mapped_) {
    munmap(address, bytes_.size());
  } else if (is_large_copy_) {
    unmap_large_memory(address, bytes_.size());
  } else {
    operator delete(address, kReadAlignment);
  }
}

Blob FileMap::blob(const std::shared_ptr<const FileMap>& map, uint64_t offset, uint64_t length) {
  assert(range_within(offset, length, map->bytes_.size()));
  return Blob(map->bytes_.subspan(offset, length), map);
}

}  // namespace ortc

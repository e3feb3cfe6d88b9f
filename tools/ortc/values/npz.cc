// SPDX-License-Identifier: MIT
// A .zip archive is read from its end: the last record says where the table of contents is, which
// says where the members are. Numbers of 32 bits that are too small are all ones, and stand in a
// record of 64 bits. Nothing in the file is trusted: places and sizes are compared with the file's.

#include "tools/ortc/values/npz.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tools/ortc/errors.h"
#include "tools/ortc/values/inflate.h"

namespace ortc::tool {
namespace {

constexpr uint32_t kEnd = 0x06054B50, kEndSize = 22, kCommentMax = 0xFFFF;
constexpr uint32_t kEnd64Place = 0x07064B50, kEnd64PlaceSize = 20;
constexpr uint32_t kEnd64 = 0x06064B50, kEnd64Size = 56;
constexpr uint32_t kEntry = 0x02014B50, kEntrySize = 46;
constexpr uint32_t kMember = 0x04034B50, kMemberSize = 30;
constexpr uint32_t kOnes = 0xFFFFFFFF;
constexpr uint16_t kExtra64 = 1;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr size_t kMembersMax = 10000;
constexpr uint64_t kRatioMax = 1032;  // deflate makes nothing smaller than that

uint64_t number_at(const std::vector<std::byte>& bytes, size_t at, size_t width) {
  uint64_t number = 0;
  for (size_t i = width; i-- > 0;) number = number << 8 | std::to_integer<uint64_t>(bytes[at + i]);
  return number;
}
uint16_t u16(const std::vector<std::byte>& b, size_t at) {
  return static_cast<uint16_t>(number_at(b, at, 2));
}
uint32_t u32(const std::vector<std::byte>& b, size_t at) {
  return static_cast<uint32_t>(number_at(b, at, 4));
}
uint64_t u64(const std::vector<std::byte>& b, size_t at) { return number_at(b, at, 8); }

ToolError npz_error(const std::string& path, const std::string& what) {
  return ToolError(kExitFailure, "INVALID_ARGUMENT", path + ": " + what);
}

}  // namespace

NpzFile::NpzFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  if (!file_) throw_not_opened(path);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw npz_error(path, "an archive must be a file: its table of contents is at its end");
  }
  size_ = std::filesystem::file_size(path, error);
  if (error) throw npz_error(path, error.message());
  read_contents();
}

std::vector<std::byte> NpzFile::bytes_at(uint64_t offset, uint64_t count) {
  if (offset > size_ || count > size_ - offset) throw npz_error(path_, "cut off");
  std::vector<std::byte> bytes(count);
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(offset));
  file_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(count));
  if (!file_) throw npz_error(path_, std::string("could not be read: ") + std::strerror(errno));
  return bytes;
}

void NpzFile::read_contents() {
  const uint64_t tail_size = std::min<uint64_t>(size_, kEndSize + kCommentMax);
  const std::vector<std::byte> tail = bytes_at(size_ - tail_size, tail_size);
  // Its comment ends the file; the same bytes may stand in the comment.
  const auto is_end = [&](size_t at) {
    return u32(tail, at) == kEnd && at + kEndSize + u16(tail, at + 20) == tail.size();
  };
  size_t end = tail.size() < kEndSize ? 0 : tail.size() - kEndSize + 1;
  while (end > 0 && !is_end(end - 1)) end--;
  if (end == 0) throw npz_error(path_, "not a .npz file, or cut off");
  end--;
  uint64_t size = u32(tail, end + 12), offset = u32(tail, end + 16);
  if (size == kOnes || offset == kOnes) {
    const uint64_t place = size_ - tail_size + end;
    if (place < kEnd64PlaceSize) throw npz_error(path_, "broken: no table of contents");
    const auto locator = bytes_at(place - kEnd64PlaceSize, kEnd64PlaceSize);
    if (u32(locator, 0) != kEnd64Place) throw npz_error(path_, "broken: no table of contents");
    const auto end64 = bytes_at(u64(locator, 8), kEnd64Size);
    if (u32(end64, 0) != kEnd64) throw npz_error(path_, "broken: no table of contents");
    size = u64(end64, 40);
    offset = u64(end64, 48);
  }
  const std::vector<std::byte> contents = bytes_at(offset, size);
  for (size_t at = 0; at < contents.size();) {
    if (contents.size() - at < kEntrySize || u32(contents, at) != kEntry) {
      throw npz_error(path_, "broken: the table of contents");
    }
    const size_t name = u16(contents, at + 28), extra = u16(contents, at + 30);
    const size_t entry = kEntrySize + name + extra + u16(contents, at + 32);
    if (contents.size() - at < entry) throw npz_error(path_, "broken: the table of contents");
    add_member(contents, at, name, extra);
    at += entry;
  }
}

void NpzFile::add_member(const std::vector<std::byte>& contents, size_t at, size_t name_size,
                         size_t extra_size) {
  Member member;
  member.name.assign(reinterpret_cast<const char*>(contents.data() + at + kEntrySize), name_size);
  if (member.name.size() < 4 || member.name.substr(member.name.size() - 4) != ".npy") {
    throw npz_error(path_, "member '" + member.name + "' is not a .npy file");
  }
  member.name.resize(member.name.size() - 4);
  if (members_.size() == kMembersMax) throw npz_error(path_, "more than 10000 members");
  if (!places_.emplace(member.name, members_.size()).second) {
    throw npz_error(path_, "has member '" + member.name + "' twice");
  }
  if ((u16(contents, at + 8) & 1) != 0) {
    throw npz_error(path_, "member '" + member.name + "' is encrypted");
  }
  member.method = u16(contents, at + 10);
  member.crc = u32(contents, at + 16);
  member.stored_size = u32(contents, at + 20);
  member.size = u32(contents, at + 24);
  member.offset = u32(contents, at + 42);
  const size_t extra_end = at + kEntrySize + name_size + extra_size;
  for (size_t field = extra_end - extra_size; extra_end - field >= 4;) {
    const size_t end = field + 4 + u16(contents, field + 2);
    if (end > extra_end) break;
    size_t number = field + 4;
    for (uint64_t* small : {&member.size, &member.stored_size, &member.offset}) {
      if (u16(contents, field) != kExtra64 || *small != kOnes || end - number < 8) continue;
      *small = u64(contents, number);
      number += 8;
    }
    field = end;
  }
  members_.push_back(std::move(member));
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> names;
  for (const Member& member : members_) names.push_back(member.name);
  return names;
}

const NpzFile::Member* NpzFile::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &members_[found->second];
}

NpyArray NpzFile::read(const std::string& name) {
  const Member& member = *find(name);
  const std::string what = path_ + ": member '" + name + "'";
  const auto header = bytes_at(member.offset, kMemberSize);
  if (u32(header, 0) != kMember) throw npz_error(what, "not where the table of contents says");
  const uint64_t start = member.offset + kMemberSize + u16(header, 26) + u16(header, 28);
  if (member.method != kStored && member.method != kDeflated) {
    throw npz_error(what, "compressed by method " + std::to_string(member.method) +
                              ", expected none or deflate");
  }
  std::vector<std::byte> bytes = bytes_at(start, member.stored_size);
  if (member.method == kDeflated) {
    if (!can_inflate()) {
      throw ToolError(kExitFailure, "NOT_IMPLEMENTED",
                      what + " is compressed, and this ortc was built without zlib")
          .set_hint("save it with numpy.savez(), which does not compress");
    }
    if (member.size / kRatioMax > member.stored_size) throw npz_error(what, "broken: its size");
    bytes = inflated(bytes, member.size, what);
  }
  if (bytes.size() != member.size || crc32_of(bytes) != member.crc) {
    throw npz_error(what, "broken: its checksum is another");
  }
  MemorySource source(what, bytes);
  return read_npy(source);
}

}  // namespace ortc::tool

// SPDX-License-Identifier: MIT
// What a pipe will give is not known before its end.

#include "tools/ortc/values/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tools/ortc/errors.h"

namespace ortc::tool {
namespace {

// What came from stdin, where it is kept, and how much of that was read since it began again.
struct KeptStdin {
  bool is_kept = false;
  std::vector<std::byte> bytes;
  size_t at = 0;
};

KeptStdin& kept_stdin() {
  static KeptStdin only;
  return only;
}

size_t read_kept(KeptStdin& kept, std::byte* out, size_t count) {
  const size_t known = std::min(count, kept.bytes.size() - kept.at);
  if (known > 0) std::memcpy(out, kept.bytes.data() + kept.at, known);
  const size_t further = known == count ? 0 : std::fread(out + known, 1, count - known, stdin);
  kept.bytes.insert(kept.bytes.end(), out + known, out + known + further);
  kept.at += known + further;
  return known + further;
}

}  // namespace

void begin_stdin_again() {
  kept_stdin().is_kept = true;
  kept_stdin().at = 0;
}

bool ByteSource::read_all(std::vector<std::byte>& out, size_t count) {
  constexpr size_t kFirst = size_t{16} << 20;
  out.clear();
  for (size_t done = 0; done < count; done = out.size()) {
    out.resize(std::min(count, std::max(done * 2, kFirst)));
    const size_t wanted = out.size() - done;
    const size_t found = read(out.data() + done, wanted);
    out.resize(done + found);
    if (found < wanted) return false;
  }
  return true;
}

FileSource::FileSource(const std::string& path)
    : ByteSource(path == "-" ? "stdin" : path),
      file_(path == "-" ? stdin : std::fopen(path.c_str(), "rb")) {
  if (file_ == nullptr) throw_not_opened(path);
}

FileSource::~FileSource() {
  if (file_ != stdin) std::fclose(file_);
}

size_t FileSource::read(void* out, size_t count) {
  if (count == 0) return 0;
  const bool is_kept = file_ == stdin && kept_stdin().is_kept;
  const size_t found = is_kept ? read_kept(kept_stdin(), static_cast<std::byte*>(out), count)
                               : std::fread(out, 1, count, file_);
  if (found < count && std::ferror(file_)) {
    throw failure(name() + ": could not be read: " + std::strerror(errno));
  }
  return found;
}

size_t MemorySource::read(void* out, size_t count) {
  const size_t found = std::min(count, bytes_.size() - at_);
  if (found > 0) std::memcpy(out, bytes_.data() + at_, found);
  at_ += found;
  return found;
}

void throw_not_opened(const std::string& path) {
  const bool is_missing = errno == ENOENT;
  const std::string text = path + ": " + std::strerror(errno);
  if (!is_missing) throw failure(text);
  throw ToolError(kExitFailure, "NO_SUCHFILE", text)
      .set_hint(
          "the value of an input is a .npy or .npz file, raw:FILE, a picture, a number, a list, "
          "random or zeros");
}

}  // namespace ortc::tool

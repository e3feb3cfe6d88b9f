// SPDX-License-Identifier: MIT
// Bytes read from front to end: of a file, a pipe, or memory.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace ortc::tool {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Where the bytes come from, for errors.
  const std::string& name() const { return name_; }
  // How many of `count` bytes there were: fewer only at the end.
  virtual size_t read(void* out, size_t count) = 0;
  // In slices, so that memory is taken for bytes that are there only. False: it ends before.
  bool read_all(std::vector<std::byte>& out, size_t count);

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

// "-" is stdin.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  size_t read(void* out, size_t count) override;

 private:
  std::FILE* file_;
};

// From now on stdin is read from its beginning, again after each call: what was read is kept. For
// commands that give several models the same values.
void begin_stdin_again();

// Bytes that the caller keeps.
class MemorySource : public ByteSource {
 public:
  MemorySource(std::string name, const std::vector<std::byte>& bytes)
      : ByteSource(std::move(name)), bytes_(bytes) {}
  size_t read(void* out, size_t count) override;

 private:
  const std::vector<std::byte>& bytes_;
  size_t at_ = 0;
};

// Throws NO_SUCHFILE or the like for the value of an input that cannot be opened.
[[noreturn]] void throw_not_opened(const std::string& path);

}  // namespace ortc::tool

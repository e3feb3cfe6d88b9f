// SPDX-License-Identifier: MIT
// NumPy's file of several arrays: a .zip archive whose members are .npy files, as numpy.savez() and
// numpy.savez_compressed() write it. What cannot be read is a ToolError that names the file.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/ortc/values/npy.h"

namespace ortc::tool {

class NpzFile {
 public:
  // Reads the table of contents only.
  explicit NpzFile(const std::string& path);

  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return find(name) != nullptr; }
  NpyArray read(const std::string& name);

 private:
  struct Member {
    std::string name;  // without ".npy"
    uint16_t method = 0;
    uint32_t crc = 0;
    uint64_t stored_size = 0, size = 0, offset = 0;
  };

  const Member* find(const std::string& name) const;
  // Throws when they are not there.
  std::vector<std::byte> bytes_at(uint64_t offset, uint64_t count);
  void read_contents();
  void add_member(const std::vector<std::byte>& contents, size_t at, size_t name_size,
                  size_t extra_size);

  std::string path_;
  std::ifstream file_;
  uint64_t size_ = 0;
  std::vector<Member> members_;
  std::unordered_map<std::string, size_t> places_;  // in members_, by name
};

}  // namespace ortc::tool

// SPDX-License-Identifier: MIT
// NumPy's file of one array: the magic "\x93NUMPY", a version, the length of a header, the header
// (a Python dict of descr, fortran_order and shape), the elements. Versions 1 and 2, little-endian,
// C order. What cannot be read is a ToolError that names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/ortc/values/byte_source.h"

namespace ortc::tool {

struct NpyArray {
  std::string descr;  // "<f4", "|u1", "<U12"
  std::vector<int64_t> shape;
  std::vector<std::byte> data;

  size_t element_count() const;
};

NpyArray read_npy(ByteSource& file);
// Whether bytes begin as such a file does.
bool is_npy_magic(const void* start, size_t size);
// Writes beside the target and renames, so that no half file is ever seen.
void write_npy(const std::string& path, const NpyArray& array);

}  // namespace ortc::tool

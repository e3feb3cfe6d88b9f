// SPDX-License-Identifier: MIT
// Reading trusts nothing: sizes are checked before anything is allocated from them.

#include "tools/ortc/values/npy.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include "tools/ortc/errors.h"
#include "tools/ortc/output/staged_file.h"

namespace ortc::tool {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;
constexpr size_t kMaxHeaderSize = 64 * 1024;
constexpr size_t kMaxRank = 64;

ToolError npy_error(const std::string& path, const std::string& what) {
  return ToolError(kExitFailure, "INVALID_ARGUMENT", path + ": " + what);
}

// The value of `'key':` in the header's dict, up to the comma or brace that ends it.
std::string member(const std::string& path, const std::string& header, const std::string& key) {
  size_t at = header.find("'" + key + "'");
  if (at != std::string::npos) at = header.find(':', at);
  if (at == std::string::npos) throw npy_error(path, "the header has no '" + key + "'");
  at = header.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos) throw npy_error(path, "the header ends early");
  size_t end = at;
  int depth = 0;
  while (end < header.size()) {
    const char c = header[end];
    if (c == '(' || c == '[') depth++;
    if (c == ')' || c == ']') depth--;
    if (depth == 0 && (c == ',' || c == '}')) break;
    end++;
  }
  std::string value = header.substr(at, end - at);
  while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back()))) value.pop_back();
  return value;
}

std::vector<int64_t> parse_shape_tuple(const std::string& path, const std::string& text) {
  std::vector<int64_t> shape;
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') {
    throw npy_error(path, "the shape is not a tuple: " + text);
  }
  size_t at = 1;
  while (at + 1 < text.size()) {
    if (text[at] == ' ' || text[at] == ',') {
      at++;
      continue;
    }
    int64_t size = 0;
    size_t digits = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) {
      if (++digits > 18) throw npy_error(path, "a dimension is too large");
      size = size * 10 + (text[at++] - '0');
    }
    if (digits == 0) throw npy_error(path, "the shape has something other than numbers: " + text);
    shape.push_back(size);
    if (shape.size() > kMaxRank) throw npy_error(path, "more than 64 dimensions");
  }
  return shape;
}

// Bytes of one element: "<f4" has 4, "<U3" has three code points of 4.
size_t element_size(const std::string& path, const std::string& descr) {
  if (descr.size() < 3 || descr.size() > 8) {
    throw npy_error(path, "element type '" + descr + "' is not known");
  }
  size_t size = 0;
  for (size_t i = 2; i < descr.size(); i++) {
    if (descr[i] < '0' || descr[i] > '9') {
      throw npy_error(path, "element type '" + descr + "' is not known");
    }
    size = size * 10 + static_cast<size_t>(descr[i] - '0');
  }
  const bool has_order = size > 1 && descr[1] != 'S';
  if (descr[0] == '>' && has_order) {
    throw npy_error(path, "big-endian elements; write them as little-endian");
  }
  return descr[1] == 'U' ? size * 4 : size;
}

size_t byte_count(const std::string& path, const NpyArray& array) {
  size_t count = element_size(path, array.descr);
  for (int64_t size : array.shape) {
    if (size == 0) return 0;
  }
  for (int64_t size : array.shape) {
    const auto factor = static_cast<size_t>(size);
    if (count > std::numeric_limits<size_t>::max() / 2 / factor) {
      throw npy_error(path, "more elements than memory has room for");
    }
    count *= factor;
  }
  return count;
}

bool has_objects(const std::string& descr) { return descr.find('O') != std::string::npos; }

std::string read_header(ByteSource& file) {
  unsigned char start[kMagicSize + 2];
  const size_t size = file.read(start, sizeof start);
  if (size == 0) throw npy_error(file.name(), "expected a .npy file, found nothing at all");
  if (size < sizeof start || !is_npy_magic(start, size)) {
    ToolError error = npy_error(file.name(), "not a .npy file");
    throw error.set_hint(
        "bytes without a header are given as NAME=raw:FILE, archives of numpy.savez "
        "as NAME.npz");
  }
  const int major = start[kMagicSize];
  if (major != 1 && major != 2) {
    throw npy_error(file.name(), "version " + std::to_string(major) + " of .npy, expected 1 or 2");
  }
  unsigned char length_bytes[4] = {};
  const size_t width = major == 1 ? 2 : 4;
  const bool has_length = file.read(length_bytes, width) == width;
  size_t length = 0;
  for (int i = 3; i >= 0; i--) length = length << 8 | length_bytes[i];
  if (!has_length || length > kMaxHeaderSize) {
    throw npy_error(file.name(), "the header is cut off or too long");
  }
  std::string header(length, '\0');
  if (file.read(header.data(), length) < length) {
    throw npy_error(file.name(), "the header is cut off");
  }
  return header;
}

std::string header_text(const NpyArray& array) {
  std::string text = "{'descr': '" + array.descr + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < array.shape.size(); i++) {
    text += std::to_string(array.shape[i]);
    if (i + 1 < array.shape.size()) {
      text += ", ";
    } else if (i == 0) {
      text += ",";
    }
  }
  text += "), }";
  // Magic, version and length take 10 bytes; the elements start at a multiple of 64.
  text.append(63 - (10 + text.size()) % 64, ' ');
  return text + "\n";
}

}  // namespace

size_t NpyArray::element_count() const {
  size_t count = 1;
  for (int64_t size : shape) count *= static_cast<size_t>(size);
  return count;
}

bool is_npy_magic(const void* start, size_t size) {
  return size >= kMagicSize && std::memcmp(start, kMagic, kMagicSize) == 0;
}

NpyArray read_npy(ByteSource& file) {
  const std::string& path = file.name();
  const std::string header = read_header(file);
  NpyArray array;
  array.descr = member(path, header, "descr");
  if (array.descr.size() < 2 || array.descr.front() != '\'' || array.descr.back() != '\'') {
    throw npy_error(path, "the element type is not a plain one: " + array.descr);
  }
  array.descr = array.descr.substr(1, array.descr.size() - 2);
  if (has_objects(array.descr)) {
    throw npy_error(path, "an array of Python objects; save one of numbers or of texts");
  }
  array.shape = parse_shape_tuple(path, member(path, header, "shape"));
  if (member(path, header, "fortran_order") != "False") {
    throw npy_error(path, "elements in Fortran order; save numpy.ascontiguousarray(...)");
  }
  const size_t expected = byte_count(path, array);
  if (!file.read_all(array.data, expected)) {
    throw npy_error(path, "cut off: expected " + std::to_string(expected) +
                              " bytes of elements, found " + std::to_string(array.data.size()));
  }
  return array;
}

void write_npy(const std::string& path, const NpyArray& array) {
  const std::string header = header_text(array);
  if (header.size() > 0xFFFF) throw npy_error(path, "the header does not fit version 1");
  StagedFile file(path);
  file.write(std::string(kMagic, kMagicSize) + std::string("\x01\0", 2));
  file.write(
      std::string{static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)});
  file.write(header);
  file.write(array.data.data(), array.data.size());
  file.finish();
}

}  // namespace ortc::tool

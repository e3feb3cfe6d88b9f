// SPDX-License-Identifier: MIT
// Version 1 and 2 of the format; the header is the text of a Python dictionary.
#include "bench/driver/npy.h"

#include <cstring>
#include <fstream>

#include "bench/driver/library.h"

namespace bench {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;
constexpr size_t kAlignment = 64;

struct ElementType {
  const char* text;
  ONNXTensorElementDataType type;
  size_t size_bytes;
};

constexpr ElementType kTypes[] = {
    {"<f4", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, 4},
    {"<f8", ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, 8},
    {"<f2", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, 2},
    {"|i1", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, 1},
    {"<i2", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, 2},
    {"<i4", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, 4},
    {"<i8", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, 8},
    {"|u1", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, 1},
    {"<u2", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, 2},
    {"<u4", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, 4},
    {"<u8", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, 8},
    {"|b1", ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, 1},
};

const ElementType& type_named(const std::string& path, const std::string& text) {
  for (const ElementType& row : kTypes) {
    if (text == row.text) return row;
  }
  throw Failure(path + ": elements of type " + text);
}

const ElementType& type_of(ONNXTensorElementDataType type) {
  for (const ElementType& row : kTypes) {
    if (type == row.type) return row;
  }
  throw Failure("element type " + std::to_string(type) + " has no place in a .npy file");
}

// The text between two marks that follow the key.
std::string between(const std::string& path, const std::string& header, const std::string& key,
                    char first, char last) {
  const size_t at = header.find(key);
  const size_t start = at == std::string::npos ? at : header.find(first, at + key.size());
  const size_t end = start == std::string::npos ? start : header.find(last, start + 1);
  if (end == std::string::npos) throw Failure(path + ": the header has no " + key);
  return header.substr(start + 1, end - start - 1);
}

std::vector<int64_t> parse_shape(const std::string& text) {
  std::vector<int64_t> shape;
  for (size_t at = text.find_first_of("0123456789"); at != std::string::npos;) {
    shape.push_back(std::stoll(text.substr(at)));
    at = text.find(',', at);
    if (at != std::string::npos) at = text.find_first_of("0123456789", at);
  }
  return shape;
}

std::string read_header(const std::string& path, std::ifstream& file) {
  char start[12] = {};
  file.read(start, 10);
  if (!file || std::memcmp(start, kMagic, kMagicSize) != 0) throw Failure(path + ": no .npy file");
  const bool is_long = start[kMagicSize] > 1;
  if (is_long) file.read(start + 10, 2);
  uint32_t size = 0;
  std::memcpy(&size, start + 8, is_long ? 4 : 2);
  std::string header(size, ' ');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  if (!file) throw Failure(path + ": the file ends in its header");
  return header;
}

}  // namespace

size_t tensor_bytes(ONNXTensorElementDataType type, const std::vector<int64_t>& shape) {
  size_t bytes = type_of(type).size_bytes;
  for (int64_t dim : shape) bytes *= static_cast<size_t>(dim);
  return bytes;
}

Array read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(path + " cannot be opened");
  const std::string header = read_header(path, file);
  if (header.find("'fortran_order': False") == std::string::npos) {
    throw Failure(path + ": the array is not in C order");
  }
  Array array;
  array.type = type_named(path, between(path, header, "'descr':", '\'', '\'')).type;
  array.shape = parse_shape(between(path, header, "'shape':", '(', ')'));
  array.size_bytes = tensor_bytes(array.type, array.shape);
  const size_t room = (array.size_bytes + kAlignment) / kAlignment * kAlignment;
  array.data.reset(std::aligned_alloc(kAlignment, room));
  if (array.data == nullptr) throw Failure(path + ": no memory for " + std::to_string(room));
  file.read(static_cast<char*>(array.data.get()), static_cast<std::streamsize>(array.size_bytes));
  if (!file) throw Failure(path + ": the file ends in its data");
  return array;
}

void write_npy(const std::string& path, ONNXTensorElementDataType type,
               const std::vector<int64_t>& shape, const void* data) {
  std::string header =
      std::string("{'descr': '") + type_of(type).text + "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : shape) header += std::to_string(dim) + ",";
  header += "), }";
  const size_t start = kMagicSize + 4;
  header.append(kAlignment - (start + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  const auto size = static_cast<uint16_t>(header.size());
  std::ofstream file(path, std::ios::binary);
  file.write(kMagic, kMagicSize).write("\x01\x00", 2);
  file.write(reinterpret_cast<const char*>(&size), sizeof size);
  file << header;
  file.write(static_cast<const char*>(data),
             static_cast<std::streamsize>(tensor_bytes(type, shape)));
  file.close();
  if (!file) throw Failure(path + " cannot be written");
}

}  // namespace bench

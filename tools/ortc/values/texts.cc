// SPDX-License-Identifier: MIT
// UTF-8, as the C interface has it, and UCS-4, as NumPy has it.

#include "tools/ortc/values/texts.h"

#include <algorithm>
#include <cstring>

namespace ortc::tool {
namespace {

void append_utf8(std::string& text, uint32_t c) {
  const auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18 & 7)), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)),
        put(0x80 | (c & 0x3F));
  }
}

// Bytes that are not UTF-8 become one code point each, U+FFFD.
std::vector<uint32_t> code_points(const std::string& text) {
  std::vector<uint32_t> points;
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const size_t length = first < 0x80             ? 1
                          : (first & 0xE0) == 0xC0 ? 2
                          : (first & 0xF0) == 0xE0 ? 3
                          : (first & 0xF8) == 0xF0 ? 4
                                                   : 0;
    uint32_t point = length == 1 ? first : length == 0 ? 0xFFFD : first & (0x7FU >> length);
    size_t used = 1;
    for (; used < length && i + used < text.size(); used++) {
      const auto next = static_cast<unsigned char>(text[i + used]);
      if ((next & 0xC0) != 0x80) break;
      point = point << 6 | (next & 0x3F);
    }
    points.push_back(used < length ? 0xFFFD : point);
    i += used;
  }
  return points;
}

// Shorter texts of an array are padded with zeros at their end, and nowhere else.
size_t length_of(const std::byte* points, size_t width) {
  const auto is_zero = [&](size_t at) {
    uint32_t point = 0;
    std::memcpy(&point, points + at * 4, 4);
    return point == 0;
  };
  while (width > 0 && is_zero(width - 1)) width--;
  return width;
}

void fill_string(OrtValue* value, const std::string& text, size_t index) {
  char* bytes = nullptr;
  check(OrtGetResizedStringTensorElementBuffer(value, index, text.size(), &bytes));
  if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
}

}  // namespace

void fill_strings(const NpyArray& array, OrtValue* value, const std::string& what) {
  if (array.descr[1] != 'U') throw failure(what + " needs texts (NumPy type U)");
  const size_t count = array.element_count();
  const size_t width = count == 0 ? 0 : array.data.size() / count / 4;
  for (size_t i = 0; i < count; i++) {
    const std::byte* points = array.data.data() + i * width * 4;
    const size_t length = length_of(points, width);
    std::string text;
    for (size_t k = 0; k < length; k++) {
      uint32_t point = 0;
      std::memcpy(&point, points + k * 4, 4);
      append_utf8(text, point);
    }
    fill_string(value, text, i);
  }
}

NpyArray array_of_texts(const std::vector<std::string>& texts, NpyArray array) {
  std::vector<std::vector<uint32_t>> points(texts.size());
  size_t width = 1;
  for (size_t i = 0; i < texts.size(); i++) {
    points[i] = code_points(texts[i]);
    width = std::max(width, points[i].size());
  }
  array.descr = "<U" + std::to_string(width);
  array.data.resize(texts.size() * width * 4);
  for (size_t i = 0; i < texts.size(); i++) {
    if (points[i].empty()) continue;
    std::memcpy(array.data.data() + i * width * 4, points[i].data(), points[i].size() * 4);
  }
  return array;
}

NpyArray array_of_strings(const OrtValue* value, NpyArray array) {
  std::vector<std::string> texts(array.element_count());
  for (size_t i = 0; i < texts.size(); i++) {
    size_t length = 0;
    check(OrtGetStringTensorElementLength(value, i, &length));
    texts[i].resize(length);
    check(OrtGetStringTensorElement(value, length, i, texts[i].data()));
  }
  return array_of_texts(texts, std::move(array));
}

}  // namespace ortc::tool

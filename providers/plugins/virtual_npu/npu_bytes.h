// SPDX-License-Identifier: MIT
// Numbers, texts and lists as bytes: little-endian, with numbers of 32 bits for lengths. Reading
// trusts nothing: std::invalid_argument says what is wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace virtual_npu {

template <typename T>
void put(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename T>
void put_list(std::string& bytes, const std::vector<T>& list) {
  put(bytes, static_cast<uint32_t>(list.size()));
  if (!list.empty()) {
    bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
  }
}

inline void put_text(std::string& bytes, std::string_view text) {
  put(bytes, static_cast<uint32_t>(text.size()));
  bytes.append(text);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T number() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  template <typename T>
  std::vector<T> list() {
    const size_t count = number<uint32_t>();
    need(count * sizeof(T));
    std::vector<T> values(count);
    if (count != 0) std::memcpy(values.data(), rest_.data(), count * sizeof(T));
    rest_.remove_prefix(count * sizeof(T));
    return values;
  }
  void expect(std::string_view text) {
    need(text.size());
    if (rest_.substr(0, text.size()) != text) {
      throw std::invalid_argument("the context is not a program of the virtual NPU");
    }
    rest_.remove_prefix(text.size());
  }
  std::string_view text() {
    const size_t size = number<uint32_t>();
    need(size);
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  void need(size_t size) const {
    if (rest_.size() < size) throw std::invalid_argument("the context ends too early");
  }
  std::string_view rest_;
};

}  // namespace virtual_npu

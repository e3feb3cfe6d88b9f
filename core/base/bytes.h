// SPDX-License-Identifier: MIT
// Byte ranges: Bytes borrows, Blob also keeps its bytes alive (a mapped file, a buffer of the
// caller, an own string).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ortc {

using Bytes = std::span<const std::byte>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Reads a trivially copyable value at any alignment. The caller has checked that `bytes` holds
// sizeof(T) bytes.
template <typename T>
T load_unaligned(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

class Blob {
 public:
  Blob() = default;
  Blob(Bytes bytes, std::shared_ptr<const void> owner) : bytes_(bytes), owner_(std::move(owner)) {}
  static Blob copy_of(Bytes bytes) { return from_string(std::string(as_text(bytes))); }
  static Blob from_string(std::string text) {
    auto owned = std::make_shared<const std::string>(std::move(text));
    return Blob(as_bytes(*owned), owned);
  }

  Bytes bytes() const { return bytes_; }
  std::string_view text() const { return as_text(bytes_); }
  const std::byte* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  Bytes bytes_;
  std::shared_ptr<const void> owner_;
};

}  // namespace ortc

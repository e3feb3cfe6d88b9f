// SPDX-License-Identifier: MIT
// str_cat("rank ", 3, ", expected ", 4): strings and numbers joined to one string.
#pragma once

#include <charconv>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace ortc {

class StrPiece {
 public:
  StrPiece(std::string_view text) : text_(text) {}           // NOLINT
  StrPiece(const std::string& text) : text_(text) {}         // NOLINT
  StrPiece(const char* text) : text_(text) {}                // NOLINT
  StrPiece(char c) : text_(buffer_, 1) { buffer_[0] = c; }   // NOLINT
  StrPiece(bool value) : text_(value ? "true" : "false") {}  // NOLINT
  template <typename T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>)
      StrPiece(T value) {  // NOLINT
    auto end = std::to_chars(buffer_, buffer_ + sizeof buffer_, value).ptr;
    text_ = std::string_view(buffer_, static_cast<size_t>(end - buffer_));
  }
  template <typename T>
  requires std::is_enum_v<T> StrPiece(T value)
      : StrPiece(static_cast<long long>(value)) {}  // NOLINT

  StrPiece(const StrPiece&) = delete;
  StrPiece& operator=(const StrPiece&) = delete;
  std::string_view view() const { return text_; }

 private:
  std::string_view text_;
  char buffer_[40];
};

std::string str_join(std::initializer_list<std::string_view> pieces);

template <typename... Args>
std::string str_cat(const Args&... args) {
  return str_join({StrPiece(args).view()...});
}

}  // namespace ortc

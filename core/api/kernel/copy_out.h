// SPDX-License-Identifier: MIT
// Texts and lists into memory of the caller, who asks first how much that takes.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace ortc::api {

// `size` counts bytes with the end mark.
inline Status copy_out(std::string_view text, char* out, size_t* size) {
  const size_t room = *size;
  *size = text.size() + 1;
  if (out == nullptr) return {};
  if (room < *size) {
    return invalid_argument("the text takes ", *size, " bytes, but 'size' is ", room);
  }
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return {};
}

// `size` counts elements.
template <typename T>
Status copy_out(const std::vector<T>& list, T* out, size_t* size) {
  const size_t room = *size;
  *size = list.size();
  if (out == nullptr) return {};
  if (room < list.size()) {
    return invalid_argument("the list has ", list.size(), " elements, but 'size' is ", room);
  }
  std::copy(list.begin(), list.end(), out);
  return {};
}

}  // namespace ortc::api

// SPDX-License-Identifier: MIT
// Pairs of texts in the order in which they were set.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/provider/registry.h"
#include "ort_c/types.h"

struct OrtKeyValuePairs {
  OrtKeyValuePairs() = default;
  explicit OrtKeyValuePairs(const ortc::KeyValues& entries);
  OrtKeyValuePairs(const OrtKeyValuePairs&) = delete;
  OrtKeyValuePairs& operator=(const OrtKeyValuePairs&) = delete;

  void set(std::string key, std::string value);
  void remove(std::string_view key);
  const std::string* find(std::string_view key) const;

  std::vector<std::pair<std::string, std::string>> entries;
  std::vector<const char*> keys, values;  // what C sees of the entries

 private:
  void show();
};

// SPDX-License-Identifier: MIT
// Lists of keys and values: metadata, provider options, configurations.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ort_c/cxx/text.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

template <typename T>
struct KeyValuePairsImpl : Base<T> {
  using Base<T>::Base;

  /// NULL when the key is not there; else a text that lives until the list is changed or ends.
  const char* GetValue(const char* key) const { return ORT_CXX_CALL(GetKeyValue)(this->p_, key); }

  /// Copies of all pairs.
  std::unordered_map<std::string, std::string> GetKeyValuePairs() const {
    std::vector<const char*> keys, values;
    GetKeyValuePairs(keys, values);
    std::unordered_map<std::string, std::string> pairs;
    for (size_t i = 0; i < keys.size(); ++i) pairs.emplace(keys[i], values[i]);
    return pairs;
  }

  /// Borrowed texts in the list's own order; they live as those of GetValue().
  void GetKeyValuePairs(std::vector<const char*>& keys, std::vector<const char*>& values) const {
    const char* const* key_array = nullptr;
    const char* const* value_array = nullptr;
    size_t count = 0;
    ORT_CXX_CALL(GetKeyValuePairs)(this->p_, &key_array, &value_array, &count);
    if (count == 0) {
      keys.clear();
      values.clear();
      return;
    }
    keys.assign(key_array, key_array + count);
    values.assign(value_array, value_array + count);
  }
};

}  // namespace detail

/// A list that something else owns.
using ConstKeyValuePairs = detail::KeyValuePairsImpl<detail::Unowned<const OrtKeyValuePairs>>;

/// A list of one's own. One thread at a time may change it.
struct KeyValuePairs : detail::KeyValuePairsImpl<OrtKeyValuePairs> {
  explicit KeyValuePairs(std::nullptr_t) {}
  explicit KeyValuePairs(OrtKeyValuePairs* p) : KeyValuePairsImpl(p) {}
  /// An empty list.
  explicit KeyValuePairs() {
    ORT_CXX_CALL(CreateKeyValuePairs)(&p_);
    if (p_ == nullptr) detail::raise("no memory for a list of key-value pairs", ORT_FAIL);
  }
  explicit KeyValuePairs(const std::unordered_map<std::string, std::string>& pairs)
      : KeyValuePairs() {
    for (const auto& [key, value] : pairs) Add(key.c_str(), value.c_str());
  }

  /// Adds a pair, or replaces the value of a key that is there. An empty key is ignored.
  void Add(const char* key, const char* value) { ORT_CXX_CALL(AddKeyValuePair)(p_, key, value); }
  void Remove(const char* key) { ORT_CXX_CALL(RemoveKeyValuePair)(p_, key); }

  ConstKeyValuePairs GetConst() const { return ConstKeyValuePairs(p_); }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort

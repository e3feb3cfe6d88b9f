// SPDX-License-Identifier: MIT
// ort_c/key_values.h: ordered lists of texts.
#include <algorithm>

#include "core/api/env/key_values_handle.h"
#include "core/api/guard.h"
#include "core/api/make_room.h"
#include "ort_c/key_values.h"

OrtKeyValuePairs::OrtKeyValuePairs(const ortc::KeyValues& from)
    : entries(from.begin(), from.end()) {
  show();
}

void OrtKeyValuePairs::set(std::string key, std::string value) {
  auto place = std::find_if(entries.begin(), entries.end(),
                            [&](const auto& entry) { return entry.first == key; });
  if (place != entries.end()) {
    place->second = std::move(value);
  } else {
    // The entries last: C has pointers into them, which show() renews.
    ortc::api::make_room(keys, 1);
    ortc::api::make_room(values, 1);
    ortc::api::make_room(entries, 1);
    entries.emplace_back(std::move(key), std::move(value));
  }
  show();
}

void OrtKeyValuePairs::remove(std::string_view key) {
  // Found once: the key may be the entry's own text, which is another one's as soon as they move.
  const auto place =
      std::ranges::find_if(entries, [&](const auto& entry) { return entry.first == key; });
  if (place == entries.end()) return;
  entries.erase(place);
  show();
}

const std::string* OrtKeyValuePairs::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

void OrtKeyValuePairs::show() {
  keys.resize(entries.size());
  values.resize(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    keys[i] = entries[i].first.c_str();
    values[i] = entries[i].second.c_str();
  }
}

using ortc::api::guard_value;

extern "C" {

void OrtCreateKeyValuePairs(OrtKeyValuePairs** out) {
  if (out == nullptr) return;
  *out = guard_value<OrtKeyValuePairs*>(nullptr, [] { return new OrtKeyValuePairs; });
}

void OrtAddKeyValuePair(OrtKeyValuePairs* kvps, const char* key, const char* value) {
  if (kvps == nullptr || key == nullptr || *key == '\0' || value == nullptr) return;
  guard_value(0, [&] {
    kvps->set(key, value);
    return 0;
  });
}

const char* OrtGetKeyValue(const OrtKeyValuePairs* kvps, const char* key) {
  if (kvps == nullptr || key == nullptr) return nullptr;
  const std::string* value = kvps->find(key);
  return value != nullptr ? value->c_str() : nullptr;
}

void OrtGetKeyValuePairs(const OrtKeyValuePairs* kvps, const char* const** keys,
                         const char* const** values, size_t* num_entries) {
  ortc::api::empty_outs(keys, values, num_entries);
  if (kvps == nullptr) return;
  if (keys != nullptr) *keys = kvps->keys.data();
  if (values != nullptr) *values = kvps->values.data();
  if (num_entries != nullptr) *num_entries = kvps->entries.size();
}

void OrtRemoveKeyValuePair(OrtKeyValuePairs* kvps, const char* key) {
  if (kvps == nullptr || key == nullptr) return;
  guard_value(0, [&] {
    kvps->remove(key);
    return 0;
  });
}

void OrtReleaseKeyValuePairs(OrtKeyValuePairs* kvps) { delete kvps; }

}  // extern "C"

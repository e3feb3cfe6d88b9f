// SPDX-License-Identifier: MIT
// Descriptions of a cache: see the header.
#include "core/session/cache/describe_cache.h"

#include <set>

#include "core/base/json_writer.h"
#include "core/context/inspect/inspect.h"
#include "core/platform/clock.h"
#include "core/platform/path.h"
#include "core/session/cache/cache_entry.h"
#include "core/session/cache/cache_question.h"
#include "core/session/cache/cache_room.h"

namespace ortc {
namespace {

JsonWriter& begin(JsonWriter& json, const CacheFolder& folder) {
  return json.begin_object().field("schema", "ortc.cache/1").field("cache_dir", folder.path());
}

std::string_view word_of(const CacheEntry& entry) {
  switch (entry.state) {
    case CacheEntry::State::kMissing:
      return "missing";
    case CacheEntry::State::kDamaged:
      return "damaged";
    case CacheEntry::State::kUnreadable:
      return "unreadable";
    case CacheEntry::State::kWhole:
      break;
  }
  return entry.is_empty() ? "nothing_to_compile" : "whole";
}

std::string text_of(const RecordFields& fields, std::string_view name) {
  const std::string* text = find_field(fields, name);
  return text != nullptr ? *text : std::string();
}

// Fields of an open object.
void write_entry(JsonWriter& json, const CacheEntry& entry, const CacheUse& use) {
  json.field("key", use.key).field("state", word_of(entry));
  if (!entry.damage.empty()) json.field("damage", entry.damage);
  json.field("source", text_of(entry.record, "source"));
  json.field("library", text_of(entry.record, "library"));
  json.field("bytes", use.bytes).field("created_ms", number_field(entry.record, "created_ms"));
  json.field("used_ms", use.used_ns / 1000000);
}

Status check_folder(const std::string& folder) {
  if (path_is_directory(folder)) return Status::ok();
  return make_status(Code::kNoSuchFile, "'", folder, "' is not a folder");
}

// A folder of other things is not made a cache by being looked into.
Status check_is_cache(const CacheFolder& folder) {
  if (folder.has_tag()) return Status::ok();
  return invalid_argument("'", folder.path(), "' is not a cache of compiled models: it has no ",
                          "CACHEDIR.TAG");
}

std::string damage_of(const CacheEntry& entry, const ProviderRegistry& providers) {
  if (!entry.damage.empty() || entry.model_path.empty()) return entry.damage;
  const auto verdict = verify_model(entry.model_path, providers);
  if (!verdict.is_ok()) return verdict.status().message();
  return verdict->word == "broken" ? verdict->reason : std::string();
}

// What one of the two has, or both have with other values.
struct Difference {
  std::string name, here, there;
};
std::vector<Difference> differences(const RecordFields& here, const RecordFields& there) {
  std::vector<Difference> found;
  std::set<std::string> names;
  for (const auto& [name, value] : here) names.insert(name);
  for (const auto& [name, value] : there) names.insert(name);
  for (const std::string& name : names) {
    Difference one{name, text_of(here, name), text_of(there, name)};
    if (one.here != one.there) found.push_back(std::move(one));
  }
  return found;
}

// The entry of another key from which the fewest parts differ.
void write_nearest(JsonWriter& json, const CacheFolder& folder, const CacheKey& key) {
  std::vector<Difference> nearest;
  std::string nearest_key;
  for (const std::string& other : folder.entries()) {
    if (other == key.digits) continue;
    auto found = differences(key.parts, key_parts_of(CacheEntry::look(folder, other)));
    if (!nearest_key.empty() && found.size() >= nearest.size()) continue;
    nearest = std::move(found);
    nearest_key = other;
  }
  if (nearest_key.empty()) return;
  json.key("nearest").begin_object().field("key", nearest_key);
  json.key("different").begin_array();
  for (const Difference& one : nearest) {
    json.begin_object().field("part", one.name).field("here", one.here);
    json.field("there", one.there).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

Result<std::string> list_cache(const std::string& path) {
  RETURN_IF_ERROR(check_folder(path));
  const CacheFolder folder(path);
  JsonWriter json;
  begin(json, folder).key("entries").begin_array();
  uint64_t bytes = 0;
  for (const CacheUse& use : cache_use(folder)) {
    json.begin_object();
    write_entry(json, CacheEntry::look(folder, use.key), use);
    json.end_object();
    bytes += use.bytes;
  }
  json.end_array().field("bytes", bytes);
  return json.end_object().text();
}

Result<std::string> prune_cache_folder(const std::string& path, uint64_t bytes_max) {
  RETURN_IF_ERROR(check_folder(path));
  const CacheFolder folder(path);
  ASSIGN_OR_RETURN(const auto names, list_folder(path));
  if (!names.empty()) RETURN_IF_ERROR(check_is_cache(folder));
  RETURN_IF_ERROR(folder.make());
  constexpr int64_t kPatienceNs = int64_t{60} * 1000 * 1000 * 1000;
  WaitLimits limits;
  limits.deadline_ns = now_ns() + kPatienceNs;
  ASSIGN_OR_RETURN(const PruneResult result, prune_cache(folder, bytes_max, limits));
  JsonWriter json;
  begin(json, folder).key("removed").begin_array();
  uint64_t removed_bytes = 0;
  for (const CacheUse& use : result.removed) {
    json.begin_object().field("key", use.key).field("bytes", use.bytes).end_object();
    removed_bytes += use.bytes;
  }
  json.end_array().field("removed_bytes", removed_bytes).field("kept_bytes", result.kept_bytes);
  return json.end_object().text();
}

Result<std::string> verify_cache(const std::string& path, const ProviderRegistry& providers) {
  RETURN_IF_ERROR(check_folder(path));
  const CacheFolder folder(path);
  JsonWriter json;
  bool all_sound = true;
  begin(json, folder).key("entries").begin_array();
  for (const std::string& key : folder.entries()) {
    const CacheEntry entry = CacheEntry::look(folder, key);
    const std::string damage = damage_of(entry, providers);
    // One that was removed meanwhile is not damaged.
    if (CacheEntry::look(folder, key).state == CacheEntry::State::kMissing) continue;
    json.begin_object().field("key", key).field("source", text_of(entry.record, "source"));
    json.field("sound", damage.empty());
    if (!damage.empty()) json.field("damage", damage);
    json.end_object();
    all_sound = all_sound && damage.empty();
  }
  json.end_array().field("sound", all_sound);
  return json.end_object().text();
}

Result<std::string> explain_cache(const std::shared_ptr<const Environment>& environment,
                                  const ModelSource& source, const SessionOptions& options) {
  const Making making(environment, options, {});
  const CacheFolder folder(options.context.cache_folder);
  const SourceReader reader(source, making, folder);
  ASSIGN_OR_RETURN(const CacheQuestion question, ask_cache(source, reader, making));
  JsonWriter json;
  begin(json, folder).field("model", source.path).field("key", question.key.digits);
  if (!question.bypass.empty()) {
    json.field("entry", "bypassed").field("reason", question.bypass);
    return json.end_object().text();
  }
  const CacheEntry entry = CacheEntry::look(folder, question.key.digits);
  json.field("entry", word_of(entry)).field("reason", entry.damage);
  json.key("parts").begin_array();
  for (const auto& [name, value] : question.key.parts) {
    json.begin_object().field("part", name).field("value", value).end_object();
  }
  json.end_array();
  if (entry.state == CacheEntry::State::kMissing) write_nearest(json, folder, question.key);
  return json.end_object().text();
}

}  // namespace ortc

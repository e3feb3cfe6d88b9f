// SPDX-License-Identifier: MIT
// Comparing facts: see the header.
#include "core/context/inspect/diff.h"

#include <set>

#include "core/base/json_writer.h"
#include "core/context/inspect/file_facts.h"

namespace ortc {
namespace {

struct Difference {
  size_t same = 0;
  std::vector<const Facts::value_type*> only_first, only_second;
  std::vector<std::pair<const Facts::value_type*, const Facts::value_type*>> different;

  Difference(const Facts& first, const Facts& second) {
    for (const auto& fact : first) {
      const auto other = second.find(fact.first);
      if (other == second.end()) {
        only_first.push_back(&fact);
      } else if (other->second != fact.second) {
        different.emplace_back(&fact, &*other);
      } else {
        ++same;
      }
    }
    for (const auto& fact : second) {
      if (!first.contains(fact.first)) only_second.push_back(&fact);
    }
  }
  bool is_equal() const { return only_first.empty() && only_second.empty() && different.empty(); }
};

void write_only(JsonWriter& json, const char* name,
                const std::vector<const Facts::value_type*>& facts) {
  json.key(name).begin_array();
  for (const auto* fact : facts) {
    json.begin_object().field("name", fact->first).field("is", fact->second).end_object();
  }
  json.end_array();
}

void write_part(JsonWriter& json, const std::string& kind, const Difference& difference) {
  json.begin_object().field("kind", kind).field("same", static_cast<uint64_t>(difference.same));
  write_only(json, "only_first", difference.only_first);
  write_only(json, "only_second", difference.only_second);
  json.key("different").begin_array();
  for (const auto& [first, second] : difference.different) {
    json.begin_object().field("name", first->first);
    json.field("first", first->second).field("second", second->second).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

Result<std::string> diff_files(const std::string& first, const std::string& second,
                               const ProviderRegistry& providers) {
  ASSIGN_OR_RETURN(FileFacts a, FileFacts::of_file(first, providers));
  ASSIGN_OR_RETURN(FileFacts b, FileFacts::of_file(second, providers));
  if (a.kind != b.kind) {
    const bool is_binary = a.kind == "context_binary";
    return invalid_argument("'", is_binary ? first : second, "' is a context binary and '",
                            is_binary ? second : first, "' a model: they cannot be compared");
  }
  std::set<std::string> kinds;
  for (const FileFacts* facts : {&a, &b}) {
    for (const auto& [kind, unused] : facts->parts) kinds.insert(kind);
  }
  JsonWriter parts;
  bool is_equal = true;
  parts.begin_array();
  for (const std::string& kind : kinds) {
    const Difference difference(a.parts[kind], b.parts[kind]);
    is_equal = is_equal && difference.is_equal();
    write_part(parts, kind, difference);
  }
  parts.end_array();
  JsonWriter json;
  json.begin_object().field("schema", "ortc.diff/1").field("kind", a.kind);
  json.field("first", first).field("second", second).field("equal", is_equal);
  json.key("parts").raw(parts.text()).end_object();
  return json.text();
}

}  // namespace ortc

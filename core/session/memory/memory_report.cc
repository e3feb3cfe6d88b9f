// SPDX-License-Identifier: MIT
// Counting the memory of a session: see the header.
#include "core/session/memory/memory_report.h"

#include <algorithm>

#include "core/base/json_writer.h"
#include "core/platform/file_map.h"
#include "core/platform/memory/page_counts.h"

namespace ortc {
namespace {

class Counting {
 public:
  explicit Counting(const SessionMemory& memory)
      : own_(memory.ranges()), others_(memory.ranges_of_others()) {}

  Result<MemoryReport> count(std::span<const ArenaPool* const> pools) {
    report_.weights = total_bytes(own_);
    ByteRanges in_files;
    for (const MapFacts& file : FileMap::all()) {
      const uint64_t used = total_bytes(common_part(own_, {file.bytes}));
      if (file.bytes.empty() || used == 0) continue;
      RETURN_IF_ERROR(add_file(file, used));
      in_files.push_back(file.bytes);
    }
    ASSIGN_OR_RETURN(const PageCounts rest, count_pages(without(own_, united(in_files))));
    report_.private_bytes += rest.resident_bytes;
    report_.resident += rest.resident_bytes;
    RETURN_IF_ERROR(add_shared());
    for (const ArenaPool* pool : pools) RETURN_IF_ERROR(add_arena(*pool));
    std::sort(report_.files.begin(), report_.files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    return std::move(report_);
  }

 private:
  Status add_file(const MapFacts& file, uint64_t used) {
    const Bytes pages = pages_of(file.bytes);
    ASSIGN_OR_RETURN(const PageCounts counts, count_pages({&pages, 1}));
    MemoryReport::File facts;
    facts.path = file.path;
    facts.resident = counts.resident_bytes;
    facts.used = used;
    facts.sessions = 1;
    for (const ByteRanges& other : others_) {
      if (!common_part(other, {file.bytes}).empty()) ++facts.sessions;
    }
    (file.is_mapped ? facts.mapped : facts.copied) = pages.size();
    report_.mapped += facts.mapped;
    report_.resident += counts.resident_bytes;
    report_.shared_with_processes += counts.shared_file_bytes;
    if (!file.is_mapped) report_.private_bytes += counts.resident_bytes;
    report_.files.push_back(std::move(facts));
    return Status::ok();
  }

  Status add_shared() {
    ByteRanges of_others;
    for (const ByteRanges& other : others_) {
      of_others.insert(of_others.end(), other.begin(), other.end());
    }
    ASSIGN_OR_RETURN(const PageCounts shared,
                     count_pages(common_part(own_, united(std::move(of_others)))));
    report_.shared_with_sessions = shared.resident_bytes;
    return Status::ok();
  }

  // What runs use now is taken as being there.
  Status add_arena(const ArenaPool& arenas) {
    const ByteRanges unused = arenas.unused_blocks();
    const uint64_t all = std::max(arenas.total_bytes(), total_bytes(unused));
    report_.arena += all;
    ASSIGN_OR_RETURN(const PageCounts counts, count_pages(unused));
    report_.resident += counts.resident_bytes + (all - total_bytes(unused));
    return Status::ok();
  }

  ByteRanges own_;
  std::vector<ByteRanges> others_;
  MemoryReport report_;
};

std::string_view residency_name(Residency residency) {
  constexpr std::string_view kNames[] = {"lazy", "prefetch", "populate", "locked", "copied"};
  return kNames[static_cast<size_t>(residency)];
}

}  // namespace

Result<MemoryReport> MemoryReport::make(const SessionMemory& memory,
                                        std::span<const ArenaPool* const> pools) {
  return Counting(memory).count(pools);
}

std::string MemoryReport::json(const SessionMemory& memory) const {
  JsonWriter json;
  json.begin_object().field("schema", "ortc.memory/1");
  json.field("residency", residency_name(memory.residency()));
  json.field("mapped_bytes", mapped).field("resident_bytes", resident);
  json.field("shared_with_sessions_bytes", shared_with_sessions);
  json.field("shared_with_processes_bytes", shared_with_processes);
  json.field("private_bytes", private_bytes).field("arena_bytes", arena);
  json.field("weight_bytes", weights).field("locked_bytes", memory.locked_bytes());
  if (const Prefetch* prefetch = memory.prefetch(); prefetch != nullptr) {
    json.key("prefetch").begin_object();
    json.field("state", prefetch_state_name(prefetch->state()));
    json.field("expected_bytes", prefetch->expected_bytes());
    json.field("done_bytes", prefetch->done_bytes()).end_object();
  }
  json.key("files").begin_array();
  for (const File& file : files) {
    json.begin_object().field("path", file.path).field("mapped_bytes", file.mapped);
    json.field("copied_bytes", file.copied).field("resident_bytes", file.resident);
    json.field("used_bytes", file.used).field("sessions", file.sessions).end_object();
  }
  return json.end_array().end_object().text();
}

}  // namespace ortc

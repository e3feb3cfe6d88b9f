// SPDX-License-Identifier: MIT
// Making entries: see the header.
#include "core/session/cache/make_entry.h"

#include <algorithm>

#include "core/platform/clock.h"
#include "core/platform/path.h"
#include "core/platform/shared_folder/folder_tree.h"
#include "core/session/cache/cache_entry.h"
#include "core/session/cache/cache_room.h"
#include "core/session/stages.h"

namespace ortc {
namespace {

constexpr uint64_t kThreshold = 1024;  // of initializers that go to a file of their own
constexpr uint64_t kTables = 16 << 10;

// Compiles into a file, and makes no session.
SessionOptions options_for_making(SessionOptions options, const std::string& model_path) {
  ContextSettings& context = options.context;
  context.cache_folder.clear();
  context.enable = true;
  context.compile_only = true;
  context.disable_compile = false;
  context.file_path = model_path;
  context.embed = false;
  context.overwrite = false;
  context.external_initializers = kEntryWeightsName;
  context.external_threshold = kThreshold;
  context.share = context.stop_share = false;
  options.record_assignment = false;
  options.profile_prefix.reset();
  return options;
}

// About what the source takes, laid out in pages. Where that just passes what may be kept, it is
// tried.
uint64_t expected_bytes(const SourceContent& content, uint64_t bytes_max) {
  const uint64_t bytes = content.bytes();
  const uint64_t expected = bytes + bytes / 8 + kTables;
  return bytes <= bytes_max ? std::min(expected, bytes_max) : expected;
}

// Others have the room for moments, unless they were stopped: a moment is waited for it even by who
// waits for nothing else, or what was compiled would be thrown away.
WaitLimits wait_for_room(const Making& making) {
  constexpr int64_t kMomentNs = 1000000000;
  WaitLimits limits = wait_for_others(making);
  limits.deadline_ns = std::max(limits.deadline_ns, now_ns() + kMomentNs);
  return limits;
}

}  // namespace

WaitLimits wait_for_others(const Making& making) {
  constexpr int64_t kMillisecondNs = 1000000;
  WaitLimits limits;
  limits.go_on = [&making] { return making.check_cancel(); };
  limits.deadline_ns = now_ns() + making.context().cache_wait_ms * kMillisecondNs;
  return limits;
}

Status compile_entry(const EntryOrder& order, const MakingLimits& limits) {
  const CacheQuestion& question = order.question;
  const std::string& key = question.key.digits;
  const std::string path = order.folder.making_path(key);
  RETURN_IF_ERROR(remove_tree(path));
  RETURN_IF_ERROR(make_folders(path));
  const uint64_t bytes_max = order.making.context().cache_bytes_max;
  RETURN_IF_ERROR(reserve_room(order.folder, key, expected_bytes(question.content, bytes_max),
                               bytes_max, wait_for_room(order.making)));
  const SessionOptions options =
      options_for_making(order.making.options(), path_join(path, kEntryModelName));
  CompileRules rules;
  rules.program.initializers.may_stay_in_context = true;
  RETURN_IF_ERROR(make_again(order.environment, options, limits, [&](Making& making) {
                    return compile_source(order.source, rules, making);
                  }).status());
  ASSIGN_OR_RETURN(const bool is_unchanged, order.reader.is_unchanged(question.content));
  if (!is_unchanged) return fail("the source was changed while it was compiled");
  forget_reservation(order.folder, key);
  return write_entry_record(path, question.key, path_file_name(order.source.path));
}

Status publish_entry(const EntryOrder& order) {
  const CacheFolder& folder = order.folder;
  const std::string& key = order.question.key.digits;
  ASSIGN_OR_RETURN(const auto lock, lock_room(folder, wait_for_room(order.making)));
  if (lock == nullptr) return room_is_locked(folder);
  remove_leftovers(folder);
  RETURN_IF_ERROR(make_room_for(folder, key, order.making.context().cache_bytes_max));
  const std::string entry = CacheFolder::entry_name(key);
  RETURN_IF_ERROR(make_folders(path_folder(folder.entry_path(key))));
  RETURN_IF_ERROR(rename_in_folder(folder.path(), CacheFolder::making_name(key), entry));
  // It is there, whether or not the device hears of it in time.
  (void)sync_folder(folder.path(), path_folder(entry));
  return Status::ok();
}

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Making an entry of a cache, in two steps: compiled into a folder of its own, then published by
// one rename. The caller holds the key's lock.
#pragma once

#include "core/session/cache/cache_question.h"

namespace ortc {

// All outlive the order.
struct EntryOrder {
  const std::shared_ptr<const Environment>& environment;
  const ModelSource& source;
  const Making& making;  // whose options and cancel count
  const CacheFolder& folder;
  const SourceReader& reader;
  const CacheQuestion& question;
};

// The whole entry, on the device, in folder.making_path(). FAIL when there is no room, when others
// keep it locked, or when the source is not what it was when the question was asked; else what a
// compile fails with.
Status compile_entry(const EntryOrder& order, const MakingLimits& limits);
// Makes room, and the entry appears. FAIL when it takes more than may be kept, or others keep the
// room locked.
Status publish_entry(const EntryOrder& order);

// For waiting for others: as long as ep.context_cache_wait_ms says, and the making is not stopped,
// which must outlive them.
WaitLimits wait_for_others(const Making& making);

}  // namespace ortc

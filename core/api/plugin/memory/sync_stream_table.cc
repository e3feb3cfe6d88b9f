// SPDX-License-Identifier: MIT
// What libraries ask of streams: see plugin_table.h.
#include "core/api/plugin/memory/sync_stream_handle.h"
#include "core/api/plugin/plugin_table.h"

namespace ortc::api::table {

const OrtSyncStreamImpl* SyncStream_GetImpl(const OrtSyncStream* stream) noexcept {
  return is_alive(stream) ? stream->impl() : nullptr;
}

uint64_t SyncStream_GetSyncId(const OrtSyncStream* stream) noexcept {
  return is_alive(stream) ? stream->sync_id() : 0;
}

uint64_t GetSyncIdForLastWaitOnSyncStream(const OrtSyncStream* producer,
                                          const OrtSyncStream* consumer) noexcept {
  if (!is_alive(producer) || !is_alive(consumer)) return 0;
  return consumer->last_wait_for(*producer);
}

}  // namespace ortc::api::table

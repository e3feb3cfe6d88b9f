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

// Streams never wait for one another here: the host waits for one before it goes on with another.
uint64_t GetSyncIdForLastWaitOnSyncStream(const OrtSyncStream*, const OrtSyncStream*) noexcept {
  return 0;
}

}  // namespace ortc::api::table

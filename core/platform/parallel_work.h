// SPDX-License-Identifier: MIT
// Pieces of work, divided among threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/platform/threads.h"
#include "core/platform/work.h"

namespace ortc {

// Calls body(i) once for each of `units`, large pieces first, on the threads of `pool` (null: on
// the caller's). Each is `units[i]` units of `work`, which is told and asked by the caller's thread
// alone, between its own pieces. After a failure no piece begins; the failure of the first piece in
// order comes back. A body must give the same result for any order.
Status run_pieces(ThreadPool* pool, Work& work, std::span<const uint64_t> units,
                  const std::function<Status(size_t)>& body);

// For pieces that take long: what a body calls after each part of its piece, on its thread. After a
// failure it ends: the work is to stop, or another piece has failed.
using Advance = std::function<Status(uint64_t units)>;
// The same with bodies that can be stopped inside.
Status run_long_pieces(ThreadPool* pool, Work& work, std::span<const uint64_t> units,
                       const std::function<Status(size_t, const Advance&)>& body);

}  // namespace ortc

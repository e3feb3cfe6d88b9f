// SPDX-License-Identifier: MIT
// What one run of a session needs besides its values, in memory of the arenas.
#pragma once

#include <memory_resource>
#include <optional>

#include "core/session/session.h"

namespace ortc {

struct Session::Frame {
  Frame(const Session& session, ArenaPool::Block room, size_t output_count)
      : block(std::move(room)),
        memory(block.data(), block.size()),
        given(session.inputs().size(), nullptr, &memory),
        overrides(session.overridable().size(), nullptr, &memory),
        adapters(&memory),
        refs(&memory),
        targets(session.outputs().size(), &memory),
        is_wanted(session.outputs().size(), false, &memory),
        wanted(&memory),
        repeated(&memory),
        sizes(session.symbol_count_, kUnknownSize, &memory) {
    refs.reserve(session.facts_.ports.graph_inputs.size());
    wanted.reserve(output_count);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  static constexpr size_t kBytes = 4096;
  static constexpr size_t kBytesPerValue = 512, kBytesPerSymbol = sizeof(int64_t);
  ArenaPool::Block block;  // the rest lies in it
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::vector<const ValueRef*> given, overrides;  // by port
  std::pmr::vector<ValueRef> adapters;                 // inputs that run options bring along
  std::pmr::vector<ValueRef> refs;                     // by input of the plan
  std::pmr::vector<OutputTarget> targets;              // by output of the model
  // An output that the call names: its number in the model, its place in the call.
  struct Wanted {
    size_t number, place;
  };
  std::pmr::vector<bool> is_wanted;  // by output of the model
  std::pmr::vector<Wanted> wanted;
  std::pmr::vector<Wanted> repeated;  // named before: they get copies
  static constexpr int64_t kUnknownSize = -1;
  std::pmr::vector<int64_t> sizes;  // by number of a named dimension
  // With values on devices only.
  std::vector<MemoryNumber> input_memories;  // by input of the plan
  std::vector<DeviceTarget> device_targets;  // by output of the model
  std::optional<RunPlaces> places;
};

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Calls that change several lists make room in all of them first: then nothing fails any more, and
// a call that fails has changed nothing.
#pragma once

#include <cstddef>

namespace ortc::api {

// So that adding `count` items allocates nothing. Grows as insertion would, by doubling.
template <typename Container>
void make_room(Container& items, size_t count) {
  const size_t wanted = items.size() + count;
  if constexpr (requires { items.bucket_count(); }) {
    const float room = items.max_load_factor() * static_cast<float>(items.bucket_count());
    if (static_cast<float>(wanted) > room) items.reserve(wanted * 2);
  } else {
    if (wanted > items.capacity()) items.reserve(wanted * 2);
  }
}

}  // namespace ortc::api

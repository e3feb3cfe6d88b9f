// SPDX-License-Identifier: MIT
// Asking for locks: see the header.
#include "core/platform/shared_folder/lock_poll.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

#include <algorithm>

#include "core/base/str_cat.h"
#include "core/platform/clock.h"
#include "core/platform/descriptor.h"

namespace ortc {

Result<bool> LockPoll::lock(int descriptor, const std::string& name) {
  constexpr int64_t kPauseMaxNs = 20 * 1000 * 1000;
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail("cannot lock ", name, ": ", errno_text(errno));
    }
    RETURN_IF_ERROR(limits_.check());
    if (now_ns() >= limits_.deadline_ns) return false;
    has_waited_ = true;
    const timespec pause{0, static_cast<long>(pause_ns_)};
    nanosleep(&pause, nullptr);
    pause_ns_ = std::min(2 * pause_ns_, kPauseMaxNs);
  }
  return true;
}

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Numbers of process and thread: see the header.
#include "core/platform/process.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace ortc {

int64_t process_number() { return getpid(); }

int64_t thread_number() {
#if defined(__linux__)
  return syscall(SYS_gettid);
#else
  return getpid();
#endif
}

}  // namespace ortc

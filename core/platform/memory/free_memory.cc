// SPDX-License-Identifier: MIT
// Giving memory back: see the header. Only glibc has to be asked.
#include "core/platform/memory/free_memory.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ortc {

void give_back_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace ortc

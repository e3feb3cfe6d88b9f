// SPDX-License-Identifier: MIT
// Memory that runs out at a chosen allocation. A test that includes this header gets allocation
// functions that count, and fail when they are told to (tests/CMakeLists.txt links them; malloc and
// its like, or only operator new in a sanitizer's build, whose malloc must stay). For C and C++.
//
//   static bool attempt(void* context) { ... everything is made, used and released ... }
//   try_every_allocation("OrtRun", attempt, NULL);
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Calls attempt() with its first allocation failing, then its second, until none was left to fail;
// once with that allocation failing alone, once with all after it failing too, as when memory is
// really short. attempt() gives true for success, which it has checked, and false after a failure
// that it got as a status; either way it leaves nothing behind. The test ends when it succeeds only
// by luck of a wrong result, loses memory, fails although no allocation did, or aborts; the message
// has the number of the allocation.
void try_every_allocation(const char* what, bool (*attempt)(void* context), void* context);

// The parts, for tests that need them. Allocations number first, first + 1 ... last of the process,
// counted from now, fail.
void fail_allocations(long first, long last);
// Ends that. True when an allocation failed.
bool stop_failing_allocations(void);
// How many allocations there were since fail_allocations(), until they are stopped.
long counted_allocations(void);
// Blocks of the process that were allocated and not freed.
long live_allocations(void);
// The most bytes that were allocated at once since watch_bytes(), beyond those it found.
void watch_bytes(void);
long peak_bytes(void);
// True in a sanitizer's build, where neither time nor memory tells anything.
bool is_sanitized(void);

#ifdef __cplusplus
}
#endif

// SPDX-License-Identifier: MIT
// Counts what a program of one file, and the library in it, ask the system for.
#pragma once

#include <stddef.h>

// Every request of memory in this process passes here, those of the library too. Not where a
// sanitizer has functions of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_REQUESTS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS_REQUESTS 0
#endif
#endif
#if !defined(COUNTS_REQUESTS) && defined(__GLIBC__)
#define COUNTS_REQUESTS 1
#endif

static volatile long requests;

#if COUNTS_REQUESTS
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* block, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  return __libc_calloc(count, size);
}

void* realloc(void* block, size_t size) {
  __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  return __libc_realloc(block, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  return __libc_memalign(alignment, size);
}
#endif

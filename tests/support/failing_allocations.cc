// SPDX-License-Identifier: MIT
// Allocation functions that fail when they are told to: see the header.
#include "tests/support/failing_allocations.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ORTC_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ORTC_HAS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define ORTC_HAS_OWN_NEW 1
#endif
#endif

namespace {

constinit std::atomic<long> live{0}, seen{0}, failed{0}, bytes{0}, most_bytes{0};
constinit std::atomic<long> first_to_fail{LONG_MAX}, last_to_fail{0};

// True when the allocation that is asked for now shall not be had.
[[maybe_unused]] bool must_fail() {
  if (first_to_fail.load(std::memory_order_relaxed) == LONG_MAX) return false;
  const long number = seen.fetch_add(1) + 1;
  if (number < first_to_fail.load() || number > last_to_fail.load()) return false;
  failed.fetch_add(1);
  return true;
}

void add_bytes(long count) {
  const long now = bytes.fetch_add(count) + count;
  for (long most = most_bytes.load(); now > most && !most_bytes.compare_exchange_weak(most, now);) {
  }
}

[[maybe_unused]] void* counted(void* block) {
  if (block == nullptr) return block;
  live.fetch_add(1);
  add_bytes(static_cast<long>(malloc_usable_size(block)));
  return block;
}

[[maybe_unused]] void count_freed(void* block) {
  if (block == nullptr) return;
  live.fetch_sub(1);
  add_bytes(-static_cast<long>(malloc_usable_size(block)));
}

const char* current_what = "";
long current_number = 0;

void say_where(int) {
  fail_allocations(LONG_MAX, 0);
  char text[256];
  const int size =
      snprintf(text, sizeof text, "aborted: allocation %ld of %s\n", current_number, current_what);
  if (size > 0 && write(STDERR_FILENO, text, static_cast<size_t>(size)) < 0) _exit(134);
  signal(SIGABRT, SIG_DFL);
  raise(SIGABRT);
}

[[noreturn]] void complain(const char* text, long number) {
  fprintf(stderr, "%s: allocation %ld: %s (%ld)\n", current_what, current_number, text, number);
  _exit(1);
}

// True when an allocation failed, so that there may be more to try.
bool try_one(bool (*attempt)(void*), void* context, long last, bool is_warm) {
  const long before = live_allocations();
  fail_allocations(current_number, last);
  const bool is_ok = attempt(context);
  const bool has_failed = stop_failing_allocations();
  if (!is_ok && !has_failed) complain("a failure although memory was not short", 0);
  const long lost = live_allocations() - before;
  if (is_warm && lost > 0) complain("blocks were lost", lost);
  return has_failed;
}

void try_all(bool (*attempt)(void*), void* context, bool alone, bool is_warm) {
  for (current_number = 1;; ++current_number) {
    if (!try_one(attempt, context, alone ? current_number : LONG_MAX, is_warm)) return;
  }
}

}  // namespace

extern "C" {

void fail_allocations(long first, long last) {
  first_to_fail.store(LONG_MAX);
  seen.store(0);
  failed.store(0);
  last_to_fail.store(last);
  first_to_fail.store(first);
}

bool stop_failing_allocations() {
  first_to_fail.store(LONG_MAX);
  return failed.load() != 0;
}

long counted_allocations() { return seen.load(); }

long live_allocations() { return live.load(); }

static long bytes_before = 0;

void watch_bytes() {
  bytes_before = bytes.load();
  most_bytes.store(bytes_before);
}

long peak_bytes() { return most_bytes.load() - bytes_before; }

bool is_sanitized() {
#ifdef ORTC_HAS_SANITIZER
  return true;
#else
  return false;
#endif
}

void try_every_allocation(const char* what, bool (*attempt)(void* context), void* context) {
  current_what = what;
  const auto before = signal(SIGABRT, say_where);
  // What the library keeps for the life of the process is made in the first of these.
  try_all(attempt, context, /*alone=*/false, /*is_warm=*/false);
  try_all(attempt, context, /*alone=*/false, /*is_warm=*/true);
  try_all(attempt, context, /*alone=*/true, /*is_warm=*/true);
  signal(SIGABRT, before);
}

}  // extern "C"

#if defined(ORTC_HAS_OWN_NEW)
// ThreadSanitizer's library defines these and lets nobody else: nothing is counted, nothing fails.
#elif defined(ORTC_HAS_SANITIZER)

void* operator new(size_t size) {
  void* block = must_fail() ? nullptr : counted(malloc(size == 0 ? 1 : size));
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return must_fail() ? nullptr : counted(malloc(size == 0 ? 1 : size));
}
void operator delete(void* block) noexcept {
  count_freed(block);
  free(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept { operator delete(block); }
void operator delete(void* block, size_t) noexcept { operator delete(block); }

#else

// The C library's own, under the names that it keeps for programs like this one.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

void* malloc(size_t size) {
  if (!must_fail()) return counted(__libc_malloc(size));
  errno = ENOMEM;
  return nullptr;
}
void* calloc(size_t count, size_t size) {
  if (!must_fail()) return counted(__libc_calloc(count, size));
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* old, size_t size) {
  if (must_fail()) {
    errno = ENOMEM;
    return nullptr;
  }
  const long before = old != nullptr ? static_cast<long>(malloc_usable_size(old)) : 0;
  void* block = __libc_realloc(old, size);
  if (block == nullptr && size != 0) return nullptr;  // `old` is as it was
  live.fetch_add((block != nullptr) - (old != nullptr));
  add_bytes((block != nullptr ? static_cast<long>(malloc_usable_size(block)) : 0) - before);
  return block;
}
void* memalign(size_t alignment, size_t size) {
  if (!must_fail()) return counted(__libc_memalign(alignment, size));
  errno = ENOMEM;
  return nullptr;
}
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** out, size_t alignment, size_t size) {
  *out = memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
void free(void* block) {
  count_freed(block);
  __libc_free(block);
}
}

#endif

// SPDX-License-Identifier: MIT
// Threads that a program makes for the library, which count when they are joined.
#pragma once

#include <pthread.h>

#include "tests/api/api_testing.h"

typedef struct {
  pthread_t thread;
  int* joined;
  OrtThreadWorkerFn work;
  void* parameter;
} OwnThread;

static inline void* work_of_thread(void* parameter) {
  OwnThread* own = (OwnThread*)parameter;
  own->work(own->parameter);
  return NULL;
}

// NULL when the system has no thread.
static inline OrtCustomThreadHandle start_thread(int* joined, OrtThreadWorkerFn work,
                                                 void* parameter) {
  OwnThread* own = (OwnThread*)malloc(sizeof(*own));
  own->joined = joined;
  own->work = work;
  own->parameter = parameter;
  if (pthread_create(&own->thread, NULL, work_of_thread, own) == 0) {
    return (OrtCustomThreadHandle)own;
  }
  free(own);
  return NULL;
}

static inline void join_thread(OrtCustomThreadHandle handle) {
  OwnThread* own = (OwnThread*)handle;
  pthread_join(own->thread, NULL);
  ++*own->joined;
  free(own);
}

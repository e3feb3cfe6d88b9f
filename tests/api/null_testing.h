// SPDX-License-Identifier: MIT
// For tests that call every function with nothing but NULL and zeros. A function that none of them
// calls is found by the count.
#pragma once

#include "tests/api/api_testing.h"

static size_t calls;

#define REFUSES(call)                                            \
  do {                                                           \
    ++calls;                                                     \
    CHECK_FAILS(call, ORT_INVALID_ARGUMENT, "must not be NULL"); \
  } while (0)
#define ANSWERS(statement) \
  do {                     \
    ++calls;               \
    statement;             \
  } while (0)

// Who sees single nodes and values: the header of a function, with what stands around it in a line.
static inline bool is_of_graphs(const char* line) {
  static const char* const headers[] = {
      "\tgraph.h\t",       "\tvalue_info.h\t",     "\top_attr.h\t",     "\tcustom_op.h\t",
      "\tkernel_info.h\t", "\tkernel_context.h\t", "\tmodel_editor.h\t"};
  for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i) {
    if (strstr(line, headers[i]) != NULL) return true;
  }
  return false;
}

struct function_counts {
  size_t of_graphs, others, without_status;
};

// What functions.tsv lists.
static inline struct function_counts count_functions(void) {
  struct function_counts counts = {0, 0, 0};
  char* list = read_file(ORTC_SOURCE_DIR "/core/api/functions.tsv", NULL);
  char* line = strchr(list, '\n') + 1;  // behind the head line
  for (char* end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = 0;
    const bool gives_status = strncmp(strchr(line, '\t'), "\tOrtStatus*\t", 12) == 0;
    ++*(!gives_status        ? &counts.without_status
        : is_of_graphs(line) ? &counts.of_graphs
                             : &counts.others);
  }
  free(list);
  return counts;
}

/* SPDX-License-Identifier: MIT
 * The border between libort_c and libort_c_extra.so: what needs libraries that the core does
 * without. One exported function gives a table of functions; the core loads it when an operator
 * first needs it. Both sides are of one release: a table of another version is not used.
 *
 * All functions may be called by any number of threads at the same time. Nothing is thrown, and
 * nothing is kept but what a function says. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORTC_EXTRA_VERSION 1u
#define ORTC_EXTRA_ENTRY "OrtcExtraGetTable"

typedef enum OrtcExtraCode {
  kOrtcExtraOk = 0,
  kOrtcExtraBadInput = 1, /* the pattern is none, the bytes are no image */
  kOrtcExtraNotBuilt = 2, /* the library was built without what this needs, or does not know it */
  kOrtcExtraTooLarge = 3, /* more than the caller allows */
  kOrtcExtraNoMemory = 4,
} OrtcExtraCode;

/* A sentence without a full stop, ending in zero; empty after success. */
typedef struct OrtcExtraMessage {
  char text[256];
} OrtcExtraMessage;

typedef enum OrtcPixelFormat {
  kOrtcPixelRgb = 0,
  kOrtcPixelBgr = 1,
  kOrtcPixelGrayscale = 2, /* round(0.299 R + 0.587 G + 0.114 B) */
} OrtcPixelFormat;

typedef struct OrtcImageRequest {
  const uint8_t* bytes; /* a whole file; borrowed */
  size_t size;
  int32_t format;       /* OrtcPixelFormat */
  uint64_t pixel_limit; /* more pixels are kOrtcExtraTooLarge */
  /* Gives memory for height * width * channels bytes, or null: kOrtcExtraNoMemory. Called at most
   * once, before the pixels are known to be sound: after a failure they mean nothing. */
  uint8_t* (*allocate)(void* state, size_t height, size_t width, size_t channels);
  void* state;
} OrtcImageRequest;

/* A compiled regular expression of RE2 over UTF-8. */
typedef struct OrtcRegex OrtcRegex;

typedef struct OrtcExtraTable {
  uint32_t version; /* ORTC_EXTRA_VERSION */
  uint32_t table_size;

  /* `is_longest`: of several matches at a place the longest, as POSIX has it; otherwise the one
   * that Perl would find. `out_regex` is released by regex_release. */
  OrtcExtraCode (*regex_compile)(const char* pattern, size_t size, int32_t is_longest,
                                 OrtcRegex** out_regex, OrtcExtraMessage* message);
  /* Whether the pattern matches the text from its beginning to its end. */
  int32_t (*regex_full_match)(const OrtcRegex* regex, const char* text, size_t size);
  /* The first match that begins at `from` or after it; what stands in front of `from` is still
   * seen by ^ and \b. 0: there is none, and nothing is written. */
  int32_t (*regex_find)(const OrtcRegex* regex, const char* text, size_t size, size_t from,
                        size_t* out_begin, size_t* out_end);
  void (*regex_release)(OrtcRegex* regex); /* may be null */

  /* Decodes a BMP, JPEG, JPEG 2000, PNG, PNM, TIFF or WebP file, known by its first bytes, to rows
   * of 8 bits per channel. Of files with several pictures the first; alpha is left out; metadata
   * such as rotation and colour profiles is not looked at. */
  OrtcExtraCode (*image_decode)(const OrtcImageRequest* request, OrtcExtraMessage* message);
} OrtcExtraTable;

/* Null for a version that the library does not have. */
typedef const OrtcExtraTable* (*OrtcExtraGetTableFunction)(uint32_t version);

#ifdef __cplusplus
}
#endif

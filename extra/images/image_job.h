/* SPDX-License-Identifier: MIT
 * What the readers of single formats share. A reader finds out how large the picture is, asks for
 * memory with ortc_image_begin(), and writes rows of R, G, B to `pixels`. Readers whose library
 * reports errors by longjmp are C files: nothing there has a destructor to be skipped. */
#pragma once

#include "extra/extra_table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtcImageJob {
  const OrtcImageRequest* request;
  OrtcExtraMessage* message;
  size_t width, height; /* set by ortc_image_begin */
  uint8_t* pixels;      /* 3 * width * height bytes */
  uint8_t* own_pixels;  /* the same when they are not the caller's; freed by who made the job */
} OrtcImageJob;

/* Whether the picture may be that large; then it gets its memory. Sizes may be anything. */
OrtcExtraCode ortc_image_begin(OrtcImageJob* job, uint64_t width, uint64_t height);
/* Writes the message and gives the code back. */
OrtcExtraCode ortc_image_refuse(OrtcImageJob* job, OrtcExtraCode code, const char* text);
OrtcExtraCode ortc_image_left_out(OrtcImageJob* job, const char* what);

/* One picture each. `pixels` holds anything after a failure. */
OrtcExtraCode ortc_read_bmp(OrtcImageJob* job);
OrtcExtraCode ortc_read_pnm(OrtcImageJob* job);
OrtcExtraCode ortc_read_jpeg(OrtcImageJob* job);
OrtcExtraCode ortc_read_jpeg2000(OrtcImageJob* job);
OrtcExtraCode ortc_read_png(OrtcImageJob* job);
OrtcExtraCode ortc_read_tiff(OrtcImageJob* job);
OrtcExtraCode ortc_read_webp(OrtcImageJob* job);

#ifdef __cplusplus
}
#endif

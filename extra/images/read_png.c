/* SPDX-License-Identifier: MIT
 * PNG by libpng. Every kind becomes 8 bits of R, G, B: palettes and grey are expanded, of 16 bits
 * the higher 8 count. libpng reports errors by longjmp; all that is to be freed hangs on
 * PngReading. */
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "extra/images/image_job.h"

typedef struct PngReading {
  OrtcImageJob* job;
  size_t at;
  png_structp png;
  png_infop info;
  OrtcExtraCode code;
} PngReading;

static void on_error(png_structp png, png_const_charp text) {
  PngReading* const reading = png_get_error_ptr(png);
  reading->code = ortc_image_refuse(reading->job, kOrtcExtraBadInput, text);
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static void read_bytes(png_structp png, png_bytep out, size_t count) {
  PngReading* const reading = png_get_io_ptr(png);
  const OrtcImageRequest* const request = reading->job->request;
  if (count > request->size - reading->at) png_error(png, "the file ends too early");
  memcpy(out, request->bytes + reading->at, count);
  reading->at += count;
}

static void ask_for_rgb(png_structp png, png_infop info) {
  png_set_expand(png); /* palettes, less than 8 bits, transparency */
  png_set_strip_16(png);
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  (void)png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

static OrtcExtraCode decode(PngReading* reading) {
  /* Nothing that is used after a longjmp changes in this function. */
  OrtcImageJob* const job = reading->job;
  png_structp const png = reading->png;
  if (setjmp(png_jmpbuf(png)) != 0) return reading->code;
  png_set_read_fn(png, reading, read_bytes);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* ours is that of pixels */
  png_set_chunk_malloc_max(png, 8u << 20);
  png_set_chunk_cache_max(png, 64);
  png_read_info(png, reading->info);
  reading->code = ortc_image_begin(job, png_get_image_width(png, reading->info),
                                   png_get_image_height(png, reading->info));
  if (reading->code != kOrtcExtraOk) return reading->code;
  const int is_interlaced = png_get_interlace_type(png, reading->info) != PNG_INTERLACE_NONE;
  ask_for_rgb(png, reading->info);
  const size_t row_bytes = 3 * job->width;
  if (png_get_rowbytes(png, reading->info) != row_bytes) png_error(png, "rows of an unknown form");
  for (int pass = 0; pass < (is_interlaced ? 7 : 1); ++pass) {
    for (size_t y = 0; y < job->height; ++y) {
      png_read_row(png, job->pixels + y * row_bytes, NULL);
    }
  }
  return kOrtcExtraOk;
}

OrtcExtraCode ortc_read_png(OrtcImageJob* job) {
  PngReading reading = {job, 0, NULL, NULL, kOrtcExtraBadInput};
  reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, on_error, on_warning);
  if (reading.png == NULL) return kOrtcExtraNoMemory;
  reading.info = png_create_info_struct(reading.png);
  const OrtcExtraCode code = reading.info != NULL ? decode(&reading) : kOrtcExtraNoMemory;
  png_destroy_read_struct(&reading.png, &reading.info, NULL);
  return code;
}

/* SPDX-License-Identifier: MIT
 * TIFF by libtiff: the first picture, by the interface that turns every kind into 8 bits of R, G,
 * B, A, the right way up. Colours that stand beside an alpha channel stay what they are. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "extra/images/image_job.h"

enum { kAllocationMax = 256 << 20 }; /* of the library's own, each */

typedef struct TiffReading {
  OrtcImageJob* job;
  uint64_t at;
} TiffReading;

static tmsize_t read_bytes(thandle_t handle, void* out, tmsize_t count) {
  TiffReading* const reading = handle;
  const OrtcImageRequest* const request = reading->job->request;
  if (count < 0 || reading->at >= request->size) return 0;
  const uint64_t left = request->size - reading->at;
  const uint64_t taken = (uint64_t)count < left ? (uint64_t)count : left;
  memcpy(out, request->bytes + reading->at, taken);
  reading->at += taken;
  return (tmsize_t)taken;
}

static tmsize_t write_bytes(thandle_t handle, void* bytes, tmsize_t count) {
  (void)handle;
  (void)bytes;
  (void)count;
  return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  TiffReading* const reading = handle;
  if (whence == SEEK_SET) reading->at = offset;
  if (whence == SEEK_CUR) reading->at += offset; /* may wrap: reading checks */
  if (whence == SEEK_END) reading->at = reading->job->request->size + offset;
  return reading->at;
}

static toff_t size_of(thandle_t handle) { return ((TiffReading*)handle)->job->request->size; }

static int nothing(thandle_t handle) {
  (void)handle;
  return 0;
}

/* The file is in memory: what libtiff maps it only reads. */
static int map(thandle_t handle, void** out_base, toff_t* out_size) {
  const OrtcImageRequest* const request = ((TiffReading*)handle)->job->request;
  *out_base = (void*)(uintptr_t)request->bytes;
  *out_size = request->size;
  return 1;
}

static void unmap(thandle_t handle, void* base, toff_t size) {
  (void)handle;
  (void)base;
  (void)size;
}

/* The first error is the one that tells. */
static int on_error(TIFF* tiff, void* state, const char* module, const char* format,
                    va_list arguments) {
  (void)tiff;
  (void)module;
  OrtcExtraMessage* const message = ((TiffReading*)state)->job->message;
  if (message->text[0] == '\0') {
    vsnprintf(message->text, sizeof message->text, format, arguments);
  }
  return 1;
}

static int on_warning(TIFF* tiff, void* state, const char* module, const char* format,
                      va_list arguments) {
  (void)tiff;
  (void)state;
  (void)module;
  (void)format;
  (void)arguments;
  return 1;
}

static TIFF* open_tiff(TiffReading* reading) {
  TIFFOpenOptions* const options = TIFFOpenOptionsAlloc();
  if (options == NULL) return NULL;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, kAllocationMax);
  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, reading);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, reading);
  TIFF* const tiff = TIFFClientOpenExt("image", "r", reading, read_bytes, write_bytes, seek,
                                       nothing, size_of, map, unmap, options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

/* As if the colours had been multiplied with alpha already: then nobody does. */
static void keep_colours(TIFF* tiff) {
  uint16_t count = 0;
  uint16_t* kinds = NULL;
  uint16_t kept[1] = {EXTRASAMPLE_ASSOCALPHA};
  if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) == 1 && count == 1 &&
      kinds[0] == EXTRASAMPLE_UNASSALPHA) {
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, kept);
  }
}

static OrtcExtraCode decode(TIFF* tiff, OrtcImageJob* job) {
  uint32_t width = 0, height = 0;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  const OrtcExtraCode code = ortc_image_begin(job, width, height);
  if (code != kOrtcExtraOk) return code;
  keep_colours(tiff);
  const size_t count = job->width * job->height;
  uint32_t* const raster = malloc(count * sizeof *raster);
  if (raster == NULL) return kOrtcExtraNoMemory;
  const int is_read = TIFFReadRGBAImageOriented(tiff, width, height, raster, ORIENTATION_TOPLEFT,
                                                /*stopOnError=*/1);
  for (size_t i = 0; is_read && i < count; ++i) {
    job->pixels[3 * i] = (uint8_t)TIFFGetR(raster[i]);
    job->pixels[3 * i + 1] = (uint8_t)TIFFGetG(raster[i]);
    job->pixels[3 * i + 2] = (uint8_t)TIFFGetB(raster[i]);
  }
  free(raster);
  return is_read ? kOrtcExtraOk : kOrtcExtraBadInput;
}

OrtcExtraCode ortc_read_tiff(OrtcImageJob* job) {
  TiffReading reading = {job, 0};
  TIFF* const tiff = open_tiff(&reading);
  if (tiff == NULL) return kOrtcExtraBadInput;
  const OrtcExtraCode code = decode(tiff, job);
  TIFFClose(tiff);
  return code;
}

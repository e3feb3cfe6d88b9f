/* SPDX-License-Identifier: MIT
 * JPEG by libjpeg-turbo, with its accurate transform and its "fancy" upsampling of chroma, which is
 * what ONNX describes. CMYK files are read as Adobe writes them, inverted. A file that is damaged
 * or ends too early is refused, though the library would guess the rest. libjpeg reports errors by
 * longjmp; all that is to be freed hangs on the decompressor. */
#include <setjmp.h>
#include <stdio.h>
/* jpeglib.h needs FILE. */
#include <jerror.h>
#include <jpeglib.h>

#include "extra/images/image_job.h"

enum { kScansMax = 256 }; /* a progressive file needs about ten; each is a pass over all pixels */

typedef struct JpegReading {
  struct jpeg_error_mgr errors; /* first: libjpeg hands out its address */
  struct jpeg_progress_mgr progress;
  jmp_buf jump;
  OrtcImageJob* job;
  OrtcExtraCode code;
} JpegReading;

static void refuse(j_common_ptr jpeg) {
  JpegReading* const reading = (JpegReading*)jpeg->err;
  char text[JMSG_LENGTH_MAX];
  reading->errors.format_message(jpeg, text);
  const int is_memory = reading->errors.msg_code == JERR_OUT_OF_MEMORY;
  reading->code =
      ortc_image_refuse(reading->job, is_memory ? kOrtcExtraNoMemory : kOrtcExtraBadInput, text);
  longjmp(reading->jump, 1);
}

/* Warnings have level -1: all but these tell of damaged data. */
static void on_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  const int code = jpeg->err->msg_code;
  if (code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR) return;
  refuse(jpeg);
}

static void on_progress(j_common_ptr jpeg) {
  JpegReading* const reading = (JpegReading*)jpeg->err;
  if (((j_decompress_ptr)jpeg)->input_scan_number <= kScansMax) return;
  reading->code = ortc_image_refuse(reading->job, kOrtcExtraBadInput, "too many scans");
  longjmp(reading->jump, 1);
}

static void expand_grey(const JSAMPLE* from, size_t width, uint8_t* to) {
  for (size_t x = 0; x < width; ++x, to += 3) to[0] = to[1] = to[2] = from[x];
}

/* round(a * b / 255) */
static uint8_t scaled(uint32_t a, uint32_t b) {
  const uint32_t product = a * b + 128;
  return (uint8_t)(((product >> 8) + product) >> 8);
}

/* Inverted: the samples say how much of the paper shines through. */
static void expand_cmyk(const JSAMPLE* from, size_t width, uint8_t* to) {
  for (size_t x = 0; x < width; ++x, from += 4, to += 3) {
    for (int c = 0; c < 3; ++c) to[c] = (uint8_t)(from[3] - scaled(255u - from[c], from[3]));
  }
}

static void read_rows(struct jpeg_decompress_struct* jpeg, OrtcImageJob* job) {
  const size_t row_bytes = 3 * job->width;
  JSAMPARRAY buffer =
      (*jpeg->mem->alloc_sarray)((j_common_ptr)jpeg, JPOOL_IMAGE, jpeg->output_width * 4, 1);
  while (jpeg->output_scanline < jpeg->output_height) {
    uint8_t* row = job->pixels + jpeg->output_scanline * row_bytes;
    if (jpeg->out_color_space == JCS_RGB) {
      jpeg_read_scanlines(jpeg, &row, 1);
      continue;
    }
    jpeg_read_scanlines(jpeg, buffer, 1);
    if (jpeg->out_color_space == JCS_GRAYSCALE) {
      expand_grey(buffer[0], job->width, row);
    } else {
      expand_cmyk(buffer[0], job->width, row);
    }
  }
}

static J_COLOR_SPACE color_space_of(const struct jpeg_decompress_struct* jpeg) {
  if (jpeg->jpeg_color_space == JCS_GRAYSCALE) return JCS_GRAYSCALE;
  return jpeg->num_components == 4 ? JCS_CMYK : JCS_RGB;
}

static OrtcExtraCode decode(struct jpeg_decompress_struct* jpeg, JpegReading* reading) {
  /* Nothing that is used after a longjmp changes in this function. */
  OrtcImageJob* const job = reading->job;
  if (setjmp(reading->jump) != 0) return reading->code;
  jpeg_create_decompress(jpeg);
  jpeg->progress = &reading->progress;
  jpeg_mem_src(jpeg, job->request->bytes, job->request->size);
  jpeg_read_header(jpeg, TRUE);
  reading->code = ortc_image_begin(job, jpeg->image_width, jpeg->image_height);
  if (reading->code != kOrtcExtraOk) return reading->code;
  jpeg->out_color_space = color_space_of(jpeg);
  jpeg->dct_method = JDCT_ISLOW;
  jpeg->do_fancy_upsampling = TRUE;
  jpeg_start_decompress(jpeg);
  read_rows(jpeg, job);
  jpeg_finish_decompress(jpeg);
  return kOrtcExtraOk;
}

OrtcExtraCode ortc_read_jpeg(OrtcImageJob* job) {
  struct jpeg_decompress_struct jpeg = {0};
  JpegReading reading = {.job = job, .code = kOrtcExtraBadInput};
  jpeg.err = jpeg_std_error(&reading.errors);
  reading.errors.error_exit = refuse;
  reading.errors.emit_message = on_message;
  reading.progress.progress_monitor = on_progress;
  const OrtcExtraCode code = decode(&jpeg, &reading);
  jpeg_destroy_decompress(&jpeg);
  return code;
}

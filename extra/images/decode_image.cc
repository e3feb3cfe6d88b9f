// SPDX-License-Identifier: MIT
// Finds the reader of an image by its first bytes, and turns what it gives into what was asked for.
#include "extra/images/decode_image.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "core/base/checked_math.h"
#include "extra/images/image_job.h"

namespace {

using Read = OrtcExtraCode (*)(OrtcImageJob*);

struct Beginning {
  std::string_view magic;
  Read read;
};

// PNM and WebP have more to look at.
constexpr Beginning kBeginnings[] = {
    {"BM", ortc_read_bmp},
    {"\xff\xd8\xff", ortc_read_jpeg},
    {"\xff\x4f\xff\x51", ortc_read_jpeg2000},
    {std::string_view("\0\0\0\x0cjP  \r\n\x87\n", 12), ortc_read_jpeg2000},
    {"\x89PNG\r\n\x1a\n", ortc_read_png},
    {std::string_view("II*\0", 4), ortc_read_tiff},
    {std::string_view("MM\0*", 4), ortc_read_tiff},
    {std::string_view("II+\0", 4), ortc_read_tiff},
    {std::string_view("MM\0+", 4), ortc_read_tiff},
};

Read reader_of(std::string_view file) {
  for (const Beginning& beginning : kBeginnings) {
    if (file.substr(0, beginning.magic.size()) == beginning.magic) return beginning.read;
  }
  if (file.size() > 2 && file[0] == 'P' && file[1] >= '1' && file[1] <= '6' &&
      std::string_view(" \t\r\n#").find(file[2]) != std::string_view::npos) {
    return ortc_read_pnm;
  }
  const bool is_webp =
      file.substr(0, 4) == "RIFF" && file.size() >= 12 && file.substr(8, 4) == "WEBP";
  return is_webp ? ortc_read_webp : nullptr;
}

// Weights of 16 bits that add up to 65536: equal channels give themselves.
void to_grayscale(const uint8_t* rgb, size_t count, uint8_t* grey) {
  for (size_t i = 0; i < count; ++i, rgb += 3) {
    const uint32_t sum = 19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2];
    grey[i] = static_cast<uint8_t>((sum + 0x8000u) >> 16);
  }
}

OrtcExtraCode finish(const OrtcImageJob& job) {
  const OrtcImageRequest& request = *job.request;
  const size_t count = job.width * job.height;
  if (request.format == kOrtcPixelBgr) {
    for (size_t i = 0; i < count; ++i) std::swap(job.pixels[3 * i], job.pixels[3 * i + 2]);
  }
  if (request.format != kOrtcPixelGrayscale) return kOrtcExtraOk;
  uint8_t* const grey = request.allocate(request.state, job.height, job.width, 1);
  if (grey == nullptr) return kOrtcExtraNoMemory;
  to_grayscale(job.pixels, count, grey);
  return kOrtcExtraOk;
}

}  // namespace

OrtcExtraCode ortc_image_refuse(OrtcImageJob* job, OrtcExtraCode code, const char* text) {
  std::snprintf(job->message->text, sizeof job->message->text, "%s", text);
  return code;
}

OrtcExtraCode ortc_image_left_out(OrtcImageJob* job, const char* what) {
  std::snprintf(job->message->text, sizeof job->message->text,
                "this libort_c_extra.so was built without %s", what);
  return kOrtcExtraNotBuilt;
}

OrtcExtraCode ortc_image_begin(OrtcImageJob* job, uint64_t width, uint64_t height) {
  if (width == 0 || height == 0) {
    return ortc_image_refuse(job, kOrtcExtraBadInput, "the picture has no pixels");
  }
  const auto count = ortc::checked_mul(width, height);
  const auto bytes = count ? ortc::checked_mul<uint64_t>(*count, 3) : std::nullopt;
  if (!bytes || *count > job->request->pixel_limit || *bytes > SIZE_MAX / 2) {
    std::snprintf(job->message->text, sizeof job->message->text,
                  "the picture has %llu x %llu pixels, at most %llu may be decoded",
                  static_cast<unsigned long long>(width), static_cast<unsigned long long>(height),
                  static_cast<unsigned long long>(job->request->pixel_limit));
    return kOrtcExtraTooLarge;
  }
  job->width = static_cast<size_t>(width);
  job->height = static_cast<size_t>(height);
  if (job->request->format == kOrtcPixelGrayscale) {
    job->pixels = job->own_pixels = static_cast<uint8_t*>(std::malloc(*bytes));
  } else {
    job->pixels = job->request->allocate(job->request->state, job->height, job->width, 3);
  }
  return job->pixels != nullptr ? kOrtcExtraOk : kOrtcExtraNoMemory;
}

OrtcExtraCode ortc_image_decode(const OrtcImageRequest* request, OrtcExtraMessage* message) {
  message->text[0] = '\0';
  OrtcImageJob job = {};
  job.request = request;
  job.message = message;
  const std::string_view file(reinterpret_cast<const char*>(request->bytes), request->size);
  const Read read = reader_of(file);
  if (read == nullptr) {
    return ortc_image_refuse(
        &job, kOrtcExtraBadInput,
        "the bytes begin like no BMP, JPEG, JPEG 2000, PNG, PNM, TIFF or WebP file");
  }
  OrtcExtraCode code;
  try {
    code = read(&job);
    if (code == kOrtcExtraOk) code = finish(job);
  } catch (const std::bad_alloc&) {
    code = kOrtcExtraNoMemory;
  }
  std::free(job.own_pixels);
  return code;
}

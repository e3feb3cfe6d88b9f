// SPDX-License-Identifier: MIT
// JPEG 2000 by OpenJPEG, in .jp2 files and bare codestreams: grey, RGB, or YCC with chroma planes
// that may be smaller. Samples of any precision and sign are brought to 8 bits.
#include <openjpeg.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/base/checked_math.h"
#include "extra/images/image_job.h"

namespace {

struct Source {
  const OrtcImageRequest* request;
  uint64_t at = 0;
};

// Of OpenJPEG's callbacks, -1 and false mean the end.
OPJ_SIZE_T read_bytes(void* out, OPJ_SIZE_T count, void* state) {
  auto& source = *static_cast<Source*>(state);
  const uint64_t taken = std::min<uint64_t>(count, source.request->size - source.at);
  if (taken == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(out, source.request->bytes + source.at, taken);
  source.at += taken;
  return taken;
}

OPJ_BOOL seek(OPJ_OFF_T to, void* state) {
  auto& source = *static_cast<Source*>(state);
  if (to < 0 || static_cast<uint64_t>(to) > source.request->size) return OPJ_FALSE;
  source.at = static_cast<uint64_t>(to);
  return OPJ_TRUE;
}

OPJ_OFF_T skip(OPJ_OFF_T count, void* state) {
  auto& source = *static_cast<Source*>(state);
  if (count < 0) return -1;
  source.at += std::min<uint64_t>(static_cast<uint64_t>(count), source.request->size - source.at);
  return count;
}

// The first error is the one that tells; it ends in a line feed.
void on_error(const char* text, void* state) {
  auto* const message = static_cast<OrtcExtraMessage*>(state);
  if (message->text[0] != '\0') return;
  std::snprintf(message->text, sizeof message->text, "%.*s",
                static_cast<int>(std::strcspn(text, "\n")), text);
}

void ignore(const char*, void*) {}

struct Destroy {
  void operator()(opj_codec_t* codec) const { opj_destroy_codec(codec); }
  void operator()(opj_image_t* image) const { opj_image_destroy(image); }
};
struct DestroyStream {
  void operator()(opj_stream_t* stream) const { opj_stream_destroy(stream); }
};
using Codec = std::unique_ptr<opj_codec_t, Destroy>;
using Image = std::unique_ptr<opj_image_t, Destroy>;
using Stream = std::unique_ptr<opj_stream_t, DestroyStream>;

Codec make_codec(const OrtcImageJob& job) {
  const bool is_bare = job.request->bytes[0] == 0xff;
  Codec codec(opj_create_decompress(is_bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2));
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  if (codec == nullptr) return nullptr;
  opj_set_error_handler(codec.get(), on_error, job.message);
  opj_set_warning_handler(codec.get(), ignore, nullptr);
  opj_set_info_handler(codec.get(), ignore, nullptr);
  return opj_setup_decoder(codec.get(), &parameters) ? std::move(codec) : nullptr;
}

Stream make_stream(Source& source) {
  Stream stream(opj_stream_default_create(OPJ_TRUE));
  if (stream == nullptr) return nullptr;
  opj_stream_set_user_data(stream.get(), &source, nullptr);
  opj_stream_set_user_data_length(stream.get(), source.request->size);
  opj_stream_set_read_function(stream.get(), read_bytes);
  opj_stream_set_seek_function(stream.get(), seek);
  opj_stream_set_skip_function(stream.get(), skip);
  return stream;
}

// A plane of samples as bytes, looked at from pixels of the picture.
class Plane {
 public:
  explicit Plane(const opj_image_comp_t& component)
      : component_(component),
        lowest_(component.sgnd != 0 ? -(int64_t{1} << (component.prec - 1)) : 0),
        highest_((int64_t{1} << component.prec) - 1) {}

  uint8_t at(size_t x, size_t y) const {
    const size_t column = std::min<size_t>(x / component_.dx, component_.w - 1);
    const size_t row = std::min<size_t>(y / component_.dy, component_.h - 1);
    const int64_t sample = component_.data[row * component_.w + column] - lowest_;
    const int64_t inside = std::clamp<int64_t>(sample, 0, highest_);
    return static_cast<uint8_t>((inside * 255 + highest_ / 2) / highest_);
  }

 private:
  const opj_image_comp_t& component_;
  int64_t lowest_, highest_;
};

bool is_sound(const opj_image_t& image) {
  for (OPJ_UINT32 i = 0; i < image.numcomps; ++i) {
    const opj_image_comp_t& plane = image.comps[i];
    if (plane.data == nullptr || plane.w == 0 || plane.h == 0 || plane.prec < 1 ||
        plane.prec > 31 || plane.dx == 0 || plane.dy == 0) {
      return false;
    }
  }
  return image.numcomps > 0;
}

uint8_t rounded(double value) {
  return static_cast<uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

void ycc_to_rgb(uint8_t* pixel) {
  const double y = pixel[0], blue = pixel[1] - 128.0, red = pixel[2] - 128.0;
  pixel[0] = rounded(y + 1.402 * red);
  pixel[1] = rounded(y - 0.344136 * blue - 0.714136 * red);
  pixel[2] = rounded(y + 1.772 * blue);
}

void write_pixels(const opj_image_t& image, const OrtcImageJob& job) {
  const bool is_grey = image.numcomps < 3;
  const Plane planes[] = {Plane(image.comps[0]), Plane(image.comps[is_grey ? 0 : 1]),
                          Plane(image.comps[is_grey ? 0 : 2])};
  const bool is_small = !is_grey && image.comps[1].dx != image.comps[0].dx;
  const bool is_ycc = !is_grey && (image.color_space == OPJ_CLRSPC_SYCC || is_small);
  uint8_t* pixel = job.pixels;
  for (size_t y = 0; y < job.height; ++y) {
    for (size_t x = 0; x < job.width; ++x, pixel += 3) {
      for (size_t c = 0; c < 3; ++c) pixel[c] = planes[c].at(x, y);
      if (is_ycc) ycc_to_rgb(pixel);
    }
  }
}

OrtcExtraCode decode(OrtcImageJob* job, opj_codec_t* codec, opj_stream_t* stream) {
  opj_image_t* header = nullptr;
  const bool is_read = opj_read_header(stream, codec, &header) != 0;
  const Image image(header);
  if (!is_read || image == nullptr) return kOrtcExtraBadInput;
  if (image->numcomps < 1 || image->numcomps > 4 || image->x1 <= image->x0 ||
      image->y1 <= image->y0) {
    return ortc_image_refuse(job, kOrtcExtraBadInput, "the picture has no planes, or too many");
  }
  if (image->color_space == OPJ_CLRSPC_CMYK || image->color_space == OPJ_CLRSPC_EYCC) {
    return ortc_image_refuse(job, kOrtcExtraNotBuilt, "JPEG 2000 files of CMYK or e-YCC");
  }
  const OrtcExtraCode code = ortc_image_begin(job, image->x1 - image->x0, image->y1 - image->y0);
  if (code != kOrtcExtraOk) return code;
  if (opj_decode(codec, stream, image.get()) == 0 || !is_sound(*image)) return kOrtcExtraBadInput;
  write_pixels(*image, *job);
  return kOrtcExtraOk;
}

}  // namespace

OrtcExtraCode ortc_read_jpeg2000(OrtcImageJob* job) {
  Source source{job->request};
  const Codec codec = make_codec(*job);
  const Stream stream = make_stream(source);
  if (codec == nullptr || stream == nullptr) return kOrtcExtraNoMemory;
  return decode(job, codec.get(), stream.get());
}

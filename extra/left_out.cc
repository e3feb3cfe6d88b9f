// SPDX-License-Identifier: MIT
// In the place of the files whose libraries the build does not have: each function says what is
// missing. The build defines ORTC_EXTRA_WITHOUT_<library>.
#include <cstdio>

#include "extra/images/image_job.h"
#include "extra/regex.h"

#ifdef ORTC_EXTRA_WITHOUT_RE2
OrtcExtraCode ortc_regex_compile(const char*, size_t, int32_t, OrtcRegex** out_regex,
                                 OrtcExtraMessage* message) {
  *out_regex = nullptr;
  std::snprintf(message->text, sizeof message->text,
                "this libort_c_extra.so was built without RE2 (Debian: libre2-dev)");
  return kOrtcExtraNotBuilt;
}
int32_t ortc_regex_full_match(const OrtcRegex*, const char*, size_t) { return 0; }
int32_t ortc_regex_find(const OrtcRegex*, const char*, size_t, size_t, size_t*, size_t*) {
  return 0;
}
void ortc_regex_release(OrtcRegex*) {}
#endif

#ifdef ORTC_EXTRA_WITHOUT_JPEG
OrtcExtraCode ortc_read_jpeg(OrtcImageJob* job) {
  return ortc_image_left_out(job, "JPEG (Debian: libjpeg62-turbo-dev)");
}
#endif

#ifdef ORTC_EXTRA_WITHOUT_JPEG2000
OrtcExtraCode ortc_read_jpeg2000(OrtcImageJob* job) {
  return ortc_image_left_out(job, "JPEG 2000 (Debian: libopenjp2-7-dev)");
}
#endif

#ifdef ORTC_EXTRA_WITHOUT_PNG
OrtcExtraCode ortc_read_png(OrtcImageJob* job) {
  return ortc_image_left_out(job, "PNG (Debian: libpng-dev)");
}
#endif

#ifdef ORTC_EXTRA_WITHOUT_TIFF
OrtcExtraCode ortc_read_tiff(OrtcImageJob* job) {
  return ortc_image_left_out(job, "TIFF (Debian: libtiff-dev, 4.5 or newer)");
}
#endif

#ifdef ORTC_EXTRA_WITHOUT_WEBP
OrtcExtraCode ortc_read_webp(OrtcImageJob* job) {
  return ortc_image_left_out(job, "WebP (Debian: libwebp-dev)");
}
#endif

/* SPDX-License-Identifier: MIT
 * WebP by libwebp; alpha is left out. */
#include <webp/decode.h>

#include "extra/images/image_job.h"

OrtcExtraCode ortc_read_webp(OrtcImageJob* job) {
  const OrtcImageRequest* const request = job->request;
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(request->bytes, request->size, &features) != VP8_STATUS_OK) {
    return ortc_image_refuse(job, kOrtcExtraBadInput, "it has no header of a WebP file");
  }
  if (features.has_animation) {
    return ortc_image_refuse(job, kOrtcExtraNotBuilt, "WebP files with several pictures");
  }
  const OrtcExtraCode code =
      ortc_image_begin(job, (uint64_t)features.width, (uint64_t)features.height);
  if (code != kOrtcExtraOk) return code;
  const size_t stride = 3 * job->width;
  if (WebPDecodeRGBInto(request->bytes, request->size, job->pixels, stride * job->height,
                        (int)stride) == NULL) {
    return ortc_image_refuse(job, kOrtcExtraBadInput, "its WebP data are damaged");
  }
  return kOrtcExtraOk;
}

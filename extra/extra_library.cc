// SPDX-License-Identifier: MIT
// The one function that libort_c_extra.so exports.
#include "extra/extra_table.h"
#include "extra/images/decode_image.h"
#include "extra/regex.h"

extern "C" const OrtcExtraTable* OrtcExtraGetTable(uint32_t version) {
  static constexpr OrtcExtraTable kTable = {
      .version = ORTC_EXTRA_VERSION,
      .table_size = sizeof(OrtcExtraTable),
      .regex_compile = ortc_regex_compile,
      .regex_full_match = ortc_regex_full_match,
      .regex_find = ortc_regex_find,
      .regex_release = ortc_regex_release,
      .image_decode = ortc_image_decode,
  };
  return version == ORTC_EXTRA_VERSION ? &kTable : nullptr;
}

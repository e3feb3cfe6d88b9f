// SPDX-License-Identifier: MIT
// The table's image_decode.
#pragma once

#include "extra/extra_table.h"

OrtcExtraCode ortc_image_decode(const OrtcImageRequest* request, OrtcExtraMessage* message);

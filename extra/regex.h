// SPDX-License-Identifier: MIT
// The regular expressions of the table; extra_table.h says what they do.
#pragma once

#include "extra/extra_table.h"

OrtcExtraCode ortc_regex_compile(const char* pattern, size_t size, int32_t is_longest,
                                 OrtcRegex** out_regex, OrtcExtraMessage* message);
int32_t ortc_regex_full_match(const OrtcRegex* regex, const char* text, size_t size);
int32_t ortc_regex_find(const OrtcRegex* regex, const char* text, size_t size, size_t from,
                        size_t* out_begin, size_t* out_end);
void ortc_regex_release(OrtcRegex* regex);

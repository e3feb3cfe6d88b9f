// SPDX-License-Identifier: MIT
// Numbers as texts and back, as Cast does it.
//
// A float becomes the shortest text that reads back as the same number, plain where its exponent is
// from -4 to 7 ("0.1", "100000", "1e+20"), of a double to 16; a 16-bit float that of the float that
// it is; a bool 0 or 1; NaN, INF and -INF are written so. Texts may be in plain or scientific
// notation, with a sign, spaces around them, and any case of nan, inf and infinity; an integer is
// what stands before the fraction.
#pragma once

#include <string>
#include <string_view>

#include "core/base/dtype.h"
#include "core/base/status.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {

using TextNumberTypes = Join<NumberTypes, TypeList<Bool8>>;

// `count` elements of one of TextNumberTypes.
void numbers_to_texts(DType from, const void* numbers, std::string* texts, int64_t count);
// INVALID_ARGUMENT for a text that is not a number of the type; a float too large becomes infinite.
Status texts_to_numbers(const std::string* texts, DType to, void* numbers, int64_t count);

}  // namespace ortc::cpu

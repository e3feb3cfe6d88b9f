// SPDX-License-Identifier: MIT
// What the symbol of a dim says: "batch" of a graph's input, or what inference made of it.
//
// Two sizes with equal symbols are equal at every run. A file's names on computed values do not
// promise that: exporters give sizes one name that are not one size. So there the name only goes in
// front of a symbol that is true, after a mark, and is shown to callers and in files.
#pragma once

#include <string>
#include <string_view>

#include "core/graph/type.h"

namespace ortc {

// "M" shown for the size "N": both, or "N" alone when there is nothing else to show.
std::string symbol_shown_as(std::string_view shown, std::string_view symbol);
// The name that callers and files see; "" for a size without one.
std::string_view shown_symbol(std::string_view symbol);
// What tells sizes apart: the symbol without the name that is only shown.
std::string_view true_symbol(std::string_view symbol);
// Whether it tells sizes apart only because inference made it, or has a name only to be shown.
bool is_made_symbol(std::string_view symbol);

// The symbol of its own of an unknown size. `graph_number` tells values of sub-graphs apart, whose
// names may be equal; 0 in the main graph.
std::string own_symbol(std::string_view value_name, size_t axis, int64_t graph_number);

// The symbol of a size that follows from the one of `symbol` alone, in the way that `formula`
// names; "" when it would become too long.
std::string derived_symbol(std::string_view formula, std::string_view symbol);

bool has_shown_symbols(const Type& type);
// The type with true symbols alone.
Type true_type(Type type);
// The type, and its elements', with the symbols that callers and files see.
Type shown_type(Type type);

}  // namespace ortc

// SPDX-License-Identifier: MIT
// What is fixed about graphs in files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortc {

// How deep graphs may stand in graphs, as the bodies of If, Loop and the like; the main graph
// counts. As deep as a file can nest them within the scanner's 64 messages: inlined functions must
// not make a model that cannot be read again.
inline constexpr int kGraphDepthMax = 20;

// Of how many domains a model may import opsets: nodes look theirs up.
inline constexpr size_t kOpsetImportsMax = 1024;

// Stands after a name that is only shown, in front of the symbol; in none of a file.
inline constexpr char kShownSymbolMark = '\x1e';

// Stands in every symbol that inference makes for a size which it does not know, and in none of a
// file: there such a dim has no symbol.
inline constexpr char kMadeSymbolMark = '\x1f';

// Up to this IR version initializers stand among the inputs without being inputs.
inline constexpr int64_t kLastIrVersionOfListedInitializers = 3;

}  // namespace ortc

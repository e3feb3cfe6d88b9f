// SPDX-License-Identifier: MIT
// How deep graphs may stand in graphs, as the bodies of If, Loop and the like.
#pragma once

namespace ortc {

// The main graph counts. As deep as a file can nest them within the scanner's 64 messages: inlined
// functions must not make a model that cannot be read again.
inline constexpr int kGraphDepthMax = 20;

}  // namespace ortc

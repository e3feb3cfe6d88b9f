// SPDX-License-Identifier: MIT
// Programs may be started with stdin, stdout or stderr closed.
#pragma once

namespace ortc::tool {

// Gives /dev/null to those that are closed, so that no file gets their number and is written into
// by every line for stderr. What is printed to a closed stdout fails as before. To be called before
// anything else is opened.
void open_standard_streams();

}  // namespace ortc::tool

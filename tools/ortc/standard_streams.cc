// SPDX-License-Identifier: MIT
// Closed standard streams: see the header.
#include "tools/ortc/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace ortc::tool {
namespace {

bool is_closed(int descriptor) { return fcntl(descriptor, F_GETFD) < 0; }

}  // namespace

// open() gives the lowest number that is free. stdin is for writing and stdout for reading here:
// their users still hear that there is none.
void open_standard_streams() {
  if (is_closed(STDIN_FILENO)) (void)open("/dev/null", O_WRONLY);
  if (is_closed(STDOUT_FILENO)) (void)open("/dev/null", O_RDONLY);
  if (is_closed(STDERR_FILENO)) (void)open("/dev/null", O_WRONLY);
}

}  // namespace ortc::tool

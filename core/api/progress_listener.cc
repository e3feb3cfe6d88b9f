// SPDX-License-Identifier: MIT
// Telling a program of progress: see the header.
#include "core/api/progress_listener.h"

#include <string>

#include "core/api/guard.h"

namespace ortc::api {

Status ProgressListener::hear(std::string_view stage, std::string_view detail,
                              double fraction) const {
  if (progress_ == nullptr) return {};
  return take_callers_status(
      progress_(state_, std::string(stage).c_str(), std::string(detail).c_str(), fraction));
}

}  // namespace ortc::api

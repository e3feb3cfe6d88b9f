// SPDX-License-Identifier: MIT
// Progress of several makings as one: see the header.
#include "core/session/cache/cache_progress.h"

namespace ortc {

MakingLimits CacheProgress::part(double end) const {
  MakingLimits limits = limits_;
  if (!limits_.progress) return limits;
  limits.progress = [program = limits_.progress, state = state_, begin = state_->told, end](
                        std::string_view stage, std::string_view detail,
                        double fraction) -> Status {
    const bool is_last = end == 1;
    if (stage == "done" && !is_last) return Status::ok();
    state->told = std::max(state->told, begin + (end - begin) * fraction);
    Status status = program(stage, detail, state->told);
    // Whatever is answered to the end comes too late.
    if (!status.is_ok() && stage != "done") state->is_stopped = true;
    return status;
  };
  return limits;
}

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Telling providers of a run: see the header.
#include "core/session/runs/watched_run.h"

namespace ortc {

WatchedRun::~WatchedRun() {
  while (begun_ > 0) {
    try {
      (void)watchers_[--begun_]->end_run(facts_);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the run has failed already
    }
  }
}

Status WatchedRun::begin() {
  for (; begun_ < watchers_.size(); ++begun_) {
    RETURN_IF_ERROR(watchers_[begun_]->begin_run(facts_));
  }
  return Status::ok();
}

Status WatchedRun::end() {
  Status outcome;
  while (begun_ > 0) {
    Status ended = watchers_[--begun_]->end_run(facts_);
    if (outcome.is_ok()) outcome = std::move(ended);
  }
  return outcome;
}

}  // namespace ortc

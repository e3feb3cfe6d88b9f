// SPDX-License-Identifier: MIT
// The sharing group of an environment, for those that name none (ep.share_ep_contexts=1): the first
// model opens it, the one with ep.stop_share_ep_contexts=1 closes it, and the next one is the first
// of another. Thread-safe.
#pragma once

#include <memory>
#include <mutex>

#include "core/context/sharing/sharing_group.h"

namespace ortc {

class OpenGroup {
 public:
  // As SharingGroup::join(). A group that was given up stays, so that no model is missed in
  // silence, until its last one was refused too.
  Result<std::unique_ptr<GroupMember>> join(SharingGroup::Joining joining);

 private:
  std::mutex mutex_;
  std::shared_ptr<SharingGroup> group_;
};

}  // namespace ortc

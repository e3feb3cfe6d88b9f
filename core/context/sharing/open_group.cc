// SPDX-License-Identifier: MIT
// The group of an environment: see the header.
#include "core/context/sharing/open_group.h"

namespace ortc {

Result<std::unique_ptr<GroupMember>> OpenGroup::join(SharingGroup::Joining joining) {
  const std::lock_guard lock(mutex_);
  const bool closes = joining.closes;
  if (group_ == nullptr) group_ = std::make_shared<SharingGroup>();
  auto member = group_->join(std::move(joining));
  const bool is_over = member.is_ok() || !group_->is_open();
  const bool is_unused = group_->member_count() == 0;
  if ((closes && is_over) || is_unused) group_.reset();
  return member;
}

}  // namespace ortc

// SPDX-License-Identifier: MIT
// How making a session or compiling a model becomes part of a sharing group.
#pragma once

#include <memory>

#include "core/session/compiled_model.h"

namespace ortc {

// Joins the group that the options name, or the environment's; null when they share nothing or
// write nothing. `source` gets a copy of memory that may go before the group is published.
Result<std::unique_ptr<GroupMember>> join_group(const Environment& environment,
                                                const SessionOptions& options,
                                                const CompileRules& rules, ModelSource& source);

// Tells the group how it ended; `member` may be null. The failure of publishing a group that is
// closed with this member.
Status settle(GroupMember* member, const Status& made);

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Joining sharing groups: see the header.
#include "core/session/sharing.h"

namespace ortc {

Result<std::unique_ptr<GroupMember>> join_group(const Environment& environment,
                                                const SessionOptions& options,
                                                const CompileRules& rules, ModelSource& source) {
  const ContextSettings& context = options.context;
  const bool shares = context.share || options.sharing_group != nullptr;
  if (!context.enable || !shares) return std::unique_ptr<GroupMember>();
  RETURN_IF_ERROR(check_context_settings(context));
  if (source.from_memory && source.bytes.owner() == nullptr) {
    source.bytes = Blob::copy_of(source.bytes.bytes());
  }
  SharingGroup::Joining joining;
  joining.name = source.path.empty() ? "a model in memory" : source.path;
  ASSIGN_OR_RETURN(joining.place, output_place(source, context, rules));
  joining.rules = output_rules(source, context);
  joining.embeds = context.embed;
  joining.hands_over_data = rules.program.write_context_data != nullptr;
  joining.needs_result = rules.output_is_buffer || rules.program.initializers.all_chosen != nullptr;
  joining.closes = context.stop_share;
  if (options.sharing_group != nullptr) return options.sharing_group->join(std::move(joining));
  return environment.open_group().join(std::move(joining));
}

Status settle(GroupMember* member, const Status& made) {
  if (member == nullptr || member->is_finished()) return Status::ok();
  if (!made.is_ok()) {
    member->fail(made);
    return Status::ok();
  }
  Work unwatched;
  CompileReport unread;
  return member->leave(unwatched, unread);
}

}  // namespace ortc

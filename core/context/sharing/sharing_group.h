// SPDX-License-Identifier: MIT
// Models that are compiled one after the other, or by several threads, into one context binary, and
// appear together.
//
//   open ---- all members have given their models, then commit() ----> published
//     `------ a member fails, or abort() ---------------------------> given up: nothing is written
//
// A member joins when its compile begins. What members add to the binary comes in the order of
// joining, not of being done: each waits for those before it. Until commit() nothing of an
// earlier set has changed. Thread-safe.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/context/generate/context_generator.h"

namespace ortc {

class GroupMember;

class SharingGroup : public std::enable_shared_from_this<SharingGroup> {
 public:
  SharingGroup() = default;
  ~SharingGroup();
  SharingGroup(const SharingGroup&) = delete;
  SharingGroup& operator=(const SharingGroup&) = delete;

  // What is known of a member before its model is read.
  struct Joining {
    std::string name;  // of the source, for messages
    OutputPlace place;
    OutputRules rules;
    bool embeds = false;
    bool hands_over_data = false;  // to the program's own function
    bool needs_result = false;     // the output is handed over when the compile ends
    bool closes = false;           // the group is published with this member
  };
  // INVALID_ARGUMENT, before any work, for what cannot be a member: another folder, an output that
  // another member has, contexts inside the model. FAIL when the group was given up or published.
  Result<std::unique_ptr<GroupMember>> join(Joining joining);

  // FAIL while a member is being compiled, and of a group that was given up, with the reason. A
  // group without members writes nothing.
  Status commit(Work& work, CompileReport& report);
  // Given up, unless it was published already. Members that are being compiled fail.
  void abort();

  bool is_open() const;
  size_t member_count() const;
  // {"schema": ..., "state": "open|published|given up", "reason", "members": [...], "files": [...],
  // "tensor_bytes", "stored_tensor_bytes"}
  std::string report_json() const;

 private:
  friend class GroupMember;
  enum class State { kOpen, kPublished, kGivenUp };
  struct Member {
    std::string name, output;
    bool is_file = false, is_done = false;
  };

  Status check_open() const;
  Status refuse(const Joining& joining) const;
  Status wait_turn(size_t member, const WaitLimits& limits);
  Result<ContextGenerator::Place> place_for(GroupMember& member);
  Status take(size_t member, PreparedModel model);
  Status close(Work& work, CompileReport& report);
  static Status reason_of(std::string_view member, const Status& reason);
  void give_up(Status reason);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kOpen;
  bool is_closing_ = false;  // a member that closes it has joined, or commit() is at work
  Status reason_;            // why it was given up
  bool is_publishing_ = false;
  std::shared_ptr<ContextSet> set_;  // used by the member whose turn it is
  std::vector<Member> members_;
  std::string binary_path_;
  std::vector<OutputSet::File> files_;
  uint64_t added_bytes_ = 0, stored_bytes_ = 0;
};

// One compile, from joining to its end. Destroyed without finish() or leave(), it fails the group.
class GroupMember {
 public:
  ~GroupMember();
  GroupMember(const GroupMember&) = delete;
  GroupMember& operator=(const GroupMember&) = delete;

  // Where a ContextGenerator puts the model.
  Result<ContextGenerator::Place> place() { return group_->place_for(*this); }
  // The model became no part of the set: nothing was compiled. Publishes when the member closes the
  // group.
  Status leave(Work& work, CompileReport& report);
  // Why the compile failed, for the others.
  void fail(const Status& reason);
  bool is_finished() const { return is_finished_; }

 private:
  friend class SharingGroup;
  GroupMember(std::shared_ptr<SharingGroup> group, size_t number, SharingGroup::Joining joining);
  Status give(PreparedModel model, Work& work, CompileReport& report);

  std::shared_ptr<SharingGroup> group_;
  size_t number_;  // among the members
  SharingGroup::Joining joining_;
  std::optional<size_t> model_;  // among the models of the output, once it has a place
  bool is_finished_ = false;
  Status unfinished_;  // for the others; made beforehand, since the destructor must not allocate
};

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Sharing groups: see the header.
#include "core/context/sharing/sharing_group.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "core/context/output/journal.h"
#include "core/platform/path.h"

namespace ortc {

SharingGroup::~SharingGroup() = default;

Status SharingGroup::check_open() const {
  if (state_ == State::kPublished) return fail("the sharing group was published already");
  if (state_ == State::kGivenUp) return reason_;
  return Status::ok();
}

Status SharingGroup::refuse(const Joining& joining) const {
  RETURN_IF_ERROR(check_open());
  if (is_closing_) return fail("the sharing group is being published: no model can join it");
  const auto wrong = [&](const auto&... parts) {
    return invalid_argument("'", joining.name, "' cannot join a sharing group: ", parts...);
  };
  if (joining.embeds) {
    return wrong(
        "its context would be inside the model (embed mode 1), expected the file that all ",
        "models of the group share");
  }
  if (joining.hands_over_data) {
    return not_implemented("'", joining.name, "' in a sharing group whose context data go to a ",
                           "function of the program");
  }
  if (joining.needs_result && !joining.closes) {
    return wrong(
        "its model or its initializers go to a buffer, which is there when the call returns, but ",
        "models of a group appear with the last one; use a file or a stream");
  }
  if (members_.empty()) return Status::ok();
  const Member& first = members_.front();
  const std::string folder = path_folder(first.output);
  if (real_path(folder) != real_path(joining.place.folder)) {
    return wrong("expected its output in the folder '", folder, "', where '", first.name,
                 "' goes, found '", joining.place.folder,
                 "'; a group ends with the model that has ep.stop_share_ep_contexts=1");
  }
  // Told now and not when all of them are compiled; files of initializers count too.
  if (members_.size() + 1 >= kJournalEntryLimit) {
    return wrong("it has ", members_.size(), " models, and a set of files has at most ",
                 kJournalEntryLimit, ", the context binary among them");
  }
  for (const Member& other : members_) {
    if (other.is_file && joining.place.is_file() && other.output == joining.place.model_path()) {
      return wrong("'", other.name, "' goes to '", other.output, "' already");
    }
  }
  return Status::ok();
}

Result<std::unique_ptr<GroupMember>> SharingGroup::join(Joining joining) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(refuse(joining));
  if (members_.empty()) binary_path_ = joining.place.model_path();
  // Memory that runs out leaves no member behind for whom others wait.
  Member known{joining.name, joining.place.model_path(), joining.place.is_file()};
  members_.reserve(members_.size() + 1);
  const bool closes = joining.closes;
  std::unique_ptr<GroupMember> member(
      new GroupMember(shared_from_this(), members_.size(), std::move(joining)));
  members_.push_back(std::move(known));
  is_closing_ = closes;
  return member;
}

// Again, when the model is read again: it has its place already.
Result<ContextGenerator::Place> SharingGroup::place_for(GroupMember& member) {
  // Now, while the bytes of a source in memory are there: the set asks for its files later too,
  // when other members come.
  (void)member.joining_.rules.source_files();
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  if (member.model_) {
    set_->output().expect_again(*member.model_);
  } else {
    const OutputPlace& output = member.joining_.place;
    const OutputRules& rules = member.joining_.rules;
    if (set_ == nullptr) {
      set_ = std::make_shared<ContextSet>(std::make_unique<OutputSet>(output, rules),
                                          /*is_shared=*/true);
      member.model_ = 0;
    } else {
      ASSIGN_OR_RETURN(member.model_, set_->output().add_model(output, rules));
    }
  }
  ContextGenerator::Place place;
  place.set = set_;
  place.model = *member.model_;
  place.model_path = member.joining_.place.model_path();
  place.binary_path = binary_path_;
  place.turn = [&member](Work& work) {
    return member.group_->wait_turn(member.number_, limits_of(work));
  };
  place.give = [&member](PreparedModel model, Work& work, CompileReport& report) {
    return member.give(std::move(model), work, report);
  };
  place.mutex = &mutex_;
  return place;
}

// Until all that joined before are done.
Status SharingGroup::wait_turn(size_t member, const WaitLimits& limits) {
  std::unique_lock lock(mutex_);
  for (;;) {
    RETURN_IF_ERROR(check_open());
    const bool is_turn = std::all_of(members_.begin(), members_.begin() + static_cast<long>(member),
                                     [](const Member& earlier) { return earlier.is_done; });
    if (is_turn) return Status::ok();
    changed_.wait_for(lock, std::chrono::milliseconds(20));
    lock.unlock();
    RETURN_IF_ERROR(limits.check());
    lock.lock();
  }
}

Status SharingGroup::take(size_t member, PreparedModel model) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  set_->output().let_go_of_source(model.number());
  set_->add(std::move(model));
  // It is still this member's turn.
  added_bytes_ = stored_bytes_ = 0;
  for (const auto& [provider, container] : set_->containers()) {
    added_bytes_ += container->added_bytes();
    stored_bytes_ += container->stored_bytes();
  }
  members_[member].is_done = true;
  changed_.notify_all();
  return Status::ok();
}

Status SharingGroup::reason_of(std::string_view member, const Status& reason) {
  return make_status(reason.code(), "the sharing group was given up, and nothing is written, ",
                     "because of '", member, "': ", reason.message());
}

void SharingGroup::give_up(Status reason) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kOpen || is_publishing_) return;
  state_ = State::kGivenUp;
  set_.reset();  // and what members have given so far
  reason_ = std::move(reason);
  changed_.notify_all();
}

// All members are done, and no other can join.
Status SharingGroup::close(Work& work, CompileReport& report) {
  {
    const std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(check_open());
    is_publishing_ = true;
  }
  Status published;
  if (set_ != nullptr && set_->model_count() != 0) published = set_->publish({}, work, report);
  const std::lock_guard lock(mutex_);
  state_ = published.is_ok() ? State::kPublished : State::kGivenUp;
  reason_ = published;
  if (set_ != nullptr) files_ = set_->output().files();
  set_.reset();
  changed_.notify_all();
  return published;
}

Status SharingGroup::commit(Work& work, CompileReport& report) {
  {
    const std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(check_open());
    if (is_closing_) return fail("the sharing group is being published already");
    for (const Member& member : members_) {
      if (member.is_done) continue;
      return fail("the sharing group cannot be published while '", member.name,
                  "' is being compiled");
    }
    is_closing_ = true;
  }
  return close(work, report);
}

void SharingGroup::abort() { give_up(reason_of("abort", fail("it was aborted"))); }

bool SharingGroup::is_open() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::kOpen && !is_closing_;
}

size_t SharingGroup::member_count() const {
  const std::lock_guard lock(mutex_);
  return members_.size();
}

std::string SharingGroup::report_json() const {
  const std::lock_guard lock(mutex_);
  JsonWriter json;
  json.begin_object().field("schema", "ortc.sharing_group/1");
  json.field("state", state_ == State::kOpen        ? "open"
                      : state_ == State::kPublished ? "published"
                                                    : "given up");
  if (state_ == State::kGivenUp) json.field("reason", reason_.message());
  json.key("members").begin_array();
  for (const Member& member : members_) {
    json.begin_object().field("model", member.name).field("output", member.output);
    json.field("is_compiled", member.is_done).end_object();
  }
  json.end_array().key("files").begin_array();
  for (const OutputSet::File& file : files_) {
    json.begin_object().field("path", file.path).field("bytes", file.bytes).end_object();
  }
  json.end_array();
  json.field("tensor_bytes", added_bytes_).field("stored_tensor_bytes", stored_bytes_);
  return json.end_object().text();
}

GroupMember::GroupMember(std::shared_ptr<SharingGroup> group, size_t number,
                         SharingGroup::Joining joining)
    : group_(std::move(group)),
      number_(number),
      joining_(std::move(joining)),
      unfinished_(
          SharingGroup::reason_of(joining_.name, ortc::fail("its compile was not finished"))) {}

GroupMember::~GroupMember() {
  if (!is_finished_) group_->give_up(std::move(unfinished_));
}

Status GroupMember::give(PreparedModel model, Work& work, CompileReport& report) {
  RETURN_IF_ERROR(group_->take(number_, std::move(model)));
  is_finished_ = true;
  return joining_.closes ? group_->close(work, report) : Status::ok();
}

Status GroupMember::leave(Work& work, CompileReport& report) {
  if (is_finished_) return Status::ok();
  if (joining_.closes) RETURN_IF_ERROR(group_->wait_turn(number_, limits_of(work)));
  {
    const std::lock_guard lock(group_->mutex_);
    group_->members_[number_].is_done = true;
    group_->changed_.notify_all();
  }
  is_finished_ = true;
  return joining_.closes ? group_->close(work, report) : Status::ok();
}

void GroupMember::fail(const Status& reason) {
  if (is_finished_) return;
  group_->give_up(SharingGroup::reason_of(joining_.name, reason));
  is_finished_ = true;
}

}  // namespace ortc

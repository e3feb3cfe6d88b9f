// SPDX-License-Identifier: MIT
// Profiles: see the header.
#include "core/session/runs/profiler.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

#include "core/base/json_writer.h"
#include "core/platform/clock.h"
#include "core/platform/machine/process.h"
#include "core/platform/path.h"
#include "core/platform/staged_write.h"

namespace ortc {
namespace {

constexpr size_t kEventsMax = 1000 * 1000;
constexpr int kWriteAttemptsMax = 8;

// How many numbers the types of `count` tensors take, and what follows them: see the header.
size_t types_end(std::span<const int64_t> numbers, size_t at, size_t count) {
  for (; count > 0; --count) at += 2 + static_cast<size_t>(numbers[at + 1]);
  return at;
}

uint32_t append_types(std::span<const ValueRef> tensors, std::vector<int64_t>& numbers) {
  uint32_t count = 0;
  for (const ValueRef& tensor : tensors) {
    if (!tensor.is_present()) continue;
    const auto dims = tensor.dims();
    numbers.push_back(static_cast<int64_t>(tensor.dtype));
    numbers.push_back(static_cast<int64_t>(dims.size()));
    numbers.insert(numbers.end(), dims.begin(), dims.end());
    ++count;
  }
  return count;
}

// [{"float":[1,4]},{"int64":[2]}]
void write_types(JsonWriter& json, std::span<const int64_t> numbers) {
  json.begin_array();
  for (size_t at = 0; at < numbers.size(); at = types_end(numbers, at, 1)) {
    const auto rank = static_cast<size_t>(numbers[at + 1]);
    json.begin_object().key(onnx_dtype_name(static_cast<DType>(numbers[at]))).begin_array();
    for (int64_t dim : numbers.subspan(at + 2, rank)) json.value(dim);
    json.end_array().end_object();
  }
  json.end_array();
}

// The names are ONNX Runtime's.
void write_use(JsonWriter& json, const ArenaUse& before, const ArenaUse& after) {
  const auto change = [](uint64_t from, uint64_t to) {
    return str_cat(static_cast<int64_t>(to) - static_cast<int64_t>(from));
  };
  json.field("mem_bytes_requested_in_use", str_cat(after.requested));
  json.field("mem_requested_in_use_delta", change(before.requested, after.requested));
  json.field("mem_bytes_in_use", str_cat(after.in_use));
  json.field("mem_in_use_delta", change(before.in_use, after.in_use));
  json.field("mem_in_use_peak", str_cat(after.peak));
  json.field("mem_arena_held", str_cat(after.held));
  json.field("mem_arena_held_delta", change(before.held, after.held));
}

uint64_t total_bytes(std::span<const ValueRef> tensors) {
  uint64_t bytes = 0;
  for (const ValueRef& tensor : tensors) {
    if (!tensor.is_present()) continue;
    bytes += dtype_bytes(tensor.dtype, static_cast<uint64_t>(tensor.element_count())).value_or(0);
  }
  return bytes;
}

std::string name_of(const std::string& name, bool is_step) {
  return is_step ? str_cat(name, "_kernel_time") : name;
}

// An event of a provider, as it gave it.
std::string trace_text(const ProfileEvent& event) {
  constexpr std::string_view kCategories[] = {"Session", "Node", "Kernel", "Api"};
  JsonWriter json;
  json.begin_object().field("cat", kCategories[static_cast<size_t>(event.category)]);
  json.field("pid", event.process).field("tid", event.thread);
  json.field("dur", event.duration_us).field("ts", event.begin_us);
  json.field("ph", "X").field("name", event.name).key("args").begin_object();
  for (const auto& [key, value] : event.args) json.field(key, value);
  json.end_object().end_object();
  return json.text();
}

// Two profiles of one process never get one name.
uint64_t next_start_ns() {
  constexpr uint64_t kMillisecond = 1000000;
  static std::atomic<uint64_t> last_ms{0};
  const auto now = static_cast<uint64_t>(wall_clock_ns());
  uint64_t last = last_ms.load();
  uint64_t mine = 0;
  do {
    mine = std::max(now / kMillisecond, last + 1);
  } while (!last_ms.compare_exchange_weak(last, mine));
  return std::max(now, mine * kMillisecond);
}

std::string file_name(const std::string& prefix, uint64_t time_ns) {
  const auto seconds = static_cast<std::time_t>(time_ns / 1000000000);
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[64];
  std::snprintf(text, sizeof text, "_%04d-%02d-%02d_%02d-%02d-%02d_%03d.json", local.tm_year + 1900,
                local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
                static_cast<int>(time_ns / 1000000 % 1000));
  return prefix + text;
}

}  // namespace

Result<std::shared_ptr<Profiler>> Profiler::start(const std::string& prefix, const Logger& logger) {
  std::shared_ptr<Profiler> profiler(new Profiler(logger));
  profiler->start_ns_ = next_start_ns();
  profiler->begin_ns_ = now_ns();
  profiler->path_ = file_name(prefix, profiler->start_ns_);
  const std::string folder = folder_of_target(profiler->path_);
  if (!path_is_directory(folder)) {
    return invalid_argument("cannot write the profile '", profiler->path_, "': the folder '",
                            folder, "' does not exist");
  }
  return profiler;
}

Profiler::~Profiler() {
  try {
    const auto ended = end();
    if (!ended.is_ok()) {
      ORTC_LOG(logger_, kError, "profiler", "the profile is lost: ", ended.status().to_string());
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): nobody is left to tell
  }
}

void Profiler::add_provider(std::unique_ptr<ProviderProfiler> provider) {
  if (provider == nullptr || !provider->start(now_ns() - begin_ns_)) return;
  providers_.push_back(std::move(provider));
}

uint64_t Profiler::id_of(int64_t begin_ns) const {
  return (start_ns_ + static_cast<uint64_t>(begin_ns - begin_ns_)) / 1000;
}

void Profiler::begin_event(int64_t begin_ns) {
  if (!is_on()) return;
  for (const auto& provider : providers_) provider->begin_event(id_of(begin_ns));
}

// Not under the lock: providers may be libraries.
void Profiler::tell(const Event& event) {
  if (providers_.empty()) return;
  ProfileEvent seen;
  seen.category = event.is_step ? ProfileCategory::kNode : ProfileCategory::kSession;
  seen.process = process_number();
  seen.thread = thread_number();
  seen.name = name_of(event.name, event.is_step);
  seen.begin_us = (event.begin_ns - begin_ns_) / 1000;
  seen.duration_us = (event.end_ns - event.begin_ns) / 1000;
  if (event.is_step) {
    seen.args = {{"op_name", event.op},
                 {"provider", event.provider},
                 {"node_index", str_cat(event.index)},
                 {"kernel", event.kernel},
                 {"depth", str_cat(event.depth)},
                 {"output_size", str_cat(event.output_bytes)}};
  }
  for (const auto& provider : providers_) provider->end_event(id_of(event.begin_ns), seen);
}

void Profiler::add(Event event) {
  event.thread = thread_number();
  const std::lock_guard lock(mutex_);
  if (!is_on()) return;
  if (events_.size() < kEventsMax) {
    events_.push_back(std::move(event));
  } else {
    ++dropped_;
  }
}

void Profiler::add_session_event(std::string_view name, int64_t begin_ns, int64_t end_ns) {
  if (!is_on()) return;
  Event event;
  event.name = name;
  event.begin_ns = begin_ns;
  event.end_ns = end_ns;
  add(std::move(event));
}

void Profiler::end_session_event(std::string_view name, int64_t begin_ns, int64_t end_ns) {
  if (!is_on()) return;
  Event event;
  event.name = name;
  event.begin_ns = begin_ns;
  event.end_ns = end_ns;
  tell(event);
  add(std::move(event));
}

void Profiler::add_step(const StepEvent& step) {
  if (!is_on()) return;
  Event event;
  event.is_step = true;
  event.name = step.name.empty() ? step.op : step.name;
  event.op = step.op;
  event.kernel = step.kernel;
  event.provider = step.provider;
  event.begin_ns = step.begin_ns;
  event.end_ns = step.end_ns;
  event.depth = step.depth;
  event.index = step.index;
  event.input_count = append_types(step.inputs, event.types);
  append_types(step.outputs, event.types);
  event.output_bytes = total_bytes(step.outputs);
  event.use_before = step.use_before;
  event.use_after = step.use_after;
  tell(event);
  add(std::move(event));
}

std::string Profiler::text_of(const Event& event) const {
  const int64_t duration_ns = event.end_ns - event.begin_ns;
  JsonWriter json;
  json.begin_object().field("cat", event.is_step ? "Node" : "Session");
  json.field("pid", process_number()).field("tid", event.thread);
  json.field("dur", duration_ns / 1000).field("ts", (event.begin_ns - begin_ns_) / 1000);
  json.field("ph", "X");
  json.field("name", name_of(event.name, event.is_step));
  json.key("args").begin_object();
  if (event.is_step) {
    const std::span<const int64_t> types = event.types;
    const size_t outputs = types_end(types, 0, event.input_count);
    json.field("op_name", event.op).field("provider", event.provider);
    json.field("node_index", str_cat(event.index)).field("kernel", event.kernel);
    json.field("depth", event.depth).key("input_type_shape");
    write_types(json, types.first(outputs));
    json.key("output_type_shape");
    write_types(json, types.subspan(outputs));
    json.field("output_size", str_cat(event.output_bytes));
    write_use(json, event.use_before, event.use_after);
  }
  json.field("duration_ns", str_cat(duration_ns));
  if (event.count != 0) json.field("count", str_cat(event.count));
  json.end_object().end_object();
  return json.text();
}

// Once: providers give what they have away. What is too much is dropped.
void Profiler::ask_providers() {
  if (std::exchange(has_asked_providers_, true)) return;
  const size_t room = kEventsMax - events_.size();
  for (const auto& provider : providers_) {
    for (ProfileEvent& event : provider->end()) {
      if (events_of_providers_.size() < room) {
        events_of_providers_.push_back(std::move(event));
      } else {
        ++dropped_;
      }
    }
  }
  if (dropped_ == 0) return;
  Event dropped;
  dropped.name = "events_dropped";
  dropped.begin_ns = dropped.end_ns = now_ns();
  dropped.thread = thread_number();
  dropped.count = dropped_;
  events_.push_back(std::move(dropped));
}

Status Profiler::write_events(StagedFile& file) const {
  RETURN_IF_ERROR(file.write(as_bytes("[\n")));
  const std::vector<ProfileEvent>& more = events_of_providers_;
  const size_t count = events_.size() + more.size();
  for (size_t i = 0; i < count; ++i) {
    const std::string text =
        i < events_.size() ? text_of(events_[i]) : trace_text(more[i - events_.size()]);
    RETURN_IF_ERROR(file.write(as_bytes(text)));
    RETURN_IF_ERROR(file.write(as_bytes(i + 1 < count ? ",\n" : "\n")));
  }
  return file.write(as_bytes("]\n"));
}

// Not under the folder's lock, which a compile may hold for long. Who gets the lock removes staged
// files, so this one has no name while it is written, and is written again when it was removed in
// the moment between its name and its last one.
Status Profiler::write() const {
  const std::string folder = folder_of_target(path_), name = path_file_name(path_);
  Status renamed;
  for (int attempt = 0; attempt < kWriteAttemptsMax; ++attempt) {
    ASSIGN_OR_RETURN(const auto file, StagedFile::create_unnamed(folder, name));
    RETURN_IF_ERROR(write_events(*file));
    RETURN_IF_ERROR(file->appear());
    RETURN_IF_ERROR(file->sync_and_close());
    renamed = rename_in_folder(folder, file->staged_name(), name);
    if (renamed.is_ok()) file->release();
    if (renamed.is_ok() || path_exists(file->staged_path())) break;
  }
  return renamed;
}

Result<std::string> Profiler::end() {
  const std::lock_guard ending(end_mutex_);
  if (has_ended_) return std::string();
  {
    const std::lock_guard lock(mutex_);
    is_on_ = false;
  }
  ask_providers();
  RETURN_IF_ERROR(write());
  has_ended_ = true;
  events_ = {};
  events_of_providers_ = {};
  return path_;
}

}  // namespace ortc

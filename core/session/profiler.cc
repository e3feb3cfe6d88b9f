// SPDX-License-Identifier: MIT
// Profiles: see the header.
#include "core/session/profiler.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "core/base/json_writer.h"
#include "core/context/output/transaction.h"
#include "core/platform/clock.h"
#include "core/platform/path.h"
#include "core/platform/process.h"

namespace ortc {
namespace {

constexpr size_t kEventsMax = 1000 * 1000;
constexpr int64_t kLockWaitNs = int64_t{30} * 1000 * 1000 * 1000;

// Element types as ONNX's type strings have them.
std::string_view onnx_name(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float";
    case DType::kFloat64:
      return "double";
    default:
      return dtype_name(dtype);
  }
}

// [{"float":[1,4]},{"int64":[2]}]
void write_types(JsonWriter& json, std::span<const ValueRef> tensors) {
  json.begin_array();
  for (const ValueRef& tensor : tensors) {
    if (!tensor.is_present()) continue;
    json.begin_object().key(onnx_name(tensor.dtype)).begin_array();
    for (int64_t dim : tensor.dims()) json.value(dim);
    json.end_array().end_object();
  }
  json.end_array();
}

uint64_t total_bytes(std::span<const ValueRef> tensors) {
  uint64_t bytes = 0;
  for (const ValueRef& tensor : tensors) {
    if (!tensor.is_present()) continue;
    bytes += dtype_bytes(tensor.dtype, static_cast<uint64_t>(tensor.element_count())).value_or(0);
  }
  return bytes;
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

Result<std::shared_ptr<Profiler>> Profiler::start(const std::string& prefix) {
  std::shared_ptr<Profiler> profiler(new Profiler());
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
  const auto ended = end();
  static_cast<void>(ended);  // nobody is left to tell
}

std::string Profiler::begin_event(std::string_view category, std::string_view name,
                                  int64_t begin_ns, int64_t end_ns) const {
  JsonWriter json;
  json.begin_object().field("cat", category);
  json.field("pid", process_number()).field("tid", thread_number());
  json.field("dur", (end_ns - begin_ns) / 1000).field("ts", (begin_ns - begin_ns_) / 1000);
  json.field("ph", "X").field("name", name).end_object();
  std::string text = json.text();
  text.pop_back();
  return text + ",\"args\":";
}

void Profiler::add(std::string event) {
  const std::lock_guard lock(mutex_);
  if (!is_on()) return;
  if (events_.size() < kEventsMax) {
    events_.push_back(std::move(event));
  } else {
    ++dropped_;
  }
}

void Profiler::add_session_event(std::string_view name, int64_t begin_ns, int64_t end_ns) {
  if (is_on()) add(begin_event("Session", name, begin_ns, end_ns) + "{}}");
}

void Profiler::add_step(const StepEvent& event) {
  if (!is_on()) return;
  JsonWriter args;
  args.begin_object().field("op_name", event.op).field("provider", event.provider);
  args.field("node_index", str_cat(event.index)).field("kernel", event.kernel);
  args.field("depth", event.depth);
  args.key("input_type_shape");
  write_types(args, event.inputs);
  args.key("output_type_shape");
  write_types(args, event.outputs);
  args.field("output_size", str_cat(total_bytes(event.outputs)));
  args.end_object();
  const std::string name = str_cat(event.name.empty() ? event.op : event.name, "_kernel_time");
  add(begin_event("Node", name, event.begin_ns, event.end_ns) + args.text() + "}");
}

Result<std::string> Profiler::end() {
  std::vector<std::string> events;
  {
    const std::lock_guard lock(mutex_);
    if (!is_on_.exchange(false)) return std::string();
    events.swap(events_);
  }
  if (dropped_ != 0) {
    events.push_back(begin_event("Session", "events_dropped", now_ns(), now_ns()) +
                     str_cat("{\"count\":\"", dropped_, "\"}}"));
  }
  // Under the folder's lock, because a writer of models removes staged files that nobody holds.
  const std::string folder = folder_of_target(path_), name = path_file_name(path_);
  WaitLimits limits;
  limits.deadline_ns = now_ns() + kLockWaitNs;
  ASSIGN_OR_RETURN(auto transaction, FileTransaction::begin(folder, name, limits));
  ASSIGN_OR_RETURN(StagedFile * file, transaction->stage(name));
  RETURN_IF_ERROR(file->write(as_bytes("[\n")));
  for (size_t i = 0; i < events.size(); ++i) {
    RETURN_IF_ERROR(file->write(as_bytes(events[i])));
    RETURN_IF_ERROR(file->write(as_bytes(i + 1 < events.size() ? ",\n" : "\n")));
  }
  RETURN_IF_ERROR(file->write(as_bytes("]\n")));
  RETURN_IF_ERROR(transaction->commit(/*replace=*/true, ""));
  return path_;
}

}  // namespace ortc

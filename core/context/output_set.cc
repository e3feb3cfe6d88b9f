// SPDX-License-Identifier: MIT
// The output set: see the header. What is written is the transaction's; here stands what may be
// written, and in which order.
#include "core/context/output_set.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/context/file_readers.h"
#include "core/context/transaction.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

constexpr std::string_view kStreamedName = "model_ctx.onnx";

// What is found in place of a folder, above a file that would go beneath it.
Status check_folders_of(const std::string& folder, const std::string& name) {
  for (size_t slash = name.find('/'); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    const std::string part = name.substr(0, slash);
    ASSIGN_OR_RETURN(const FileKind kind, file_kind(folder, part));
    if (kind == FileKind::kNone) return Status::ok();
    if (kind == FileKind::kFolder) continue;
    return fail("cannot write '", path_join(folder, name), "': expected '", path_join(folder, part),
                "' to be a folder, found something else");
  }
  return Status::ok();
}

// The folders that a link leads through; none when `path` is not a link.
std::vector<std::string> folders_behind_link(std::string path) {
  constexpr size_t kLinksMax = 40;  // as the operating system has it
  std::vector<std::string> folders;
  while (folders.size() < kLinksMax && !(path = link_target(path)).empty()) {
    folders.push_back(folder_of_target(path));
  }
  return folders;
}

}  // namespace

OutputPlace OutputPlace::file(const std::string& model_path) {
  return {folder_of_target(model_path), path_file_name(model_path), std::nullopt};
}

OutputPlace OutputPlace::streamed(ModelStream stream, std::string folder, std::string model_name) {
  if (model_name.empty()) model_name = kStreamedName;
  if (path_extension(model_name).empty()) model_name += ".onnx";
  return {std::move(folder), std::move(model_name), std::move(stream)};
}

std::string OutputPlace::model_path() const { return path_join(folder, model_name); }

OutputSet::OutputSet(OutputPlace place, OutputRules rules)
    : place_(std::move(place)), rules_(std::move(rules)) {}

OutputSet::~OutputSet() = default;

Result<std::optional<SourceIdentity>> OutputSet::source_identity() const {
  const std::optional<SourceIdentity> none;
  if (rules_.source_path.empty()) {
    if (rules_.source_bytes.empty()) return none;
    return std::optional(SourceIdentity::of_bytes(rules_.source_bytes, rules_.source_folder));
  }
  ASSIGN_OR_RETURN(auto identity,
                   SourceIdentity::of_file(rules_.source_path, rules_.source_folder));
  return std::optional(std::move(identity));
}

Status OutputSet::expect(const std::string& name) {
  if (place_.folder.empty()) {
    return invalid_argument(
        "a model that is compiled to memory keeps its context in a file: say where with "
        "OrtModelCompilationOptions_SetEpContextBinaryInformation(), or put it into the model with "
        "OrtModelCompilationOptions_SetEpContextEmbedMode()");
  }
  if (const std::string_view fault = fault_of_final_path(name); !fault.empty()) {
    return invalid_argument("expected the name of a file in the folder '", place_.folder,
                            "' or beneath it, found ", fault, ": '", name, "'");
  }
  const auto collides = [&](const std::string& other) { return paths_collide(name, other); };
  const auto other = std::find_if(names_.begin(), names_.end(), collides);
  if (other != names_.end() || (place_.is_file() && collides(place_.model_name))) {
    return invalid_argument("two files of one output cannot be called '", name, "' and '",
                            other != names_.end() ? *other : place_.model_name, "'");
  }
  names_.push_back(name);
  return Status::ok();
}

Status OutputSet::check() const {
  if (!has_files()) return Status::ok();
  RETURN_IF_ERROR(check_folder());
  if (place_.is_file()) RETURN_IF_ERROR(check_name(place_.model_name));
  for (const std::string& name : names_) {
    RETURN_IF_ERROR(check_folders_of(place_.folder, name));
    RETURN_IF_ERROR(check_name(name));
  }
  return Status::ok();
}

Status OutputSet::check_folder() const {
  const std::string& folder = place_.folder;
  if (!path_exists(folder)) {
    return fail("cannot write '", place_.model_path(), "': the folder '", folder,
                "' does not exist");
  }
  if (!path_is_directory(folder)) {
    return fail("cannot write '", place_.model_path(), "': '", folder, "' is not a folder");
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return fail("cannot write '", place_.model_path(), "': the folder '", folder,
                "' does not let this user make files");
  }
  return Status::ok();
}

Status OutputSet::check_name(const std::string& name) const {
  ASSIGN_OR_RETURN(const FileKind kind, file_kind(place_.folder, name));
  if (kind == FileKind::kNone) return Status::ok();
  const std::string path = path_join(place_.folder, name);
  if (kind == FileKind::kFolder) return fail("cannot write '", path, "': it is a folder");
  // Before anything else is said of the file: no permission helps here.
  const ModelFiles source = rules_.source_path.empty()
                                ? ModelFiles::of_bytes(rules_.source_bytes, rules_.source_folder)
                                : ModelFiles::of_file(rules_.source_path);
  if (source.is(path)) {
    return fail("cannot write '", path, "': it is the source model; choose another output");
  }
  const bool reads_elsewhere = !rules_.source_path.empty() && !rules_.source_folder.empty();
  if (source.read(path) ||
      (reads_elsewhere && ModelFiles{{}, {rules_.source_folder}, source.names}.read(path))) {
    return fail("cannot write '", path, "': the source model reads it; choose another name");
  }
  if (!rules_.overwrite) return fail("output file '", path, "' exists already");
  return rules_.replace_shared ? Status::ok() : check_readers(name);
}

// Models beside the set, and beside the file where that is another folder.
Status OutputSet::check_readers(const std::string& name) const {
  const std::string path = path_join(place_.folder, name);
  std::vector<std::string> folders = {place_.folder};
  for (size_t slash = name.find('/'); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    folders.push_back(path_join(place_.folder, name.substr(0, slash)));
  }
  for (const std::string& folder : folders) {
    const bool has_own_model = place_.is_file() && folder == place_.folder;
    const std::string other =
        other_reader_of(path, folder, has_own_model ? place_.model_name : std::string());
    if (other.empty()) continue;
    return fail("cannot write '", path, "': it belongs to the model '", path_join(folder, other),
                "' too; choose another name for the output, remove that model, or allow shared "
                "files to be replaced");
  }
  return Status::ok();
}

Status OutputSet::begin(const WaitLimits& limits) {
  if (!has_files()) return limits.check();
  RETURN_IF_ERROR(check_folder());
  RETURN_IF_ERROR(complete_behind_links(limits));
  ASSIGN_OR_RETURN(transaction_, FileTransaction::begin(
                                     place_.folder,
                                     place_.is_file() ? place_.model_name : std::string(), limits));
  return check();
}

// Who reads the file behind a link is told by comparing files, so it must stand at its name. Before
// this set has its own lock: nobody holds two.
Status OutputSet::complete_behind_links(const WaitLimits& limits) const {
  std::vector<std::string> names = names_;
  if (place_.is_file()) names.push_back(place_.model_name);
  for (const std::string& name : names) {
    const std::string path = path_join(place_.folder, name);
    for (const std::string& folder : folders_behind_link(path)) {
      RETURN_IF_ERROR_WHILE(FileTransaction::complete_earlier(folder, limits),
                            "while completing what was written where '", path, "' leads to");
    }
  }
  return Status::ok();
}

Result<StagedFile*> OutputSet::stage(const std::string& name) {
  if (transaction_ == nullptr || std::find(names_.begin(), names_.end(), name) == names_.end()) {
    return invalid_argument("the output has no file '", name, "'");
  }
  ASSIGN_OR_RETURN(StagedFile * file, transaction_->stage(name));
  staged_.emplace_back(name, file);
  return file;
}

Status OutputSet::write_model(uint64_t size,
                              const std::function<Status(const ByteSink&)>& produce) {
  if (!place_.is_file()) return stream_model(size, produce);
  if (transaction_ == nullptr) return invalid_argument("the output was not begun");
  ASSIGN_OR_RETURN(StagedFile * file, transaction_->stage(place_.model_name));
  staged_.emplace_back(place_.model_name, file);
  RETURN_IF_ERROR_WHILE(produce([&](Bytes bytes) { return file->write(bytes); }), "writing '",
                        place_.model_path(), "'");
  return Status::ok();
}

// Whatever can still fail about the files has not failed when the program sees the first byte.
Status OutputSet::stream_model(uint64_t size,
                               const std::function<Status(const ByteSink&)>& produce) {
  if (transaction_ != nullptr) RETURN_IF_ERROR(transaction_->seal());
  if (place_.stream->begin) RETURN_IF_ERROR(place_.stream->begin(size));
  uint64_t written = 0;
  RETURN_IF_ERROR(produce([&](Bytes bytes) -> Status {
    written += bytes.size();
    if (written > size) return fail("the model takes more than the ", size, " bytes announced");
    while (!bytes.empty()) {
      const size_t count = std::min(bytes.size(), kStreamPieceMax);
      RETURN_IF_ERROR(place_.stream->write(bytes.first(count)));
      bytes = bytes.subspan(count);
    }
    return Status::ok();
  }));
  if (written == size) return Status::ok();
  return fail("the model takes ", written, " bytes, ", size, " were announced");
}

Status OutputSet::commit(const std::string& generation) {
  if (transaction_ == nullptr || staged_.empty()) return Status::ok();
  std::vector<File> files;
  files.reserve(staged_.size());
  for (const auto& [name, file] : staged_) {
    files.push_back({path_join(place_.folder, name), file->size()});
  }
  RETURN_IF_ERROR(transaction_->commit(rules_.overwrite, generation));
  files_ = std::move(files);
  transaction_.reset();  // the lock
  return Status::ok();
}

}  // namespace ortc

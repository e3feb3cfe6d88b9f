// SPDX-License-Identifier: MIT
// The output set: see the header. What is written is the transaction's; here stands what may be
// written, and in which order.
#include "core/context/output/output_set.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/context/file_readers.h"
#include "core/context/output/transaction.h"
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

const ModelFiles& OutputRules::source_files() {
  if (!source_files_) {
    source_files_ = source_path.empty() ? ModelFiles::of_bytes(source_bytes, source_folder)
                                        : ModelFiles::of_file(source_path);
    // What its names are relative to may be said besides.
    if (!source_path.empty() && !source_folder.empty()) {
      source_files_->folders.push_back(source_folder);
    }
  }
  return *source_files_;
}

Result<std::optional<SourceIdentity>> OutputRules::source_identity(
    const std::optional<FileIdentity>& read) const {
  const std::optional<SourceIdentity> none;
  if (source_path.empty()) {
    if (source_bytes.empty()) return none;
    return std::optional(SourceIdentity::of_bytes(source_bytes, source_folder));
  }
  ASSIGN_OR_RETURN(const auto map, FileMap::open(source_path));
  if (read && !is_same_content(*read, map->identity())) {
    return fail("'", source_path, "' was written while it was compiled; compile it again");
  }
  return std::optional(SourceIdentity::of_map(*map, source_path, source_folder));
}

OutputSet::OutputSet(OutputPlace place, OutputRules rules) {
  models_.push_back({std::move(place), std::move(rules)});
}

OutputSet::~OutputSet() = default;

Result<size_t> OutputSet::add_model(OutputPlace place, OutputRules rules) {
  if (real_path(place.folder) != real_path(folder())) {
    return invalid_argument("models that share a context binary go to one folder: expected '",
                            folder(), "' for '", place.model_name, "', found '", place.folder, "'");
  }
  for (const OutputModel& other : models_) {
    if (place.is_file() && other.place.is_file() && place.model_name == other.place.model_name) {
      return invalid_argument("two models of one output cannot be called '", place.model_path(),
                              "'");
    }
  }
  models_.push_back({std::move(place), std::move(rules)});
  return models_.size() - 1;
}

bool OutputSet::has_files() const {
  return !expected_.empty() || std::any_of(models_.begin(), models_.end(),
                                           [](const auto& model) { return model.place.is_file(); });
}

std::set<std::string> OutputSet::model_names() const {
  std::set<std::string> names;
  for (const OutputModel& model : models_) {
    if (model.place.is_file()) names.insert(model.place.model_name);
  }
  return names;
}

// The journal is named after it; "": after the first file that is staged.
std::string OutputSet::primary() const {
  for (const OutputModel& model : models_) {
    if (model.place.is_file()) return model.place.model_name;
  }
  return {};
}

bool OutputSet::may_overwrite() const {
  return std::all_of(models_.begin(), models_.end(),
                     [](const auto& model) { return model.rules.overwrite; });
}

void OutputSet::let_go_of_source(size_t model) {
  models_[model].rules.source_files();
  models_[model].rules.source_bytes = {};
}

Status OutputSet::expect(const std::string& name, std::optional<size_t> model) {
  if (folder().empty()) {
    return invalid_argument(
        "a model that is compiled from memory to memory keeps its context in a file: say where "
        "with OrtModelCompilationOptions_SetEpContextBinaryInformation() or "
        "ep.context_file_path, or put it into the model with "
        "OrtModelCompilationOptions_SetEpContextEmbedMode()");
  }
  if (const std::string_view fault = fault_of_final_path(name); !fault.empty()) {
    return invalid_argument("expected the name of a file in the folder '", folder(),
                            "' or beneath it, found ", fault, ": '", name, "'");
  }
  std::set<std::string> others = model_names();
  for (const Expected& file : expected_) others.insert(file.name);
  for (const std::string& other : others) {
    if (!paths_collide(name, other)) continue;
    return invalid_argument("two files of one output cannot be called '", name, "' and '", other,
                            "'");
  }
  expected_.push_back({name, model});
  return Status::ok();
}

void OutputSet::expect_again(size_t model) {
  std::erase_if(expected_, [&](const Expected& file) { return file.model == model; });
}

Status OutputSet::check(bool may_grow) {
  if (!has_files()) return Status::ok();
  RETURN_IF_ERROR(check_folder());
  for (const OutputModel& model : models_) {
    if (!model.place.is_file()) continue;
    RETURN_IF_ERROR(check_name(model.place.model_name, model.rules, may_grow));
  }
  for (const auto& [name, model] : expected_) {
    RETURN_IF_ERROR(check_folders_of(folder(), name));
    RETURN_IF_ERROR(check_name(name, models_.front().rules, may_grow));
  }
  return Status::ok();
}

Status OutputSet::check_folder() const {
  const std::string& folder = this->folder();
  const std::string model_path = place().model_path();
  if (!path_exists(folder)) {
    return fail("cannot write '", model_path, "': the folder '", folder, "' does not exist");
  }
  if (!path_is_directory(folder)) {
    return fail("cannot write '", model_path, "': '", folder, "' is not a folder");
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return fail("cannot write '", model_path, "': the folder '", folder,
                "' does not let this user make files");
  }
  return Status::ok();
}

Status OutputSet::check_name(const std::string& name, const OutputRules& rules, bool may_grow) {
  ASSIGN_OR_RETURN(const FileKind kind, file_kind(folder(), name));
  if (kind == FileKind::kNone) return Status::ok();
  const std::string path = path_join(folder(), name);
  if (kind == FileKind::kFolder) return fail("cannot write '", path, "': it is a folder");
  // Before anything else is said of the file: no permission helps here.
  RETURN_IF_ERROR(check_sources(path));
  if (!rules.overwrite || !may_overwrite()) {
    return fail("output file '", path, "' exists already");
  }
  return rules.replace_shared || may_grow ? Status::ok() : check_readers(name);
}

Status OutputSet::check_sources(const std::string& path) {
  for (OutputModel& model : models_) {
    const ModelFiles& source = model.rules.source_files();
    if (source.is(path)) {
      return fail("cannot write '", path, "': it is the source model; choose another output");
    }
    if (source.read(path)) {
      return fail("cannot write '", path, "': the source model reads it; choose another name");
    }
  }
  return Status::ok();
}

// Models beside the set, and beside the file where that is another folder.
Status OutputSet::check_readers(const std::string& name) const {
  const std::string path = path_join(folder(), name);
  std::vector<std::string> folders = {folder()};
  for (size_t slash = name.find('/'); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    folders.push_back(path_join(folder(), name.substr(0, slash)));
  }
  for (const std::string& folder : folders) {
    const bool has_own_models = folder == folders.front();
    const std::string other =
        other_reader_of(path, folder, has_own_models ? model_names() : std::set<std::string>());
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
  ASSIGN_OR_RETURN(transaction_, FileTransaction::begin(folder(), primary(), limits));
  for (const std::string& name : model_names()) {
    if (name != primary()) transaction_->add_primary(name);
  }
  return check();
}

// Who reads the file behind a link is told by comparing files, so it must stand at its name. Before
// this set has its own lock: nobody holds two.
Status OutputSet::complete_behind_links(const WaitLimits& limits) const {
  std::vector<std::string> names;
  for (const Expected& file : expected_) names.push_back(file.name);
  for (const std::string& name : model_names()) names.push_back(name);
  for (const std::string& name : names) {
    const std::string path = path_join(folder(), name);
    for (const std::string& folder : folders_behind_link(path)) {
      RETURN_IF_ERROR_WHILE(FileTransaction::complete_earlier(folder, limits),
                            "while completing what was written where '", path, "' leads to");
    }
  }
  return Status::ok();
}

Result<StagedFile*> OutputSet::stage(const std::string& name) { return stage(name, nullptr); }

Result<StagedFile*> OutputSet::stage(const std::string& name, std::unique_ptr<StagedFile> file) {
  const bool is_expected = std::any_of(expected_.begin(), expected_.end(),
                                       [&](const Expected& file) { return file.name == name; });
  if (transaction_ == nullptr || !is_expected) {
    return invalid_argument("the output has no file '", name, "'");
  }
  ASSIGN_OR_RETURN(StagedFile * staged, file == nullptr
                                            ? transaction_->stage(name)
                                            : transaction_->stage(name, std::move(file)));
  staged_.emplace_back(name, staged);
  return staged;
}

Status OutputSet::write_model(size_t model, uint64_t size, const Produce& produce) {
  const OutputPlace& place = models_[model].place;
  if (!place.is_file()) return stream_model(*place.stream, size, produce);
  if (transaction_ == nullptr) return invalid_argument("the output was not begun");
  ASSIGN_OR_RETURN(StagedFile * file, transaction_->stage(place.model_name));
  staged_.emplace_back(place.model_name, file);
  RETURN_IF_ERROR_WHILE(produce([&](Bytes bytes) { return file->write(bytes); }), "writing '",
                        place.model_path(), "'");
  return Status::ok();
}

// Whatever can still fail about the files has not failed when the program sees the first byte.
Status OutputSet::stream_model(const ModelStream& stream, uint64_t size, const Produce& produce) {
  if (transaction_ != nullptr) RETURN_IF_ERROR(transaction_->seal());
  if (stream.begin) RETURN_IF_ERROR(stream.begin(size));
  uint64_t written = 0;
  RETURN_IF_ERROR(produce([&](Bytes bytes) -> Status {
    written += bytes.size();
    if (written > size) return fail("the model takes more than the ", size, " bytes announced");
    while (!bytes.empty()) {
      const size_t count = std::min(bytes.size(), kStreamPieceMax);
      RETURN_IF_ERROR(stream.write(bytes.first(count)));
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
    files.push_back({path_join(folder(), name), file->size()});
  }
  RETURN_IF_ERROR(transaction_->commit(may_overwrite(), generation));
  files_ = std::move(files);
  transaction_.reset();  // the lock
  return Status::ok();
}

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Compiling to memory: see the header.
#include "core/api/model/compile_to_memory.h"

#include <filesystem>
#include <random>

#include "core/platform/file.h"

namespace ortc::api {
namespace {

namespace fs = std::filesystem;

// Names in models are UTF-8 whatever the system's paths are made of.
fs::path native(const std::string& path) {
  return fs::path(std::u8string(path.begin(), path.end()));
}
std::string text_of(const fs::path& path) {
  const std::u8string text = path.u8string();
  return std::string(text.begin(), text.end());
}

// A new, empty folder, removed with everything in it at the end.
class WorkFolder {
 public:
  static Result<std::unique_ptr<WorkFolder>> create(const fs::path& parent) {
    std::random_device random;
    std::error_code error;
    for (int attempt = 0; attempt < 100; ++attempt) {
      const fs::path path = parent / str_cat(".ortc-", random(), "-", random());
      if (fs::create_directory(path, error)) {
        auto folder = std::make_unique<WorkFolder>();
        folder->path_ = path;
        return folder;
      }
      if (error) break;
    }
    return fail("cannot make a folder in '", text_of(parent), "': ", error.message());
  }
  WorkFolder() = default;
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string model_name(const CompileOptions& options) {
  std::string name = options.output_binary_model_name;
  if (name.empty()) return "model_ctx.onnx";
  return path_extension(name).empty() ? name + ".onnx" : name;
}

// Everything is looked at before the first file is moved.
Status move_files(std::vector<FileReport>& files, const std::string& model, const fs::path& target,
                  const CompileOptions& options) {
  std::erase_if(files, [&](const FileReport& file) { return file.path == model; });
  if (files.empty()) return {};
  if (options.output_binary_folder.empty()) {
    return invalid_argument(
        "a model that is compiled to memory keeps its context in a file: say where with "
        "OrtModelCompilationOptions_SetEpContextBinaryInformation(), or put it into the model with "
        "OrtModelCompilationOptions_SetEpContextEmbedMode()");
  }
  for (const FileReport& file : files) {
    const fs::path place = target / native(file.path).filename();
    if ((options.flags & kErrorIfOutputExists) != 0 && fs::exists(place)) {
      return fail("output file '", text_of(place), "' exists already");
    }
    if (fs::is_directory(place)) return fail("'", text_of(place), "' is a folder");
  }
  for (FileReport& file : files) {
    const fs::path place = target / native(file.path).filename();
    std::error_code error;
    fs::rename(native(file.path), place, error);
    if (error) return fail("cannot write '", text_of(place), "': ", error.message());
    file.path = text_of(place);
  }
  return {};
}

}  // namespace

Result<CompiledModel> compile_to_memory(std::shared_ptr<const Environment> environment,
                                        CompileOptions options, const Progress& progress) {
  const bool has_folder = !options.output_binary_folder.empty();
  if (has_folder && !path_is_directory(options.output_binary_folder)) {
    return fail("the folder '", options.output_binary_folder,
                "' for the context binary does not exist");
  }
  const fs::path target =
      has_folder ? native(options.output_binary_folder) : fs::temp_directory_path();
  ASSIGN_OR_RETURN(const auto work, WorkFolder::create(target));
  options.output_path = text_of(work->path() / native(model_name(options)).filename());

  CompiledModel compiled;
  ASSIGN_OR_RETURN(compiled.report, compile_model(std::move(environment), options, progress));
  {
    ASSIGN_OR_RETURN(const auto file, FileMap::open(options.output_path, Access::kRead));
    compiled.bytes = as_text(file->bytes());
  }
  RETURN_IF_ERROR(move_files(compiled.report.files, options.output_path, target, options));
  return compiled;
}

}  // namespace ortc::api

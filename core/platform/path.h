// SPDX-License-Identifier: MIT
// Paths, in UTF-8: text operations, and questions to the file system that open nothing for long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ortc {

bool path_exists(const std::string& path);
bool path_is_directory(const std::string& path);
bool path_is_symlink(const std::string& path);
// The file that `path` really is, all links resolved; `path` itself when that fails.
std::string real_path(const std::string& path);
// The same of a path whose last parts need not be there yet; those are taken as they are written.
std::string real_path_to_be(const std::string& path);
// Where the link at `path` leads, one step, whether or not something is there; "" when it is none.
std::string link_target(const std::string& path);
Result<std::vector<std::string>> list_folder(const std::string& path);  // plain names, sorted

// Text operations on paths; no file system involved.
std::string path_folder(std::string_view path);     // "a/b.onnx" -> "a", "b.onnx" -> ""
std::string path_file_name(std::string_view path);  // "a/b.onnx" -> "b.onnx"
std::string path_extension(std::string_view path);  // "a/b.onnx" -> ".onnx", "a.b/c" -> ""
std::string path_stem(std::string_view path);       // "a/b.onnx" -> "b"
std::string path_join(std::string_view folder, std::string_view name);

}  // namespace ortc

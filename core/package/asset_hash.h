// SPDX-License-Identifier: MIT
// What a shared asset is called: the SHA-256 of a text that has, for each file of the folder, its
// own SHA-256 in hexadecimal digits, two spaces, its name with '/' between folders, and a newline;
// sorted by name. Empty folders do not count.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/platform/file_map.h"

namespace ortc {

// 64 digits. As FileMap::open().
Result<std::string> sha256_of_file(const std::string& path);

// The files of a folder and of those in it, as names beneath it, sorted. INVALID_GRAPH for links
// and for what is neither file nor folder; for more than 100,000 files, or 64 folders deep.
Result<std::vector<std::string>> files_beneath(const std::string& folder);

// Names beneath a folder with the digits of each file, sorted by name.
using FileDigits = std::vector<std::pair<std::string, std::string>>;
std::string asset_uri_of(const FileDigits& files);
Result<std::string> asset_uri_of_folder(const std::string& folder);

}  // namespace ortc

// SPDX-License-Identifier: MIT
// What the tests of the virtual NPU share: the sample library, folders, sessions from files.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <numeric>
#include <set>
#include <string>

#include "tests/api/plugin/plugin_testing.h"

namespace ortc::test {

inline constexpr char kNpuEp[] = "VirtualNpuExecutionProvider";

inline Env env_with_npu(const std::string& name = "npu.virtual") {
  Env env = quiet_env();
  CHECK(add_library(env, name, ORTC_NPU_LIBRARY).is_ok());
  return env;
}

// A folder that was not there, with a slash behind.
inline std::string folder_of(const std::string& name) {
  const std::string folder = temp_dir() + "/" + name;
  CHECK_EQ(mkdir(folder.c_str(), 0700), 0);
  return folder + "/";
}

// Its files, with what changes when one is written again.
inline std::string files_of(const std::string& folder) {
  std::set<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    struct stat found = {};
    CHECK_EQ(stat(entry.path().c_str(), &found), 0);
    lines.insert(entry.path().filename().string() + " " + std::to_string(found.st_ino) + " " +
                 std::to_string(found.st_mtim.tv_sec) + " " +
                 std::to_string(found.st_mtim.tv_nsec) + "\n");
  }
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

inline Outcome load(const Env& env, const std::string& path, const Options& options,
                    OwnSession* session) {
  OrtSession* made = nullptr;
  Outcome outcome(OrtCreateSession(env.get(), path.c_str(), options.get(), &made));
  session->reset(made);
  return outcome;
}

}  // namespace ortc::test

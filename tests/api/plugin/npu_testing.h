// SPDX-License-Identifier: MIT
// What the tests of the virtual NPU share: the sample library, folders, sessions from files.
#pragma once

#include <sys/stat.h>

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

inline Outcome load(const Env& env, const std::string& path, const Options& options,
                    OwnSession* session) {
  OrtSession* made = nullptr;
  Outcome outcome(OrtCreateSession(env.get(), path.c_str(), options.get(), &made));
  session->reset(made);
  return outcome;
}

}  // namespace ortc::test

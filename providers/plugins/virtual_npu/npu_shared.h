// SPDX-License-Identifier: MIT
// One binary for several models, in which equal constants stand once:
//
//   "VNPS" version  tensors  programs (name, bytes)
//
// Models that are compiled one after another with ep.share_ep_contexts=1 add their programs to a
// workspace of the library; the one with ep.stop_share_ep_contexts=1 has it written. Sessions that
// are loaded with ep.share_ep_contexts=1 find in the workspace what another has in memory.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "npu_program.h"

namespace virtual_npu {

inline constexpr uint32_t kSharedVersion = 1;

class SharedBinary {
 public:
  static SharedBinary from_bytes(std::string_view bytes);
  std::string to_bytes() const;
  // std::invalid_argument for another program of the same name.
  void add(const std::string& name, const Program& program);
  // Its constants are those of the binary. std::invalid_argument when it is not there.
  Program program(const std::string& name) const;

 private:
  TensorTable tensors_;
  std::map<std::string, std::string> programs_;
};

// A program that is all of `bytes`, or one of a shared binary.
Program program_in(const std::string& bytes, const std::string& name);

// How many shared binaries were read, for tests.
int binaries_read();

// With the slash; "": the current one.
std::string folder_of(const std::string& path);

// Any number of sessions at once.
class Workspace {
 public:
  // Compiling: adds a program to the binary of the folder's group, which has the name of the first
  // model. Gives the name.
  std::string add(const std::string& model_path, const std::string& name, const Program& program);
  struct Written {
    std::string name, bytes;  // nothing: there is nothing new to write
  };
  Written take(const std::string& folder);
  // The next model of the folder is the first of another group.
  void end(const std::string& folder);

  // Loading: the binary that lies at `path`, read by the first who asks while nobody has it.
  // It stays as long as somebody has it.
  std::shared_ptr<const SharedBinary> find(const std::string& path,
                                           const std::function<std::string()>& read);

 private:
  struct Group {
    std::string name;
    SharedBinary binary;
    bool is_written = false;
  };
  std::mutex mutex_;
  std::map<std::string, Group> groups_;                              // that are open, by folder
  std::map<std::string, std::weak_ptr<const SharedBinary>> loaded_;  // by file
};

}  // namespace virtual_npu

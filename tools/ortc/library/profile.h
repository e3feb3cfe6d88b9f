// SPDX-License-Identifier: MIT
// The profile of a session as a file: the library chooses names for those it writes, one for each
// session; they stay in a folder of their own until the one that was asked for is moved.
#pragma once

#include <optional>
#include <string>

#include "tools/ortc/library/api.h"
#include "tools/ortc/output/scratch_folder.h"

namespace ortc::tool {

// Ends the session's profile, and says where the library wrote it.
std::string end_profile(OrtSession* session);

class ProfileFile {
 public:
  // Where there is a --profile, it becomes what the library is told. Throws when no file can be
  // made there.
  explicit ProfileFile(SessionArguments& arguments);
  // Puts the session's profile where --profile says.
  void finish(OrtSession* session) const;

 private:
  const std::string path_;  // "": none
  std::optional<ScratchFolder> folder_;
};

}  // namespace ortc::tool

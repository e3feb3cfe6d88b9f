// SPDX-License-Identifier: MIT
// Values of a run: described for people and programs, and written as .npy files.
#pragma once

#include <set>
#include <string>

#include "tools/ortc/library/api.h"
#include "tools/ortc/output/json.h"

namespace ortc::tool {

class ValueReports {
 public:
  // `folder` is made; "": nothing is written.
  explicit ValueReports(const std::string& folder);

  // {"name", "type", "shape", "min", "max", "mean", "non_finite_count", "file"}, as far as they are
  // known, and the file.
  Json add(const Port& port, const OrtValue* value);

 private:
  std::string file_name_for(const std::string& name);

  std::string folder_;
  std::set<std::string> taken_;  // without ".npy"
};

// A table of such objects; the names are headed `head`.
std::string value_table(const char* head, const Json& reports);

}  // namespace ortc::tool

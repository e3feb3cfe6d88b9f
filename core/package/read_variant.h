// SPDX-License-Identifier: MIT
// Inside the reading of packages: one variant, and questions to JSON that manifests, components and
// variants share. Failures are INVALID_GRAPH and name the member, not the file.
#pragma once

#include <span>
#include <string>

#include "core/package/json_tree.h"
#include "core/package/package.h"

namespace ortc {

// The JSON files of one package. Any number of variants may name one file, so the bound is of what
// is read, each time it is.
class JsonFiles {
 public:
  explicit JsonFiles(const PackagePaths& paths) : paths_(paths) {}
  // `place` is a path that was resolved. Notes name the file.
  Result<JsonTree> read(const std::string& place);

 private:
  const PackagePaths& paths_;
  size_t bytes_left_ = kPackageJsonBytesMax;
};

Status expect_object(const JsonTree& value, std::string_view what);
Status expect_text(const JsonTree& value, std::string_view what);
// `out` stays as it is when there is no such member.
Status read_optional_text(const JsonTree& object, std::string_view name, std::string& out);
// A package of a later minor version may have more members: then `is_strict` is false.
Status check_keys(const JsonTree& object, std::span<const std::string_view> known, bool is_strict);

// `folder`: that of the component, from which the variant's own is seen. The assets of `package`
// are there.
Result<PackageVariant> read_variant(const Package& package, JsonFiles& files,
                                    const std::string& folder, const JsonMember& entry,
                                    bool is_strict);

}  // namespace ortc

// SPDX-License-Identifier: MIT
// Small files of the cache: what they are, then a name and a value on each line, then a hash of all
// that, so that a file which is cut off or damaged shows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace ortc {

using RecordFields = std::vector<std::pair<std::string, std::string>>;

std::string print_record(std::string_view kind, const RecordFields& fields);
// Nothing when the text is of another kind or damaged.
std::optional<RecordFields> parse_record(std::string_view kind, std::string_view text);
// The first value of that name; null when there is none.
const std::string* find_field(const RecordFields& fields, std::string_view name);
// 0 when there is no such field, or no number in it.
uint64_t number_field(const RecordFields& fields, std::string_view name);

// The record in a file; nothing when there is no such file either. A failure when this process
// could not read it, which says nothing of the record.
Result<std::optional<RecordFields>> try_read_record(const std::string& path, std::string_view kind);
// The same for those who can do without.
std::optional<RecordFields> read_record(const std::string& path, std::string_view kind);
// Puts a record under that plain name, in place of what has it.
Status write_record(const std::string& folder, const std::string& name, std::string_view kind,
                    const RecordFields& fields);

}  // namespace ortc

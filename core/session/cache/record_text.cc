// SPDX-License-Identifier: MIT
// Records as text: see the header.
//
//   ortc.cache.entry/1
//   source<TAB>m.onnx
//   hash<TAB>32 hexadecimal digits, of everything before this line
//
// A tab, a line end and a backslash inside stand as \t, \n and \\.
#include "core/session/cache/record_text.h"

#include <charconv>

#include "core/base/hash.h"
#include "core/platform/held_file.h"
#include "core/platform/path.h"
#include "core/platform/staged_write.h"

namespace ortc {
namespace {

constexpr std::string_view kHash = "hash";
constexpr uint64_t kBytesMax = uint64_t{16} << 20;

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 't' ? '\t' : c == 'n' ? '\n' : c;
  }
  return out;
}

// Takes the first line off, without its end.
std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::string print_record(std::string_view kind, const RecordFields& fields) {
  std::string text = str_cat(kind, "\n");
  for (const auto& [name, value] : fields) {
    append_escaped(text, name);
    text += '\t';
    append_escaped(text, value);
    text += '\n';
  }
  const std::string digits = hash128(as_bytes(text)).hex();
  return text + str_cat(kHash, "\t", digits, "\n");
}

std::optional<RecordFields> parse_record(std::string_view kind, std::string_view text) {
  const size_t last = text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
  if (last == std::string_view::npos || text.back() != '\n') return std::nullopt;
  const std::string_view checked = text.substr(0, last + 1);
  const std::string digits = hash128(as_bytes(checked)).hex();
  if (text.substr(last + 1) != str_cat(kHash, "\t", digits, "\n")) return std::nullopt;
  std::string_view rest = checked;
  if (take_line(rest) != kind) return std::nullopt;
  RecordFields fields;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return std::nullopt;
    fields.emplace_back(unescaped(line.substr(0, tab)), unescaped(line.substr(tab + 1)));
  }
  return fields;
}

const std::string* find_field(const RecordFields& fields, std::string_view name) {
  for (const auto& [known, value] : fields) {
    if (known == name) return &value;
  }
  return nullptr;
}

uint64_t number_field(const RecordFields& fields, std::string_view name) {
  const std::string* text = find_field(fields, name);
  uint64_t number = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

Result<std::optional<RecordFields>> try_read_record(const std::string& path,
                                                    std::string_view kind) {
  const auto file = HeldFile::open(path);
  if (!file.is_ok()) {
    if (file.status().code() != Code::kNoSuchFile) return file.status();
    return std::optional<RecordFields>();
  }
  if (file->identity().size > kBytesMax) return std::optional<RecordFields>();
  ASSIGN_OR_RETURN(const auto map, file->map(Access::kRead));
  return parse_record(kind, as_text(map->bytes()));
}

std::optional<RecordFields> read_record(const std::string& path, std::string_view kind) {
  auto record = try_read_record(path, kind);
  return record.is_ok() ? std::move(record).value() : std::nullopt;
}

Status write_record(const std::string& folder, const std::string& name, std::string_view kind,
                    const RecordFields& fields) {
  ASSIGN_OR_RETURN(const auto file, StagedFile::create(folder, name));
  RETURN_IF_ERROR(file->write(as_bytes(print_record(kind, fields))));
  RETURN_IF_ERROR(file->sync_and_close());
  RETURN_IF_ERROR(rename_in_folder(folder, file->staged_name(), name));
  file->release();
  return Status::ok();
}

}  // namespace ortc

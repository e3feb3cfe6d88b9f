// SPDX-License-Identifier: MIT
// Layout of text results. Widths count code points, so that names in any script line up.

#include "tools/ortc/output/table.h"

#include <algorithm>
#include <cstdio>

#include "tools/ortc/output/console.h"

namespace ortc::tool {
namespace {

size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool looks_numeric(const std::string& text) {
  return text.empty() || text == "-" || (text[0] >= '0' && text[0] <= '9') ||
         (text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9');
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Members that end in _bytes, _ns and _ms are sizes and times; so are those of just that name.
bool has_unit(const std::string& key, std::string_view unit) {
  return key == unit || ends_with(key, "_" + std::string(unit));
}

// "node_count" reads as "node count"; the unit is in the value.
std::string label_of(std::string key) {
  for (std::string_view unit : {"_bytes", "_ns", "_ms"}) {
    if (ends_with(key, unit)) {
      key.resize(key.size() - unit.size());
      break;
    }
  }
  if (key == "bytes") key = "size";
  if (key == "ms" || key == "ns") key = "time";
  std::replace(key.begin(), key.end(), '_', ' ');
  return printable(key);
}

std::string scalar_text(const std::string& key, const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_bool()) return value.text() == "true" ? "yes" : "no";
  if (value.is_number()) {
    const double number = value.number();
    if (has_unit(key, "bytes")) return size_text(static_cast<uint64_t>(std::max(number, 0.0)));
    if (has_unit(key, "ns")) return time_text(number);
    if (has_unit(key, "ms")) return time_text(number * 1e6);
    return value.is_integer() ? value.text() : number_text(number);
  }
  return printable(value.text());
}

bool is_scalar(const Json& value) { return !value.is_object() && !value.is_array(); }

// Lists of scalars go on one line.
bool is_plain_list(const Json& value) {
  if (!value.is_array()) return false;
  const auto items = value.items();
  return std::all_of(items.begin(), items.end(), is_scalar);
}

std::string inline_text(const std::string& key, const Json& value) {
  if (is_scalar(value)) return scalar_text(key, value);
  std::string text;
  if (value.is_object()) {
    for (const std::string& member : value.keys()) {
      text += (text.empty() ? "" : ", ") + label_of(member) + " " +
              inline_text(member, value.at(member));
    }
  } else {
    for (const Json& item : value.items()) {
      text += (text.empty() ? "" : ", ") + inline_text(key, item);
    }
  }
  return text.empty() ? "none" : text;
}

// A text of several lines, as the print of a graph, stands by itself.
bool is_long_text(const Json& value) {
  return value.is_string() && value.text().find('\n') != std::string::npos;
}

std::string long_text(const Json& value) {
  std::string out;
  const std::string text = value.text();
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += printable(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string table_text(const Json& array, size_t indent) {
  std::vector<std::string> keys;
  std::string long_texts;
  for (const Json& item : array.items()) {
    for (const std::string& key : item.keys()) {
      if (is_long_text(item.at(key))) {
        long_texts += std::string(indent, ' ') + label_of(key) + " of " +
                      printable(item.text("name")) + ":\n" + long_text(item.at(key));
        continue;
      }
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  std::vector<std::string> head;
  for (const std::string& key : keys) head.push_back(label_of(key));
  Table table(head);
  for (const Json& item : array.items()) {
    std::vector<std::string> row;
    for (const std::string& key : keys) {
      row.push_back(item.has(key) ? inline_text(key, item.at(key)) : "-");
    }
    table.add(std::move(row));
  }
  return table.text(indent) + long_texts;
}

// Bytes of the character that begins there; 0: none does.
size_t utf8_length(const std::string& text, size_t at) {
  const auto c = static_cast<unsigned char>(text[at]);
  const size_t length = c < 0x80                ? 1
                        : c >= 0xC2 && c < 0xE0 ? 2
                        : c >= 0xE0 && c < 0xF0 ? 3
                        : c >= 0xF0 && c < 0xF5 ? 4
                                                : 0;
  if (length > text.size() - at) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// Texts of a model's metadata may be whole dictionaries: the beginning, and how much there is.
std::string shortened(std::string text) {
  constexpr size_t kMost = 160;
  const size_t bytes = text.size();
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  if (lines == 1 && width_of(text) <= kMost) return printable(text);
  std::replace(text.begin(), text.end(), '\n', ' ');
  const size_t most = lines == 1 ? kMost : kMost / 4;
  size_t end = 0;
  for (size_t shown = 0; end < bytes && shown < most; shown++) {
    end += std::max<size_t>(utf8_length(text, end), 1);
  }
  return printable(text.substr(0, end)) + (end < bytes ? "... (" : " (") + size_text(bytes) +
         (lines > 1 ? " in " + count_text(lines, "line") : "") + "; --json has all)";
}

bool is_table(const Json& value) {
  const auto items = value.items();
  return !items.empty() &&
         std::all_of(items.begin(), items.end(), [](const Json& item) { return item.is_object(); });
}

}  // namespace

std::string printable(std::string text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text, i);
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters too.
    const bool is_control =
        c < 0x20 || c == 0x7F || (c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0);
    if (length == 0 || is_control) {
      text.replace(i, std::max<size_t>(length, 1), "?");
      i++;
    } else {
      i += length;
    }
  }
  return text;
}

std::string Table::text(size_t indent) const {
  const size_t columns = head_.size();
  std::vector<size_t> widths(columns);
  std::vector<bool> right(columns, true);
  for (size_t c = 0; c < columns; c++) widths[c] = width_of(head_[c]);
  for (const auto& row : rows_) {
    for (size_t c = 0; c < columns; c++) {
      widths[c] = std::max(widths[c], width_of(row[c]));
      right[c] = right[c] && looks_numeric(row[c]);
    }
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text(indent, ' ');
    for (size_t c = 0; c < columns; c++) {
      const std::string blanks(widths[c] - width_of(row[c]), ' ');
      if (c > 0) text += "  ";
      text += right[c] ? blanks + row[c] : row[c] + blanks;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(head_);
  if (!out.empty()) out = styled(stdout, Style::kBold, out.substr(0, out.size() - 1)) + "\n";
  for (const auto& row : rows_) line(row);
  return out;
}

std::string size_text(uint64_t bytes) {
  char text[48];
  const double kib = static_cast<double>(bytes) / 1024;
  if (bytes < 1024) {
    std::snprintf(text, sizeof text, "%llu B", static_cast<unsigned long long>(bytes));
  } else if (kib < 1024) {
    std::snprintf(text, sizeof text, "%.1f KiB", kib);
  } else if (kib < 1024 * 1024) {
    std::snprintf(text, sizeof text, "%.1f MiB", kib / 1024);
  } else {
    std::snprintf(text, sizeof text, "%.1f GiB", kib / 1024 / 1024);
  }
  return text;
}

std::string time_text(double nanoseconds) {
  char text[48];
  if (nanoseconds < 1e3) {
    std::snprintf(text, sizeof text, "%.0f ns", nanoseconds);
  } else if (nanoseconds < 1e6) {
    std::snprintf(text, sizeof text, "%.1f us", nanoseconds / 1e3);
  } else if (nanoseconds < 1e9) {
    std::snprintf(text, sizeof text, "%.2f ms", nanoseconds / 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.2f s", nanoseconds / 1e9);
  }
  return text;
}

std::string number_text(double number) {
  char text[48];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

std::string count_text(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

namespace {

std::string object_text(const Json& object, size_t indent, bool has_names_of_data) {
  const std::string blanks(indent, ' ');
  const auto label = [&](const std::string& key) {
    return has_names_of_data ? printable(key) : label_of(key);
  };
  size_t width = 0;
  for (const std::string& key : object.keys()) {
    const Json member = object.at(key);
    if (is_scalar(member) || is_plain_list(member)) width = std::max(width, width_of(label(key)));
  }
  std::string out;
  for (const std::string& key : object.keys()) {
    const Json member = object.at(key);
    const bool is_one_line = is_scalar(member) || is_plain_list(member);
    const bool is_data = has_names_of_data && member.is_string();
    if (is_data || (is_one_line && !is_long_text(member))) {
      const std::string gap(width - width_of(label(key)) + 2, ' ');
      out += blanks + label(key) + gap;
      out += (is_data ? shortened(member.text()) : inline_text(key, member)) + "\n";
      continue;
    }
    out += blanks + label(key) + ":\n";
    if (is_long_text(member)) {
      out += long_text(member);
    } else if (member.is_object()) {
      // Names inside are those of opsets, operators, metadata.
      out += object_text(member, indent + 2, /*has_names_of_data=*/true);
    } else {
      out += json_text(member, indent + 2);
    }
  }
  return out;
}

}  // namespace

std::string json_text(const Json& value, size_t indent) {
  const std::string blanks(indent, ' ');
  if (is_scalar(value)) return blanks + scalar_text("", value) + "\n";
  if (value.is_object()) return object_text(value, indent, /*has_names_of_data=*/false);
  if (is_table(value)) return table_text(value, indent);
  return blanks + inline_text("", value) + "\n";
}

}  // namespace ortc::tool

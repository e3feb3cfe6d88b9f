// SPDX-License-Identifier: MIT
// The terminal: colours, and lines on stderr that do not run into a progress bar. Colours are for
// terminals only, and never with NO_COLOR set or TERM=dumb. Any thread may call.
#pragma once

#include <cstdio>
#include <string>

namespace ortc::tool {

enum class Style { kBold, kRed, kYellow, kGreen };

bool is_terminal(std::FILE* stream);
bool is_colourful(std::FILE* stream);
// The text as it is, or with colours around it where `stream` shows them.
std::string styled(std::FILE* stream, Style style, const std::string& text);
// Columns of the terminal; 80 where there is none.
size_t console_width(std::FILE* stream);

// As many characters of the text as there are columns.
std::string first_columns(const std::string& text, size_t columns);

// One whole line to stderr. A bar is wiped before and drawn again after.
void say_line(const std::string& line);
// Shows a bar in the last line, in place of an earlier one; "" takes it away.
void say_bar(const std::string& bar);

// Whether lines of the library's log are JSON objects, as the lines of progress around them.
void set_json_log(bool is_json);
// One line of the library's log.
void say_log(const char* severity, Style style, const char* category, const char* message);

}  // namespace ortc::tool

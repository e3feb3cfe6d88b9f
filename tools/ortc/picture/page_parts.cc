// SPDX-License-Identifier: MIT
// The page may load nothing: its own policy forbids it.

#include "tools/ortc/picture/page_parts.h"

#include "tools/ortc/picture/drawing.h"

namespace ortc::tool {
namespace {

constexpr const char* kPageStyle = R"(
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 24px 20px 64px; }
h1 { font-size: 24px; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 0 0 10px; overflow-wrap: anywhere; }
section { border: 1px solid var(--edge); border-radius: 8px; padding: 18px 20px; margin: 18px 0; }
.note { color: var(--faint); margin: 4px 0 8px; }
.scroll { overflow: auto; max-height: 85vh; margin: 10px 0; }
.scroll svg { display: block; margin: 0 auto; }
.cards { display: flex; gap: 10px; flex-wrap: wrap; }
.card { border: 1px solid var(--edge); border-radius: 8px; padding: 8px 14px; }
.card b { display: block; font-size: 20px; }
details { border-top: 1px solid var(--edge); padding: 6px 0; }
summary { cursor: pointer; } summary span { color: var(--faint); }
summary:focus-visible, .picture a:focus-visible { outline: 2px solid var(--c0-edge); }
input[type=search] { font: inherit; color: inherit; background: var(--box); width: 100%;
  max-width: 320px; box-sizing: border-box; border: 1px solid var(--edge); border-radius: 6px;
  padding: 4px 8px; margin-top: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 4px 8px; border-bottom: 1px solid var(--edge);
  overflow-wrap: anywhere; min-width: 60px; }
td:first-child { min-width: 120px; } th { color: var(--faint); font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
@media (max-width: 640px) { main { padding: 12px 8px 48px; } section { padding: 12px 10px; } }
)";

// Links lead to parts that are closed; searching hides rows that do not have the word.
constexpr const char* kScript = R"(
function show() {
  const part = document.getElementById(location.hash.slice(1));
  if (part && part.tagName === 'DETAILS') { part.open = true; part.scrollIntoView(); }
}
addEventListener('hashchange', show);
show();
for (const field of document.querySelectorAll('input[type=search]')) {
  field.addEventListener('input', () => {
    const word = field.value.toLowerCase();
    for (const row of field.parentElement.querySelectorAll('tbody tr'))
      row.hidden = !row.textContent.toLowerCase().includes(word);
  });
}
)";

bool is_number(const std::string& text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9' && text.size() < 16;
}

}  // namespace

std::string page_head(const std::string& title) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
         escaped(title) + "</title>\n<style>" + picture_style() + kPageStyle +
         "</style>\n</head>\n<body>\n<main>\n<h1>" + escaped(title) + "</h1>\n";
}

std::string page_end() {
  return "</main>\n<script>//<![CDATA[" + std::string(kScript) +
         "//]]></script>\n</body>\n</html>\n";
}

std::string note(const std::string& text) {
  return "<p class=\"note\">" + escaped(text) + "</p>\n";
}

std::string scrolled(const std::string& inside) {
  return "<div class=\"scroll\">\n" + inside + "</div>\n";
}

std::string details(const std::string& id, const std::string& title, const std::string& text,
                    const std::string& inside) {
  std::string out = "<details";
  if (!id.empty()) out += attribute("id", id);
  return out + "><summary>" + escaped(title) + " <span>" + escaped(beginning(text, 120)) +
         "</span></summary>\n" + inside + "</details>\n";
}

void HtmlTable::add(const std::vector<std::string>& cells) {
  if (is_right_.empty()) {
    for (const std::string& cell : cells) is_right_.push_back(is_number(cell));
    is_right_.front() = false;
  }
  rows_ += row("td", cells);
}

std::string HtmlTable::text() const {
  return "<table><thead>" + row("th", columns_) + "</thead><tbody>\n" + rows_ +
         "</tbody></table>\n";
}

std::string HtmlTable::row(const std::string& tag, const std::vector<std::string>& cells) const {
  std::string out = "<tr>";
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool is_right = i < is_right_.size() && is_right_[i];
    out +=
        "<" + tag + (is_right ? " class=\"number\">" : ">") + escaped(cells[i]) + "</" + tag + ">";
  }
  return out + "</tr>\n";
}

}  // namespace ortc::tool

// SPDX-License-Identifier: MIT
// What grows with the model has a bound, and says what it leaves out.

#include "tools/ortc/picture/page.h"

#include <algorithm>

#include "tools/ortc/output/table.h"
#include "tools/ortc/picture/graph_drawing.h"
#include "tools/ortc/picture/node_texts.h"
#include "tools/ortc/picture/page_parts.h"
#include "tools/ortc/picture/sharing_drawing.h"

namespace ortc::tool {
namespace {

constexpr size_t kDrawnMost = 2'000;  // nodes in detail, of all models
constexpr size_t kRowsMost = 2'000;   // nodes in tables, of all models
constexpr size_t kTensorsMost = 300;  // the largest
constexpr size_t kGraphsMost = 32;    // models whose graphs are shown

class PageMaker {
 public:
  explicit PageMaker(const std::vector<ModelFacts>& models) : models_(models) {}

  Page run() {
    std::string title;
    for (size_t i = 0; i < models_.size() && i < 3; ++i) {
      title += (title.empty() ? "" : ", ") + models_[i].name;
    }
    if (models_.size() > 3) title += " and " + std::to_string(models_.size() - 3) + " more";
    page_.text = page_head(title);
    add_sharing();
    for (size_t i = 0; i < models_.size() && i < kGraphsMost; ++i) add_model(i);
    for (size_t i = kGraphsMost; i < models_.size(); ++i) {
      page_.nodes_left_out += models_[i].nodes.size();
    }
    if (models_.size() > kGraphsMost) {
      page_.text += note("Graphs of " + count_text(models_.size() - kGraphsMost, "more model") +
                         " are not shown.");
    }
    page_.text += page_end();
    return std::move(page_);
  }

 private:
  void add_sharing() {
    const SharingFacts sharing = sharing_of(models_);
    if (sharing.files.empty()) return;
    page_.text += "<section><h2>Tensors in files</h2>\n" + cards(sharing) +
                  scrolled(svg_element(draw_sharing(sharing), sharing_sentence(sharing)));
    add_shares(sharing);
    add_tensors(sharing);
    page_.text += "</section>\n";
  }

  static std::string cards(const SharingFacts& sharing) {
    std::string text = "<div class=\"cards\">";
    const auto add = [&](uint64_t bytes, const char* what) {
      text += "<div class=\"card\"><b>" + size_text(bytes) + "</b>" + what + "</div>";
    };
    if (sharing.models.size() > 1) add(sharing.used_bytes, "without sharing");
    add(sharing.stored_bytes, "stored");
    if (sharing.models.size() > 1) add(sharing.saved_bytes(), "saved by sharing");
    if (sharing.unused_bytes != 0) add(sharing.unused_bytes, "used by none of them");
    if (sharing.repeated_bytes != 0) add(sharing.repeated_bytes, "stored more than once");
    return text + "</div>\n";
  }

  void add_shares(const SharingFacts& sharing) {
    HtmlTable table({"model", "verdict", "in files", "shared", "its own", "in the model"});
    for (size_t i = 0; i < models_.size(); ++i) {
      const ModelShare& share = sharing.shares[i];
      table.add({models_[i].name, models_[i].verdict, size_text(share.bytes),
                 size_text(share.bytes - share.alone_bytes), size_text(share.alone_bytes),
                 size_text(models_[i].weight_bytes_inside)});
    }
    page_.text += scrolled(table.text());
  }

  void add_tensors(const SharingFacts& sharing) {
    std::vector<std::pair<const SharedFile*, const SharedTensor*>> rows;
    for (const SharedFile& file : sharing.files) {
      for (const SharedTensor& tensor : file.tensors) rows.emplace_back(&file, &tensor);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.second->facts.stored_bytes > b.second->facts.stored_bytes;
    });
    const size_t shown = std::min(rows.size(), kTensorsMost);
    page_.tensors_left_out = rows.size() - shown;
    HtmlTable table({"file", "tensor", "used by", "size", "stored", "offset"});
    for (size_t i = 0; i < shown; ++i) {
      const auto& [file, tensor] = rows[i];
      std::string users;
      for (size_t user : tensor->users) {
        users += (users.empty() ? "" : ", ") + sharing.models[user];
      }
      const TensorFacts& facts = tensor->facts;
      table.add({file->name, facts.name.empty() ? facts.hash.substr(0, 16) : facts.name, users,
                 size_text(facts.bytes), size_text(facts.stored_bytes),
                 std::to_string(facts.offset)});
    }
    std::string inside = scrolled(table.text());
    if (shown < rows.size()) {
      inside += note("The largest " + std::to_string(shown) + " of " + std::to_string(rows.size()) +
                     " tensors.");
    }
    page_.text += details("", "Tensors", count_text(rows.size(), "tensor"), inside);
  }

  void add_model(size_t number) {
    const ModelFacts& model = models_[number];
    const std::vector<GraphPart> parts = parts_of(model);
    const std::string prefix = "m" + std::to_string(number + 1) + "-part";
    page_.text += "<section><h2>" + escaped(model.name) + "</h2>\n" +
                  note(count_text(model.nodes.size(), "node") + ", verdict: " + model.verdict);
    const Drawing picture = stacked({draw_legend(model), draw_parts(model, parts, prefix)}, 18);
    page_.text += scrolled(svg_element(picture, "The graph of " + model.name));
    for (size_t i = 0; i < parts.size(); ++i) add_part(model, parts[i], prefix, i + 1);
    add_nodes(model);
    page_.text += "</section>\n";
  }

  void add_part(const ModelFacts& model, const GraphPart& part, const std::string& prefix,
                size_t number) {
    if (part.size() == 1 && part.label.empty()) return;
    std::string inside;
    if (drawn_ + part.size() <= kDrawnMost) {
      drawn_ += part.size();
      inside = scrolled(svg_element(draw_nodes(model, part), part.label));
    } else {
      page_.nodes_left_out += part.size();
      inside = note("Not drawn: this page shows at most " + std::to_string(kDrawnMost) +
                    " nodes in detail.");
    }
    page_.text += details(prefix + std::to_string(number),
                          part.label.empty() ? "Part " + std::to_string(number) : part.label,
                          operators_text(model, part), inside);
  }

  void add_nodes(const ModelFacts& model) {
    const size_t shown = std::min(model.nodes.size(), kRowsMost - rows_);
    rows_ += shown;
    HtmlTable table({"node", "operator", "values", "weights"});
    for (size_t i = 0; i < shown; ++i) {
      const NodeFacts& node = model.nodes[i];
      std::string values;
      for (const std::string& value : node.gives) values += (values.empty() ? "" : ", ") + value;
      table.add({node_name(node), node.op + (node.is_context ? " of " + node.source : ""),
                 shortened(values, 200), size_text(node.weight_bytes)});
    }
    std::string inside =
        "<input type=\"search\" placeholder=\"find a node\" "
        "aria-label=\"find a node\"/>\n" +
        scrolled(table.text());
    if (shown < model.nodes.size()) {
      inside +=
          note(count_text(model.nodes.size() - shown, "more node") + " of this model not listed.");
    }
    page_.text += details("", "All nodes", count_text(model.nodes.size(), "node"), inside);
  }

  const std::vector<ModelFacts>& models_;
  Page page_;
  size_t drawn_ = 0, rows_ = 0;
};

}  // namespace

Page make_page(const std::vector<ModelFacts>& models) { return PageMaker(models).run(); }

}  // namespace ortc::tool

// SPDX-License-Identifier: MIT
// Boxes stand for runs of nodes. What a run reads from outside, and what is read of it there, has
// boxes too.

#include "tools/ortc/picture/graph_drawing.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "tools/ortc/output/table.h"
#include "tools/ortc/picture/layered_layout.h"
#include "tools/ortc/picture/node_texts.h"

namespace ortc::tool {
namespace {

constexpr double kPadding = 10, kBoxHeight = 38, kPortHeight = 24, kWidthLeast = 64;
constexpr size_t kTitleMost = 26, kNameMost = 30;
constexpr size_t kReadersMost = 4;     // of one box for a value from outside
constexpr size_t kOutside = SIZE_MAX;  // in place of a part

struct Box {
  std::string title, name;  // name: the second line, may be empty
  std::string hover;
  std::string classes;
  std::string link = {};
};

class GraphDrawer {
 public:
  // Of all nodes from `begin` to `end`, in these parts.
  GraphDrawer(const ModelFacts& model, std::vector<GraphPart> parts, std::string link_prefix)
      : model_(model), parts_(std::move(parts)), link_prefix_(std::move(link_prefix)) {}

  Drawing draw() {
    if (parts_.empty() && model_.outputs.empty()) return {};
    add_inputs();
    const size_t first = boxes_.size();
    for (size_t i = 0; i < parts_.size(); ++i) {
      for (size_t n = parts_[i].begin; n < parts_[i].end; ++n) box_of_node_[n] = first + i;
      add(part_box(i));
    }
    add_edges();
    add_outputs();
    arrange(layout_);
    return drawing();
  }

 private:
  bool is_here(const ReadFacts& read) const {
    return !read.is_input && box_of_node_.count(read.from) != 0;
  }

  size_t add(Box box) {
    const bool is_port = box.name.empty();
    const double bold = is_port ? 1 : 1.12;
    const double width = std::max(text_width(box.title) * bold, text_width(box.name, true));
    layout_.boxes.push_back({.width = std::max(kWidthLeast, width + 2 * kPadding),
                             .height = is_port ? kPortHeight : kBoxHeight});
    boxes_.push_back(std::move(box));
    return boxes_.size() - 1;
  }

  size_t add_port(const std::string& value) {
    const std::string name = value.substr(0, value.rfind(": "));
    return add({shortened(name, kNameMost), "", value, "io"});
  }

  void connect(size_t from, size_t to, const std::string& value) {
    auto& values = values_[{from, to}];
    if (values.empty()) layout_.edges.push_back({from, to});
    values.insert(value);
  }

  template <typename Visit>
  void for_each_read(Visit visit) const {
    for (size_t part = 0; part < parts_.size(); ++part) {
      for (size_t n = parts_[part].begin; n < parts_[part].end; ++n) {
        for (const ReadFacts& read : model_.nodes[n].reads) visit(part, read);
      }
    }
  }

  // Everything is numbered before its readers: first what comes from outside. What many read has a
  // box at each of them, instead of edges across the picture.
  void add_inputs() {
    const size_t begin = parts_.empty() ? 0 : parts_.front().begin;
    std::vector<std::string> values;
    std::map<std::string, std::vector<size_t>> readers;
    const auto add_value = [&](const std::string& value) -> std::vector<size_t>& {
      const auto [place, is_new] = readers.try_emplace(value);
      if (is_new) values.push_back(value);
      return place->second;
    };
    if (is_whole()) std::for_each(model_.inputs.begin(), model_.inputs.end(), add_value);
    for_each_read([&](size_t part, const ReadFacts& read) {
      if (!read.is_input && read.from >= begin) return;
      auto& known = add_value(read.value);
      if (known.empty() || known.back() != part) known.push_back(part);
    });
    for (const ReadFacts& output : model_.outputs) {
      if (is_whole() && output.is_input) add_value(output.value);
    }
    for (const std::string& value : values) {
      const size_t port = add_port(value);
      size_t copies = 0;
      for (size_t part : readers[value]) {
        const bool is_copy = readers[value].size() > kReadersMost && copies++ > 0;
        ports_[{value, part}] = is_copy ? add_port(value) : port;
      }
      ports_[{value, kOutside}] = port;
    }
  }

  bool is_whole() const {
    return parts_.empty() ||
           (parts_.front().begin == 0 && parts_.back().end == model_.nodes.size());
  }

  void add_edges() {
    for_each_read([&](size_t part, const ReadFacts& read) {
      const size_t to = box_of_node_.at(parts_[part].begin);
      const size_t from =
          is_here(read) ? box_of_node_.at(read.from) : ports_.at({read.value, part});
      if (from != to) connect(from, to, read.value);
    });
  }

  void add_outputs() {
    std::set<std::string> known;
    const auto add_read = [&](const ReadFacts& read) {
      if (!known.insert(read.value).second) return;
      const size_t port = add_port(read.value);
      connect(is_here(read) ? box_of_node_.at(read.from) : ports_.at({read.value, kOutside}), port,
              read.value);
    };
    for (const ReadFacts& output : model_.outputs) {
      if (is_whole() || is_here(output)) add_read(output);
    }
    for (size_t n = parts_.empty() ? 0 : parts_.back().end; n < model_.nodes.size(); ++n) {
      for (const ReadFacts& read : model_.nodes[n].reads) {
        if (is_here(read)) add_read(read);
      }
    }
  }

  Box part_box(size_t i) const {
    const GraphPart& part = parts_[i];
    if (part.size() == 1 && part.label.empty()) return node_box(model_.nodes[part.begin]);
    Box box;
    box.title = part.label.empty() ? count_text(part.size(), "node") : part.label;
    box.name = beginning(operators_text(model_, part), kNameMost);
    box.hover = part_hover(model_, part);
    box.classes = "part";
    if (!link_prefix_.empty()) box.link = link_prefix_ + std::to_string(i + 1);
    return box;
  }

  Box node_box(const NodeFacts& node) const {
    Box box;
    box.title = shortened(node_title(node), kTitleMost);
    box.name = shortened(node_name(node), kNameMost);
    if (box.name.empty()) box.name = " ";
    box.hover = node_hover(model_, node);
    box.classes = node_class(model_, node);
    return box;
  }

  std::string edge_path(const LayoutEdge& edge) const {
    std::string path = "M" + coordinate(edge.points[0].x) + " " + coordinate(edge.points[0].y);
    for (size_t i = 1; i < edge.points.size(); ++i) {
      const Point &a = edge.points[i - 1], &b = edge.points[i];
      if (coordinate(a.x) == coordinate(b.x)) {
        path += "V" + coordinate(b.y);
        continue;
      }
      const std::string middle = coordinate((a.y + b.y) / 2);
      path += "C" + coordinate(a.x) + " " + middle + " " + coordinate(b.x) + " " + middle + " " +
              coordinate(b.x) + " " + coordinate(b.y);
    }
    return path;
  }

  std::string box_text(const Box& box, const LayoutBox& place) const {
    const double left = place.center.x - place.width / 2, top = place.center.y - place.height / 2;
    std::string out = "<g>" + hover_title(box.hover) + "\n";
    out += svg_rect(left, top, place.width, place.height, box.classes, "",
                    box.name.empty() ? place.height / 2 : 5);
    if (box.name.empty()) {
      out += svg_text(place.center.x, place.center.y + 4, box.title, "mid");
    } else {
      out += svg_text(place.center.x, place.center.y - 4, box.title, "mid bold");
      out += svg_text(place.center.x, place.center.y + 12, box.name, "mid small faint");
    }
    out += "</g>\n";
    return box.link.empty() ? out : "<a" + attribute("href", "#" + box.link) + ">" + out + "</a>\n";
  }

  Drawing drawing() const {
    Drawing out{"", layout_.width, layout_.height};
    for (const LayoutEdge& edge : layout_.edges) {
      std::string values;
      for (const std::string& value : values_.at({edge.from, edge.to})) {
        values += (values.empty() ? "" : "\n") + value;
      }
      out.body += "<path d=\"" + edge_path(edge) + "\">" + hover_title(shortened(values, 300)) +
                  "</path>\n";
    }
    for (size_t i = 0; i < boxes_.size(); ++i) out.body += box_text(boxes_[i], layout_.boxes[i]);
    return out;
  }

  const ModelFacts& model_;
  std::vector<GraphPart> parts_;
  std::string link_prefix_;
  Layout layout_;
  std::vector<Box> boxes_;  // as those of the layout
  std::map<size_t, size_t> box_of_node_;
  // Boxes of values from outside, by the part that reads them.
  std::map<std::pair<std::string, size_t>, size_t> ports_;
  std::map<std::pair<size_t, size_t>, std::set<std::string>> values_;
};

}  // namespace

Drawing draw_parts(const ModelFacts& model, const std::vector<GraphPart>& parts,
                   const std::string& link_prefix) {
  return GraphDrawer(model, parts, link_prefix).draw();
}

Drawing draw_nodes(const ModelFacts& model, const GraphPart& part) {
  std::vector<GraphPart> nodes;
  for (size_t n = part.begin; n < part.end; ++n) nodes.push_back({n, n + 1});
  return GraphDrawer(model, std::move(nodes), "").draw();
}

Drawing draw_legend(const ModelFacts& model) {
  Drawing legend{"", 0, 18};
  const auto add = [&](const std::string& classes, const std::string& text) {
    legend.body += svg_rect(legend.width, 3, 18, 12, classes, "", 3);
    legend.body += svg_text(legend.width + 24, 13, text, "small");
    legend.width += 24 + text_width(text, true) + 20;
  };
  for (const LegendRow& row : legend_rows(model)) add(row.classes, row.text);
  return legend;
}

}  // namespace ortc::tool

// SPDX-License-Identifier: MIT
// Neighbours that would be too narrow to point at are drawn as one piece, so that the number of
// pieces is bounded by the width.

#include "tools/ortc/picture/sharing_drawing.h"

#include <algorithm>

#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

constexpr double kLabelWidth = 170, kBandWidth = 610, kBandHeight = 30, kStripHeight = 14;
constexpr double kStripGap = 4, kPieceLeast = 3;
constexpr size_t kStripsMost = 24, kFilesMost = 40, kNameMost = 24;

// Tensors next to each other.
struct Piece {
  size_t begin, end;  // numbers of tensors
  double left, right;
};

class FileDrawer {
 public:
  FileDrawer(const SharingFacts& sharing, const SharedFile& file)
      : sharing_(sharing), file_(file) {}

  Drawing draw() {
    make_pieces();
    drawing_.width = kLabelWidth + kBandWidth;
    drawing_.body += svg_text(0, 13, shortened(file_.name, 80), "bold");
    drawing_.body +=
        svg_text(drawing_.width, 13,
                 count_text(file_.tensors.size(), "tensor") + ", " + size_text(file_.bytes),
                 "end small faint");
    drawing_.height = 22;
    draw_band();
    draw_strips();
    return std::move(drawing_);
  }

 private:
  void make_pieces() {
    const double scale = kBandWidth / static_cast<double>(std::max<uint64_t>(file_.bytes, 1));
    uint64_t at = 0;
    for (size_t i = 0; i < file_.tensors.size(); ++i) {
      const double left = static_cast<double>(at) * scale;
      at += file_.tensors[i].facts.stored_bytes;
      const double right = static_cast<double>(at) * scale;
      if (!pieces_.empty() && belongs_to(pieces_.back(), i, right - left)) {
        pieces_.back().end = i + 1;
        pieces_.back().right = right;
      } else {
        pieces_.push_back({i, i + 1, left, right});
      }
    }
  }

  // Narrow ones join those that the same models use; the narrowest join anything.
  bool belongs_to(const Piece& piece, size_t tensor, double width) const {
    const double wide = piece.right - piece.left;
    if (wide < kPieceLeast / 4) return true;
    const bool is_narrow = wide < kPieceLeast || width < kPieceLeast;
    return is_narrow && file_.tensors[tensor].users == file_.tensors[piece.begin].users;
  }

  uint64_t bytes_of(const Piece& piece) const {
    uint64_t bytes = 0;
    for (size_t i = piece.begin; i < piece.end; ++i) bytes += file_.tensors[i].facts.stored_bytes;
    return bytes;
  }

  // Of what most of its bytes are.
  const SharedTensor& largest(const Piece& piece) const {
    return *std::max_element(file_.tensors.begin() + static_cast<ptrdiff_t>(piece.begin),
                             file_.tensors.begin() + static_cast<ptrdiff_t>(piece.end),
                             [](const SharedTensor& a, const SharedTensor& b) {
                               return a.facts.stored_bytes < b.facts.stored_bytes;
                             });
  }

  std::string users_text(const std::vector<size_t>& users) const {
    if (users.empty()) return "none of these models";
    std::string text;
    for (size_t i = 0; i < users.size() && i < 10; ++i) {
      text += (text.empty() ? "" : ", ") + sharing_.models[users[i]];
    }
    return users.size() > 10 ? text + " and " + std::to_string(users.size() - 10) + " more" : text;
  }

  std::string hover_of(const Piece& piece) const {
    const SharedTensor& tensor = largest(piece);
    std::string text =
        size_text(bytes_of(piece)) + " at " + size_text(file_.tensors[piece.begin].facts.offset);
    if (piece.end - piece.begin > 1) {
      text += ", " + count_text(piece.end - piece.begin, "tensor");
    } else if (!tensor.facts.name.empty()) {
      text += "\n" + tensor.facts.name;
    } else if (!tensor.facts.hash.empty()) {
      text += "\nhash " + tensor.facts.hash;
    }
    return text + "\nused by " + users_text(tensor.users);
  }

  void draw_band() {
    const double y = drawing_.height;
    drawing_.body += svg_text(0, y + 19, "tensors by offset", "small faint");
    for (const Piece& piece : pieces_) {
      const size_t users = std::min<size_t>(largest(piece).users.size(), 4);
      // A hair of paper between two that are wide enough.
      const double width = piece.right - piece.left, hair = width > kPieceLeast ? 0.5 : 0;
      drawing_.body += svg_rect(kLabelWidth + piece.left, y, width - hair, kBandHeight,
                                "u" + std::to_string(users), hover_title(hover_of(piece)));
    }
    drawing_.body += svg_rect(kLabelWidth, y, kBandWidth, kBandHeight, "frame");
    drawing_.height += kBandHeight + 6;
  }

  void draw_strips() {
    size_t shown = 0, left_out = 0;
    for (size_t model = 0; model < sharing_.models.size(); ++model) {
      if (uses(model)) shown++ < kStripsMost ? draw_strip(model) : void(++left_out);
    }
    if (left_out != 0) {
      drawing_.body += svg_text(0, drawing_.height + 11,
                                "and " + count_text(left_out, "more model"), "small faint");
      drawing_.height += kStripHeight;
    }
  }

  bool uses(size_t model) const {
    return std::any_of(file_.tensors.begin(), file_.tensors.end(),
                       [&](const auto& tensor) { return is_user(tensor, model); });
  }

  static bool is_user(const SharedTensor& tensor, size_t model) {
    return std::binary_search(tensor.users.begin(), tensor.users.end(), model);
  }

  // Runs of pieces that the model uses, each one rectangle for one number of users.
  void draw_strip(size_t model) {
    const double y = drawing_.height;
    drawing_.body += svg_text(0, y + 11, shortened(sharing_.models[model], kNameMost), "small");
    drawing_.body += svg_rect(kLabelWidth, y, kBandWidth, kStripHeight, "frame");
    for (size_t i = 0; i < pieces_.size();) {
      const size_t users = users_for(pieces_[i], model);
      size_t end = i + 1;
      while (end < pieces_.size() && users_for(pieces_[end], model) == users) ++end;
      if (users != 0) {
        const double left = pieces_[i].left, width = pieces_[end - 1].right - left;
        drawing_.body +=
            svg_rect(kLabelWidth + left, y, width, kStripHeight, "u" + std::to_string(users));
      }
      i = end;
    }
    drawing_.height += kStripHeight + kStripGap;
  }

  // 0 when the model does not use it.
  size_t users_for(const Piece& piece, size_t model) const {
    const SharedTensor& tensor = largest(piece);
    return is_user(tensor, model) ? std::min<size_t>(tensor.users.size(), 4) : 0;
  }

  const SharingFacts& sharing_;
  const SharedFile& file_;
  std::vector<Piece> pieces_;
  Drawing drawing_;
};

Drawing draw_key(size_t models) {
  static constexpr const char* kTexts[] = {"not used by these models", "used by one model",
                                           "shared by two", "by three", "by four or more"};
  Drawing key{"", 0, 18};
  for (size_t users = 0; users <= std::min<size_t>(models, 4); ++users) {
    key.body += svg_rect(key.width, 3, 18, 12, "u" + std::to_string(users));
    if (users == 0) key.body += svg_rect(key.width, 3, 18, 12, "frame");
    key.body += svg_text(key.width + 24, 13, kTexts[users], "small");
    key.width += 24 + text_width(kTexts[users], true) + 16;
  }
  return key;
}

Drawing line(const std::string& text, const char* classes) {
  return {svg_text(0, 13, text, classes), text_width(text), 18};
}

}  // namespace

std::string sharing_sentence(const SharingFacts& sharing) {
  std::string text = count_text(sharing.models.size(), "model");
  text += sharing.models.size() == 1 ? " uses " : " use ";
  text += size_text(sharing.used_bytes) + " of tensors in " +
          count_text(sharing.files.size(), "file") + "; " + size_text(sharing.stored_bytes) +
          " are stored, " + size_text(sharing.saved_bytes()) + " saved by sharing";
  return text;
}

Drawing draw_sharing(const SharingFacts& sharing) {
  if (sharing.files.empty()) return {};
  std::vector<Drawing> parts = {line(sharing_sentence(sharing), "")};
  if (sharing.repeated_bytes != 0) {
    parts.push_back(
        line("The same bytes are in several files: " + size_text(sharing.repeated_bytes) + " in " +
                 count_text(sharing.repeated_tensors, "tensor") +
                 ". Models compiled as one group store them once.",
             "small faint"));
  }
  parts.push_back(draw_key(sharing.models.size()));
  for (size_t i = 0; i < sharing.files.size() && i < kFilesMost; ++i) {
    parts.push_back(FileDrawer(sharing, sharing.files[i]).draw());
  }
  if (sharing.files.size() > kFilesMost) {
    parts.push_back(
        line("and " + count_text(sharing.files.size() - kFilesMost, "more file"), "small faint"));
  }
  return stacked(parts, 14);
}

}  // namespace ortc::tool

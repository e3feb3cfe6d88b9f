// SPDX-License-Identifier: MIT
// Einsum's equation: see the header.
#include "providers/cpu/kernels/products/einsum_plan.h"

#include <algorithm>

#include "core/base/ascii.h"

namespace ortc::cpu {
namespace {

// Capitals first, as the alphabet of the implicit output has them.
int64_t label_of(char c) { return c >= 'a' ? 26 + (c - 'a') : c - 'A'; }

// A term as text: letters before and after at most one ellipsis.
struct Term {
  DimList before, after;
  bool has_ellipsis = false;
};

Result<Term> parse_term(std::string_view text) {
  Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '.') {
      if (term.has_ellipsis || text.substr(i, 3) != "...") {
        return invalid_argument("the term '", text, "' has a wrong ellipsis");
      }
      term.has_ellipsis = true;
      i += 2;
    } else if (is_ascii_letter(text[i])) {
      DimList& list = term.has_ellipsis ? term.after : term.before;
      if (list.is_full()) return invalid_argument("the term '", text, "' is too long");
      list.push_back(label_of(text[i]));
    } else {
      return invalid_argument("the term '", text, "' holds a character that is not a letter");
    }
  }
  return term;
}

// Sizes of all labels; 0 where a label has not been seen (an axis may have the size 0: -1 is
// unseen).
struct Sizes {
  std::array<int64_t, kEinsumLabels> of;
  std::array<int, kEinsumLabels> uses{};
  size_t ellipsis_rank = 0;
  Sizes() { of.fill(-1); }
  Status add(int64_t label, int64_t dim) {
    int64_t& size = of[static_cast<size_t>(label)];
    if (size == -1 || size == 1) {
      size = dim;
    } else if (dim != size && dim != 1) {
      return invalid_argument("a label has the sizes ", size, " and ", dim);
    }
    return Status::ok();
  }
};

// The labels of an operand's axes, in order.
Result<DimList> expand(const Term& term, size_t rank) {
  const size_t letters = term.before.size() + term.after.size();
  if (letters > rank || (letters != rank && !term.has_ellipsis)) {
    return invalid_argument("a term of ", letters, " letters for a tensor of rank ", rank);
  }
  DimList labels(term.before.span());
  const auto hidden = static_cast<int64_t>(rank - letters);
  for (int64_t i = 0; i < hidden; ++i) {
    labels.push_back(kEllipsisLabel + static_cast<int64_t>(kMaxRank) - hidden + i);
  }
  for (const int64_t label : term.after) labels.push_back(label);
  return labels;
}

// An axis of size 1 whose label is longer elsewhere repeats: it is left out.
LabelledTensor label_axes(const ValueRef& tensor, const DimList& labels, const Sizes& sizes) {
  LabelledTensor view;
  const DimList strides = row_major_strides(tensor.dims());
  for (size_t d = 0; d < labels.size(); ++d) {
    if (tensor.dim(d) == 1 && sizes.of[static_cast<size_t>(labels[d])] != 1) continue;
    const auto* found = std::find(view.labels.begin(), view.labels.end(), labels[d]);
    if (found != view.labels.end()) {  // the diagonal
      view.strides[static_cast<size_t>(found - view.labels.begin())] += strides[d];
      continue;
    }
    view.labels.push_back(labels[d]);
    view.dims.push_back(tensor.dim(d));
    view.strides.push_back(strides[d]);
  }
  return view;
}

Status explicit_output(std::string_view text, const Sizes& sizes, Einsum* einsum) {
  ASSIGN_OR_RETURN(const Term term, parse_term(text));
  const size_t letters = term.before.size() + term.after.size();
  const size_t hidden = term.has_ellipsis ? sizes.ellipsis_rank : 0;
  if (letters + hidden > kMaxRank) return invalid_argument("the output has too many axes");
  ASSIGN_OR_RETURN(einsum->out_labels, expand(term, letters + hidden));
  return Status::ok();
}

void implicit_output(const Sizes& sizes, Einsum* einsum) {
  for (size_t label = kEllipsisLabel; label < kEinsumLabels; ++label) {
    if (sizes.of[label] != -1) einsum->out_labels.push_back(static_cast<int64_t>(label));
  }
  for (size_t label = 0; label < kEllipsisLabel; ++label) {
    if (sizes.uses[label] == 1 && !einsum->out_labels.is_full()) {
      einsum->out_labels.push_back(static_cast<int64_t>(label));
    }
  }
}

}  // namespace

bool LabelledTensor::has(int64_t label) const {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool Einsum::is_needed_from(size_t i, int64_t label) const {
  if (std::find(out_labels.begin(), out_labels.end(), label) != out_labels.end()) return true;
  for (; i < operand_count; ++i) {
    if (operands[i].has(label)) return true;
  }
  return false;
}

Status plan_einsum(std::string_view equation, std::span<const ValueRef> operands, Einsum* einsum) {
  if (operands.empty() || operands.size() > kEinsumOperandMax) {
    return not_implemented("Einsum of ", operands.size(), " tensors");
  }
  const size_t arrow = equation.find("->");
  std::string_view terms = equation.substr(0, arrow);
  Sizes sizes;
  std::array<DimList, kEinsumOperandMax> labels;
  for (size_t i = 0; i < operands.size(); ++i) {
    const size_t comma = terms.find(',');
    const bool is_last = i + 1 == operands.size();
    if ((comma == std::string_view::npos) != is_last) {
      return invalid_argument("the equation '", equation, "' is not for ", operands.size(),
                              " tensors");
    }
    ASSIGN_OR_RETURN(const Term term, parse_term(terms.substr(0, comma)));
    ASSIGN_OR_RETURN(labels[i], expand(term, operands[i].rank));
    const size_t letters = term.before.size() + term.after.size();
    if (operands[i].rank > letters) {
      sizes.ellipsis_rank = std::max(sizes.ellipsis_rank, operands[i].rank - letters);
    }
    for (size_t d = 0; d < labels[i].size(); ++d) {
      RETURN_IF_ERROR(sizes.add(labels[i][d], operands[i].dim(d)));
      ++sizes.uses[static_cast<size_t>(labels[i][d])];
    }
    if (!is_last) terms.remove_prefix(comma + 1);
  }
  einsum->operand_count = operands.size();
  for (size_t i = 0; i < operands.size(); ++i) {
    einsum->operands[i] = label_axes(operands[i], labels[i], sizes);
  }
  if (arrow == std::string_view::npos) {
    implicit_output(sizes, einsum);
  } else {
    RETURN_IF_ERROR(explicit_output(equation.substr(arrow + 2), sizes, einsum));
  }
  for (size_t i = 0; i < einsum->out_labels.size(); ++i) {
    const int64_t label = einsum->out_labels[i];
    const int64_t size = sizes.of[static_cast<size_t>(label)];
    const auto* begin = einsum->out_labels.begin();
    if (size == -1 || std::find(begin, begin + i, label) != begin + i) {
      return invalid_argument("the equation '", equation,
                              "' has an output label that is in no input, or is there twice");
    }
    einsum->out_dims.push_back(size);
  }
  return Status::ok();
}

EinsumStep plan_step(const Einsum& einsum, const LabelledTensor& x, const LabelledTensor& y,
                     size_t next_operand) {
  EinsumStep step;
  const auto sort = [&](int64_t label) {
    const bool in_x = x.has(label), in_y = y.has(label);
    const bool stays = einsum.is_needed_from(next_operand, label);
    if (in_x && in_y) (stays ? step.batch : step.k).push_back(label);
    if (in_x && !in_y && stays) step.m.push_back(label);
    if (!in_x && in_y && stays) step.n.push_back(label);
  };
  // In the order of the output as far as they are in it.
  for (const int64_t label : einsum.out_labels) sort(label);
  const auto is_out = [&](int64_t label) {
    const DimList& out = einsum.out_labels;
    return std::find(out.begin(), out.end(), label) != out.end();
  };
  for (const int64_t label : x.labels) {
    if (!is_out(label)) sort(label);
  }
  for (const int64_t label : y.labels) {
    if (!is_out(label) && !x.has(label)) sort(label);
  }
  return step;
}

LabelledTensor contiguous(const LabelledTensor& x, const LabelledTensor& y,
                          std::initializer_list<const DimList*> labels) {
  LabelledTensor view;
  for (const DimList* list : labels) {
    for (const int64_t label : *list) {
      const LabelledTensor& owner = x.has(label) ? x : y;
      const auto* found = std::find(owner.labels.begin(), owner.labels.end(), label);
      view.labels.push_back(label);
      view.dims.push_back(owner.dims[static_cast<size_t>(found - owner.labels.begin())]);
    }
  }
  view.strides = row_major_strides(view.dims);
  return view;
}

}  // namespace ortc::cpu

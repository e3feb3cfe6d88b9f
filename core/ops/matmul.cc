// SPDX-License-Identifier: MIT
// Products of matrices.
#include <algorithm>
#include <map>

#include "core/ops/matmul_shape.h"

namespace ortc {

Result<std::optional<Shape>> matmul_shape(const Shape* left, const Shape* right) {
  if (left == nullptr || right == nullptr) return std::optional<Shape>();
  if (left->empty() || right->empty()) return invalid_graph("a factor is a scalar");
  Shape a = *left, b = *right;
  const bool a_is_vector = a.size() == 1, b_is_vector = b.size() == 1;
  if (a_is_vector) a.insert(a.begin(), Dim::known(1));
  if (b_is_vector) b.push_back(Dim::known(1));
  if (!equal_dims(a.back(), b[b.size() - 2]).is_ok()) {
    return invalid_graph("shapes ", shape_to_string(*left), " and ", shape_to_string(*right),
                         " do not multiply");
  }
  ASSIGN_OR_RETURN(Shape shape,
                   broadcast_shapes(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2)));
  if (!a_is_vector) shape.push_back(plain_dim(a[a.size() - 2]));
  if (!b_is_vector) shape.push_back(plain_dim(b.back()));
  return std::optional<Shape>(std::move(shape));
}

namespace {

Status infer_matmul(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  ASSIGN_OR_RETURN(auto shape, matmul_shape(input_shape(ctx, 0), input_shape(ctx, 1)));
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_matmul_integer(InferContext& ctx) {
  ASSIGN_OR_RETURN(auto shape, matmul_shape(input_shape(ctx, 0), input_shape(ctx, 1)));
  set_tensor(ctx, 0, DType::kInt32, std::move(shape));
  return Status::ok();
}

Status infer_qlinear_matmul(InferContext& ctx) {
  ASSIGN_OR_RETURN(auto shape, matmul_shape(input_shape(ctx, 0), input_shape(ctx, 3)));
  set_tensor(ctx, 0, input_dtype(ctx, 7), std::move(shape));
  return Status::ok();
}

Status infer_gemm(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 2));
  const Shape* a = input_shape(ctx, 0);
  const Shape* b = input_shape(ctx, 1);
  std::optional<Shape> shape;
  if (a != nullptr && b != nullptr) {
    const size_t a_turned = ctx.node().int_attribute("transA", 0) != 0 ? 1 : 0;
    const size_t b_turned = ctx.node().int_attribute("transB", 0) != 0 ? 1 : 0;
    if (!equal_dims((*a)[1 - a_turned], (*b)[b_turned]).is_ok()) {
      return invalid_graph("shapes ", shape_to_string(*a), " and ", shape_to_string(*b),
                           " do not multiply");
    }
    shape = Shape{plain_dim((*a)[a_turned]), plain_dim((*b)[1 - b_turned])};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

Status infer_det(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) {
    if (x->size() < 2) return invalid_graph("input has rank ", x->size(), ", expected at least 2");
    shape = Shape(x->begin(), x->end() - 2);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

// Einsum. Terms are letters and at most one "...", which stands for broadcast axes.
struct Terms {
  std::vector<std::string> inputs;  // "..." as one '.'
  std::string output;
  bool has_output = false;
};

// The equation without spaces, "..." as one '.'; nothing when dots stand there in another way.
std::optional<std::string> short_equation(std::string_view equation) {
  std::string text;
  size_t dots = 0;  // since the last other character
  for (char c : equation) {
    if (c == ' ') continue;
    if (c != '.' && dots != 0 && dots != 3) return std::nullopt;
    dots = c == '.' ? dots + 1 : 0;
    if (dots < 2) text += c;
  }
  if (dots != 0 && dots != 3) return std::nullopt;
  return text;
}

Result<Terms> parse_equation(std::string_view equation) {
  const auto short_text = short_equation(equation);
  if (!short_text) return invalid_graph("equation '", equation, "' is not understood");
  const std::string& text = *short_text;
  Terms terms;
  const size_t arrow = text.find("->");
  terms.has_output = arrow != std::string::npos;
  if (terms.has_output) terms.output = text.substr(arrow + 2);
  std::string left = text.substr(0, arrow);
  for (size_t begin = 0;;) {
    const size_t comma = left.find(',', begin);
    terms.inputs.push_back(left.substr(begin, comma - begin));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  const auto has_two = [](const std::string& term) { return std::ranges::count(term, '.') > 1; };
  if (has_two(terms.output) || std::ranges::any_of(terms.inputs, has_two)) {
    return invalid_graph("equation '", equation, "' has '...' twice in a term");
  }
  for (const std::string* part : {&left, &terms.output}) {
    for (char c : *part) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && c != '.' && c != ',')
        return invalid_graph("equation '", equation, "' is not understood");
    }
  }
  return terms;
}

// Sizes of the letters and of the "..." part of one input, merged into what is known so far.
Status take_term(const std::string& term, const Shape& shape, std::map<char, Dim>& letters,
                 std::optional<Shape>& ellipsis) {
  const bool dots = term.find('.') != std::string::npos;
  const size_t named = term.size() - (dots ? 1 : 0);
  if (shape.size() < named || (!dots && shape.size() != named)) {
    return invalid_graph("term '", term, "' does not fit an input of rank ", shape.size());
  }
  size_t axis = 0;
  for (char c : term) {
    if (c == '.') {
      const size_t count = shape.size() - named;
      const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(axis);
      Shape part(begin, begin + static_cast<std::ptrdiff_t>(count));
      if (ellipsis) {
        ASSIGN_OR_RETURN(part, broadcast_shapes(*ellipsis, part));
      }
      ellipsis = std::move(part);
      axis += count;
      continue;
    }
    auto [it, is_new] = letters.emplace(c, plain_dim(shape[axis]));
    if (!is_new) {
      ASSIGN_OR_RETURN(it->second, broadcast_dim(it->second, shape[axis]));
    }
    ++axis;
  }
  return Status::ok();
}

Status infer_einsum(InferContext& ctx) {
  const std::string_view equation = ctx.node().string_attribute("equation", "");
  ASSIGN_OR_RETURN(Terms terms, parse_equation(equation));
  if (terms.inputs.size() != ctx.input_count()) {
    return invalid_graph("equation '", equation, "' has ", terms.inputs.size(),
                         " terms, the node has ", ctx.input_count(), " inputs");
  }
  for (size_t i = 1; i < ctx.input_count(); ++i) RETURN_IF_ERROR(same_dtype(ctx, 0, i));
  std::map<char, Dim> letters;
  std::optional<Shape> ellipsis, shape = Shape{};
  std::string joined;
  for (size_t i = 0; i < terms.inputs.size() && shape; ++i) {
    const Shape* input = input_shape(ctx, i);
    if (input == nullptr) {
      shape.reset();
      break;
    }
    RETURN_IF_ERROR(take_term(terms.inputs[i], *input, letters, ellipsis));
    joined += terms.inputs[i];
  }
  if (!terms.has_output) {  // the broadcast axes, then every letter that stands there once
    if (joined.find('.') != std::string::npos) terms.output = ".";
    for (const auto& [letter, dim] : letters) {
      if (std::count(joined.begin(), joined.end(), letter) == 1) terms.output += letter;
    }
  }
  for (char c : terms.output) {
    if (!shape) break;
    if (c == '.') {
      if (ellipsis) shape->insert(shape->end(), ellipsis->begin(), ellipsis->end());
      continue;
    }
    auto found = letters.find(c);
    if (found == letters.end()) {
      return invalid_graph("equation '", equation, "': no input has '", std::string(1, c), "'");
    }
    shape->push_back(found->second);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> matmul_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "Det", 11, 1, 1, 1, 1, infer_det},
      {"", "Det", 22, 1, 1, 1, 1, infer_det},
      {"", "Einsum", 12, 1, kVariadic, 1, 1, infer_einsum, "equation"},
      {"", "Gemm", 1, 3, 3, 1, 1, infer_gemm},
      {"", "Gemm", 6, 3, 3, 1, 1, infer_gemm},
      {"", "Gemm", 7, 3, 3, 1, 1, infer_gemm},
      {"", "Gemm", 9, 3, 3, 1, 1, infer_gemm},
      {"", "Gemm", 11, 2, 3, 1, 1, infer_gemm},
      {"", "Gemm", 13, 2, 3, 1, 1, infer_gemm},
      {"", "MatMul", 1, 2, 2, 1, 1, infer_matmul},
      {"", "MatMul", 9, 2, 2, 1, 1, infer_matmul},
      {"", "MatMul", 13, 2, 2, 1, 1, infer_matmul},
      {"", "MatMulInteger", 10, 2, 4, 1, 1, infer_matmul_integer},
      {"", "QLinearMatMul", 10, 8, 8, 1, 1, infer_qlinear_matmul},
      {"", "QLinearMatMul", 21, 8, 8, 1, 1, infer_qlinear_matmul},
  };
  return kRows;
}

}  // namespace ortc

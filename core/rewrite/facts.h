// SPDX-License-Identifier: MIT
// What rewrites ask of a graph before they change it.
//
// A rewrite may only rely on what holds at every run: constants that no one can override, shapes
// that are certain, values with no other reader (Graph::only_consumer).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace ortc {

// The tensor that every run sees, also through captures of an enclosing graph; else null.
const Tensor* constant_of(const Graph& graph, ValueId id);
// The only element of a constant (floats, halves, integers) as a double.
std::optional<double> scalar_of(const Graph& graph, ValueId id);
// True for a constant of one element within the precision of its type of `number`.
bool is_scalar(const Graph& graph, ValueId id, double number);
// The same, and broadcasting it to `data` does not raise the rank.
bool is_scalar_beside(const Graph& graph, ValueId id, double number, ValueId data);
std::optional<std::vector<int64_t>> constant_integers(const Graph& graph, ValueId id);
// Elements of a float32, float64 or float16 constant as doubles.
std::optional<std::vector<double>> constant_numbers(const Graph& graph, ValueId id);
DType dtype_of(const Graph& graph, ValueId id);
std::optional<size_t> rank_of(const Graph& graph, ValueId id);
std::optional<Dims> dims_of(const Graph& graph, ValueId id);
// Both have known dims, and the same ones.
bool same_static_shape(const Graph& graph, ValueId a, ValueId b);
// Ranks known and each dim certainly the same (numbers or symbols).
bool same_shape(const Graph& graph, ValueId a, ValueId b);
inline constexpr int64_t kAxesAreInput = 13;  // of Squeeze and Unsqueeze, from this opset on
// Axes of a Squeeze, Unsqueeze or reduction: the attribute, or the constant input of later opsets.
// Nothing when they come at run time.
std::optional<std::vector<int64_t>> axes_of(const Node& node);
// The axes of a Transpose without a callee, also those that it has by default; nothing for another
// node, and when rank or numbers are wrong or not known.
std::optional<std::vector<int64_t>> permutation_of(const Node& node);
// Operands are stretched as numpy does it, which is so from opset 7 on, or not at all.
bool broadcasts_as_numpy(const Node& node);
// For a node of two inputs: the one that is not `id`; kNoValue when both are or none is.
ValueId other_input(const Node& node, ValueId id);
bool is_unread(const Graph& graph, ValueId id);
bool only_output_is_read(const Node& node);  // outputs 1.. are omitted or unread
// An operator of ONNX, not the program's own, with one of these names.
bool is_one_of(const Node& node, std::span<const std::string_view> names);
bool reads_known_domain(const Node& node);  // ONNX's own and com.microsoft, not custom
// Draws random numbers, or keeps something between runs.
bool is_deterministic(const Node& node);
bool is_float32(const Graph& graph, ValueId id);
// The only element of a float32 constant.
std::optional<float> constant_scalar(const Graph& graph, ValueId id);
// The shape when its rank is known.
const Shape* known_shape(const Graph& graph, ValueId id);

}  // namespace ortc

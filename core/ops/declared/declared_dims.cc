// SPDX-License-Identifier: MIT
// Sizes that a file declares: see the header.
#include "core/ops/declared/declared_dims.h"

#include <algorithm>
#include <charconv>

#include "core/graph/limits.h"
#include "core/graph/symbol/symbol.h"
#include "core/graph/walk.h"

namespace ortc {
namespace {

// Symbols of a file are true of the model's inputs, where each run checks them; not of elements of
// sequences, which differ. Those of other values are only shown from here on.
class DeclaredSymbols {
 public:
  explicit DeclaredSymbols(int64_t last_number) : last_number_(last_number) {}

  void apply(Graph& graph, bool is_model) {
    int64_t number = 0;  // tells values of sub-graphs apart, see own_symbol()
    for (ValueId id = 0; id < graph.value_bound(); ++id) {
      Value* value = graph.value(id);
      if (value == nullptr) continue;
      clear_elements(value->type);
      if (!value->type.has_shape() || (is_model && value->is_input)) continue;
      Shape& shape = *value->type.shape;
      for (size_t i = 0; i < shape.size(); ++i) {
        std::string& symbol = shape[i].symbol;
        if (symbol.empty() || is_made_symbol(symbol)) continue;
        if (!is_model && number == 0) number = ++last_number_;
        symbol = symbol_shown_as(symbol, own_symbol(value->name, i, number));
      }
    }
    for (const Node& node : nodes_of(graph)) {
      for (Graph* inner : node.subgraphs()) apply(*inner, false);
    }
  }

 private:
  static void clear_elements(Type& type) {
    if (type.element == nullptr) return;
    Type element = *type.element;
    if (element.shape) {
      for (Dim& dim : *element.shape) dim.symbol.clear();
    }
    clear_elements(element);
    type.element = std::make_shared<const Type>(std::move(element));
  }

  int64_t last_number_;
};

// Numbers in the place of symbols of the model's inputs, and of denotations in every type that the
// file gives.
class DimSubstitution {
 public:
  explicit DimSubstitution(const InferOptions& options) : options_(options) {}

  void apply(Graph& graph) const {
    for (ValueId id = 0; id < graph.value_bound(); ++id) {
      Value* value = graph.value(id);
      if (value == nullptr) continue;
      if (graph.parent() == nullptr && value->is_input) put_numbers(value->type);
      apply(value->type);
    }
    for (const Node& node : nodes_of(graph)) {
      for (Graph* inner : node.subgraphs()) apply(*inner);
    }
  }

 private:
  void apply(Type& type) const {
    if (type.shape) {
      for (Dim& dim : *type.shape) apply(dim);
    }
    if (type.element) {
      Type element = *type.element;
      apply(element);
      type.element = std::make_shared<const Type>(std::move(element));
    }
  }
  void put_numbers(Type& type) const {
    if (!type.shape) return;
    for (Dim& dim : *type.shape) {
      if (dim.is_known() || dim.symbol.empty()) continue;
      const auto given = std::ranges::find_if(options_.dim_values, [&](const auto& value) {
        return value.second >= 0 && value.first == dim.symbol;
      });
      if (given != options_.dim_values.end()) dim = {given->second, {}, dim.denotation};
    }
  }
  void apply(Dim& dim) const {
    if (dim.is_known()) return;
    for (const auto& [denotation, number] : options_.denotation_values) {
      if (number >= 0 && !dim.denotation.empty() && dim.denotation == denotation) {
        dim = {number, {}, dim.denotation};
        return;
      }
    }
  }

  const InferOptions& options_;
};

}  // namespace

int64_t last_graph_number(const Graph& graph) {
  int64_t largest = 0;
  const auto see = [&](const Shape& shape) {
    for (const Dim& dim : shape) {
      const size_t at = dim.symbol.rfind(kMadeSymbolMark);
      if (at == std::string::npos) continue;
      int64_t number = 0;
      std::from_chars(dim.symbol.data() + at + 1, dim.symbol.data() + dim.symbol.size(), number);
      largest = std::max(largest, number);
    }
  };
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    const Value* value = graph.value(id);
    for (const Type* type = value != nullptr ? &value->type : nullptr; type != nullptr;
         type = type->element.get()) {
      if (type->shape) see(*type->shape);
    }
  }
  for (const Node& node : nodes_of(graph)) {
    for (const Graph* inner : node.subgraphs()) {
      largest = std::max(largest, last_graph_number(*inner));
    }
  }
  return largest;
}

void set_declared_symbols_apart(Graph& graph) {
  DeclaredSymbols(last_graph_number(graph)).apply(graph, true);
}

void put_given_numbers(Graph& graph, const InferOptions& options) {
  if (options.dim_values.empty() && options.denotation_values.empty()) return;
  DimSubstitution(options).apply(graph);
}

}  // namespace ortc

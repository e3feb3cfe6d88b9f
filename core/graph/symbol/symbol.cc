// SPDX-License-Identifier: MIT
// Symbols of dims: see the header.
#include "core/graph/symbol/symbol.h"

#include <algorithm>

#include "core/graph/limits.h"

namespace ortc {

std::string symbol_shown_as(std::string_view shown, std::string_view symbol) {
  if (shown.empty() || shown == symbol) return std::string(symbol);
  return str_cat(shown, std::string_view(&kShownSymbolMark, 1), symbol);
}

std::string_view shown_symbol(std::string_view symbol) {
  if (const size_t mark = symbol.find(kShownSymbolMark); mark != std::string_view::npos) {
    return symbol.substr(0, mark);
  }
  return symbol.find(kMadeSymbolMark) == std::string_view::npos ? symbol : std::string_view();
}

std::string_view true_symbol(std::string_view symbol) {
  const size_t mark = symbol.rfind(kShownSymbolMark);
  return mark == std::string_view::npos ? symbol : symbol.substr(mark + 1);
}

bool is_made_symbol(std::string_view symbol) {
  return symbol.find(kMadeSymbolMark) != std::string_view::npos ||
         symbol.find(kShownSymbolMark) != std::string_view::npos;
}

std::string own_symbol(std::string_view value_name, size_t axis, int64_t graph_number) {
  std::string symbol = str_cat(value_name, ".", axis, std::string_view(&kMadeSymbolMark, 1));
  if (graph_number != 0) symbol += str_cat(graph_number);
  return symbol;
}

std::string derived_symbol(std::string_view formula, std::string_view symbol) {
  constexpr size_t kLengthMax = 256;
  if (symbol.empty() || formula.size() + symbol.size() > kLengthMax) return {};
  // The mark of `symbol` stays the last one: a number stands behind it.
  const std::string_view mark(&kMadeSymbolMark, 1);
  return str_cat(mark, formula, " ", symbol,
                 symbol.find(mark) == std::string_view::npos ? mark : "");
}

bool has_shown_symbols(const Type& type) {
  return type.has_shape() && std::ranges::any_of(*type.shape, [](const Dim& dim) {
           return true_symbol(dim.symbol).size() != dim.symbol.size();
         });
}

Type true_type(Type type) {
  if (!has_shown_symbols(type)) return type;
  for (Dim& dim : *type.shape) dim.symbol = std::string(true_symbol(dim.symbol));
  return type;
}

Type shown_type(Type type) {
  if (type.shape) {
    for (Dim& dim : *type.shape) dim.symbol = std::string(shown_symbol(dim.symbol));
  }
  if (type.element != nullptr) {
    type.element = std::make_shared<const Type>(shown_type(*type.element));
  }
  return type;
}

}  // namespace ortc

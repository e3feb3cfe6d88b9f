// SPDX-License-Identifier: MIT
// The shape that Reshape gives: see the header.
#include "core/ops/reshape_shape.h"

#include <algorithm>

namespace ortc {
namespace {

// A product of dims: a number times symbols.
struct Product {
  int64_t number = 1;
  std::vector<std::string> symbols;
  bool is_known = true;

  void take(const Dim& dim) {
    if (dim.is_known()) {
      auto product = checked_mul(number, dim.value);
      is_known = is_known && product;
      number = product.value_or(0);
    } else if (!dim.symbol.empty()) {
      symbols.push_back(dim.symbol);
    } else {
      is_known = false;
    }
  }
  bool remove(const std::string& symbol) {
    auto found = std::find(symbols.begin(), symbols.end(), symbol);
    if (found == symbols.end()) return false;
    symbols.erase(found);
    return true;
  }
};

// What the one open dim must be, so that `rest` times it is `all`.
Result<Dim> quotient(Product all, const Product& rest) {
  if (!all.is_known || !rest.is_known) return Dim::unknown();
  for (const std::string& symbol : rest.symbols) {
    if (!all.remove(symbol)) return Dim::unknown();
  }
  if (rest.number == 0) return Dim::unknown();
  if (all.symbols.empty()) {
    if (all.number % rest.number != 0) {
      return invalid_graph(all.number, " elements do not divide by ", rest.number);
    }
    return Dim::known(all.number / rest.number);
  }
  const bool is_symbol = all.symbols.size() == 1 && all.number == rest.number;
  return is_symbol ? Dim::named(all.symbols[0]) : Dim::unknown();
}

}  // namespace

Result<Shape> reshaped_shape(const Shape* input, const Integers& wanted, bool zero_is_zero) {
  Shape shape(wanted.size());
  std::vector<bool> is_copied(input != nullptr ? input->size() : 0, false);
  Product rest;
  size_t open = wanted.size(), open_count = 0, minus_ones = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Integer& size = wanted[i];
    if (size.is(0) && !zero_is_zero) {
      if (input == nullptr) {
        rest.is_known = false;
        continue;
      }
      if (i >= input->size()) {
        return invalid_graph("dim ", i, " would be copied from an input of rank ", input->size());
      }
      shape[i] = plain_dim((*input)[i]);
      is_copied[i] = true;  // stands on both sides: leaves the count's equation
      continue;
    }
    if (size.is_known && size.value < -1) return invalid_graph("a dim would be ", size.value);
    minus_ones += size.is(-1) ? 1 : 0;
    shape[i] = size.dim();
    if (shape[i].is_known() || !shape[i].symbol.empty()) {
      rest.take(shape[i]);
    } else {
      open = i;
      ++open_count;
    }
  }
  if (minus_ones > 1) return invalid_graph("more than one dim is -1");
  if (input == nullptr) return shape;
  Product all;
  bool copies_zero = false;
  for (size_t i = 0; i < input->size(); ++i) {
    if (!is_copied[i]) all.take((*input)[i]);
    copies_zero = copies_zero || (is_copied[i] && !((*input)[i].value > 0));
  }
  if (open_count == 1) {
    ASSIGN_OR_RETURN(shape[open], quotient(all, rest));
  } else if (open_count == 0 && !copies_zero && all.is_known && rest.is_known &&
             all.symbols.empty() && rest.symbols.empty() && all.number != rest.number) {
    return invalid_graph("an input of shape ", shape_to_string(*input), " does not become ",
                         shape_to_string(shape));
  }
  return shape;
}

}  // namespace ortc

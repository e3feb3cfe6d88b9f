// SPDX-License-Identifier: MIT
// Comparing values: see the header.
#include "tests/conformance/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "providers/cpu/elements/element.h"

namespace ortc::test {
namespace {

template <typename T>
double as_double(T value) {
  if constexpr (cpu::kIsReduced<T>) return static_cast<double>(static_cast<float>(value));
  if constexpr (std::is_same_v<T, cpu::Bool8>) return value ? 1 : 0;
  return static_cast<double>(value);
}

// Adds one pair to the comparison; whether it agrees.
bool add_pair(double found, double expected, Tolerance tolerance, Comparison& comparison) {
  if (std::isnan(found) || std::isnan(expected)) return std::isnan(found) && std::isnan(expected);
  if (std::isinf(found) || std::isinf(expected) || found == expected) return found == expected;
  const double distance = std::fabs(found - expected);
  const double allowed = tolerance.atol + tolerance.rtol * std::fabs(expected);
  comparison.worst = std::max(comparison.worst, distance);
  comparison.worst_of_allowed = std::max(comparison.worst_of_allowed, distance / allowed);
  return distance <= allowed;
}

template <typename T>
Comparison compare_floats(const Tensor& found, const Tensor& expected, Tolerance tolerance) {
  Comparison comparison;
  for (int64_t i = 0; i < found.element_count(); ++i) {
    const double a = as_double(static_cast<const T*>(found.data())[i]);
    const double b = as_double(static_cast<const T*>(expected.data())[i]);
    if (!add_pair(a, b, tolerance, comparison) && comparison.what.empty()) {
      comparison.what = str_cat("element ", i, " is ", a, ", expected ", b);
    }
  }
  return comparison;
}

// Takes the worse of two.
void join(Comparison& total, Comparison part) {
  if (total.agrees()) total.what = std::move(part.what);
  total.worst = std::max(total.worst, part.worst);
  total.worst_of_allowed = std::max(total.worst_of_allowed, part.worst_of_allowed);
}

// `same` compares tensors.
template <typename F>
Comparison compare_values(const Datum& found, const Datum& expected, const F& same) {
  Comparison total;
  const Sequence *a = found.sequence(), *b = expected.sequence();
  if (found.is_tensor() && expected.is_tensor()) return same(*found.tensor(), *expected.tensor());
  if (found.kind() == DatumKind::kMap && expected.kind() == DatumKind::kMap) {
    join(total, same(found.map()->keys, expected.map()->keys));
    join(total, same(found.map()->values, expected.map()->values));
  } else if (a != nullptr && b != nullptr && describe(found) == describe(expected)) {
    for (size_t i = 0; i < a->items.size(); ++i) {
      join(total, compare_values(a->items[i], b->items[i], same));
    }
  } else if (!found.is_none() || !expected.is_none()) {
    total.what = str_cat("found ", describe(found), ", expected ", describe(expected));
  }
  return total;
}

struct Distribution {
  double mean = 0, deviation = 0;
};

Distribution distribution_of(const Tensor& tensor) {
  Distribution result;
  const auto n = static_cast<double>(std::max<int64_t>(1, tensor.element_count()));
  cpu::with_type(cpu::Join<cpu::NumberTypes, cpu::TypeList<cpu::Bool8>>{}, tensor.dtype(),
                 [&](auto tag) {
                   using T = typename decltype(tag)::type;
                   const auto* x = static_cast<const T*>(tensor.data());
                   for (int64_t i = 0; i < tensor.element_count(); ++i) {
                     result.mean += as_double(x[i]) / n;
                   }
                   for (int64_t i = 0; i < tensor.element_count(); ++i) {
                     result.deviation += std::pow(as_double(x[i]) - result.mean, 2) / n;
                   }
                 });
  result.deviation = std::sqrt(result.deviation);
  return result;
}

// Two samples of one distribution: their means lie within five standard errors.
Comparison compare_distributions(const Tensor& found, const Tensor& expected) {
  Comparison comparison;
  const Distribution a = distribution_of(found), b = distribution_of(expected);
  const auto n = static_cast<double>(std::max<int64_t>(1, found.element_count()));
  const double allowed = 5 * std::hypot(a.deviation, b.deviation) / std::sqrt(n);
  if (!(std::fabs(a.mean - b.mean) <= allowed)) {
    comparison.what = str_cat("the mean is ", a.mean, ", expected ", b.mean, " +- ", allowed);
  }
  return comparison;
}

}  // namespace

bool are_same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.dims() != b.dims()) return false;
  if (a.dtype() == DType::kString) {
    const auto x = a.string_elements(), y = b.string_elements();
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  }
  return a.byte_size() == b.byte_size() &&
         (a.byte_size() == 0 || std::memcmp(a.data(), b.data(), a.byte_size()) == 0);
}

bool are_same(const Datum& a, const Datum& b) {
  const auto same = [](const Tensor& x, const Tensor& y) {
    Comparison comparison;
    if (!are_same(x, y)) comparison.what = "elements differ";
    return comparison;
  };
  return compare_values(a, b, same).agrees();
}

bool are_same(const std::vector<std::vector<Datum>>& a, const std::vector<std::vector<Datum>>& b) {
  const auto same = [](const auto& x, const auto& y) { return are_same(x, y); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  });
}

Comparison compare(const Datum& found, const Datum& expected, Tolerance tolerance) {
  return compare_values(found, expected,
                        [&](const Tensor& a, const Tensor& b) { return compare(a, b, tolerance); });
}

Comparison compare(const Tensor& found, const Tensor& expected, Tolerance tolerance) {
  Comparison comparison;
  if (found.dtype() != expected.dtype() || found.dims() != expected.dims()) {
    comparison.what =
        str_cat("found ", dtype_name(found.dtype()), dims_to_string(found.dims()), ", expected ",
                dtype_name(expected.dtype()), dims_to_string(expected.dims()));
    return comparison;
  }
  if (tolerance.by_distribution) return compare_distributions(found, expected);
  if (found.dtype() == DType::kBfloat16) tolerance.rtol = std::max(tolerance.rtol, 1.0 / 128);
  const bool is_float = cpu::with_type(cpu::FloatTypes{}, found.dtype(), [&](auto tag) {
    comparison = compare_floats<typename decltype(tag)::type>(found, expected, tolerance);
  });
  if (!is_float && !are_same(found, expected)) comparison.what = "elements differ";
  return comparison;
}

}  // namespace ortc::test

// SPDX-License-Identifier: MIT
// Records of support vector machines: see the header.
#include "providers/cpu/kernels/ml/svm_record.h"

#include <algorithm>

#include "core/graph/one_of.h"
#include "providers/cpu/kernels/ml/scores.h"

namespace ortc::cpu {
namespace {

// --- What attributes must be.

Result<SvmParams> common_params(const Node& node, bool has_vectors) {
  ASSIGN_OR_RETURN(const uint32_t kernel,
                   one_of(node, "kernel_type", "LINEAR", {"LINEAR", "POLY", "RBF", "SIGMOID"}));
  SvmParams params{};
  params.record_bytes = sizeof params;
  params.kernel = has_vectors ? kernel : 0;
  const auto numbers = float_list(node, "kernel_params");
  if (!numbers.empty() && numbers.size() != 3) {
    return invalid_graph("attribute 'kernel_params' has ", numbers.size(), " numbers, expected 3");
  }
  if (!numbers.empty()) {
    params.gamma = numbers[0];
    params.coef0 = numbers[1];
    params.degree = numbers[2];
  }
  ASSIGN_OR_RETURN(const PostTransform transform, post_transform_of(node));
  params.transform = static_cast<uint32_t>(transform);
  return params;
}

Status wrong_count(std::string_view name, size_t found, int64_t expected) {
  return invalid_graph("attribute '", name, "' has ", found, " numbers, expected ", expected);
}

// What attributes of a classifier with support vectors must be.
Status check_vectors(const Node& node, int64_t classes, const std::vector<int64_t>& per_class) {
  if (static_cast<int64_t>(per_class.size()) != classes) {
    return wrong_count("vectors_per_class", per_class.size(), classes);
  }
  int64_t total = 0;
  for (const int64_t count : per_class) {
    if (count < 0 || count > INT32_MAX) {
      return invalid_graph("attribute 'vectors_per_class' has ", count, ", expected 0 or more");
    }
    total += count;
  }
  const int64_t pairs = classes * (classes - 1) / 2;
  // Sums are at most classes * 2^31, so that they can be compared before they are multiplied.
  if (total > static_cast<int64_t>(float_list(node, "coefficients").size())) {
    return wrong_count("coefficients", float_list(node, "coefficients").size(), total);
  }
  const auto count_of = [&](std::string_view name) { return float_list(node, name).size(); };
  const auto is = [](size_t found, int64_t expected) {
    return static_cast<int64_t>(found) == expected;
  };
  if (!is(count_of("coefficients"), (classes - 1) * total)) {
    return wrong_count("coefficients", count_of("coefficients"), (classes - 1) * total);
  }
  const size_t numbers = count_of("support_vectors");
  if (numbers == 0 || numbers % static_cast<size_t>(total) != 0) {
    return invalid_graph("attribute 'support_vectors' has ", numbers,
                         " numbers, expected a multiple of ", total);
  }
  if (!is(count_of("rho"), pairs)) return wrong_count("rho", count_of("rho"), pairs);
  for (const std::string_view name : {"prob_a", "prob_b"}) {
    const bool has = count_of("prob_a") + count_of("prob_b") != 0;
    if (has && !is(count_of(name), pairs)) return wrong_count(name, count_of(name), pairs);
  }
  return Status::ok();
}

// --- Reading.

Result<std::span<const float>> take_floats(Bytes& rest) {
  ASSIGN_OR_RETURN(const Column column, take_column(rest, DType::kFloat32));
  return numbers_of<float>(column);
}

Status misfit() { return invalid_graph("the lists in its params record do not fit each other"); }

// What both have; gives the rest of the record.
Result<Bytes> read_common(Bytes record, Svm& svm) {
  svm.params = *reinterpret_cast<const SvmParams*>(record.data());
  Bytes rest = record.subspan(sizeof(SvmParams));
  ASSIGN_OR_RETURN(svm.coefficients, take_floats(rest));
  ASSIGN_OR_RETURN(svm.vectors, take_floats(rest));
  ASSIGN_OR_RETURN(svm.rho, take_floats(rest));
  const bool fits = !svm.coefficients.empty() && !svm.rho.empty() && svm.params.kernel <= 3 &&
                    is_post_transform(svm.params.transform);
  return fits ? Result<Bytes>(rest) : misfit();
}

Status read_pairs(Svm& svm) {
  const auto size = [](auto span) { return static_cast<int64_t>(span.size()); };
  for (const int64_t count : svm.per_class) {
    if (count < 0 || count > INT32_MAX) return misfit();
    svm.vector_count += count;
  }
  if (size(svm.per_class) != svm.classes() || svm.vector_count == 0 ||
      svm.vector_count > size(svm.coefficients) || size(svm.rho) != svm.pairs() ||
      size(svm.coefficients) != (svm.classes() - 1) * svm.vector_count ||
      size(svm.vectors) % svm.vector_count != 0 || svm.prob_a.size() != svm.prob_b.size() ||
      (!svm.prob_a.empty() && size(svm.prob_a) != svm.pairs())) {
    return misfit();
  }
  svm.features = size(svm.vectors) / svm.vector_count;
  svm.scores = !svm.prob_a.empty() || svm.classes() == 2 ? svm.classes() : svm.pairs();
  return Status::ok();
}

}  // namespace

Status prepare_svm_regressor(PrepareContext& ctx) {
  const Node& node = ctx.node();
  const int64_t supports = node.int_attribute("n_supports", 0);
  const auto coefficients = float_list(node, "coefficients"), rho = float_list(node, "rho");
  const auto vectors = float_list(node, "support_vectors");
  ASSIGN_OR_RETURN(SvmParams params, common_params(node, supports > 0));
  params.is_one_class = node.int_attribute("one_class", 0) != 0 ? 1 : 0;
  if (rho.empty()) return wrong_count("rho", 0, 1);
  if (coefficients.empty()) return wrong_count("coefficients", 0, 1);
  if (supports > 0) {
    const auto count = static_cast<size_t>(supports);
    if (coefficients.size() != count) {
      return wrong_count("coefficients", coefficients.size(), supports);
    }
    if (vectors.empty() || vectors.size() % count != 0) {
      return invalid_graph("attribute 'support_vectors' has ", vectors.size(),
                           " numbers, expected a multiple of ", supports);
    }
  }
  const Tensor a = column_of(coefficients), c = column_of(rho);
  const Tensor b = column_of(supports > 0 ? vectors : std::vector<float>());
  return set_columns(ctx, params, {&a, &b, &c});
}

Status prepare_svm_classifier(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ASSIGN_OR_RETURN(const Tensor labels,
                   class_labels(node, "classlabels_strings", "classlabels_ints"));
  const int64_t classes = labels.element_count();
  if (classes < 2) return not_implemented("a classifier of one class");
  if (classes > UINT16_MAX) return not_implemented("a classifier of ", classes, " classes");
  const auto per_class = node.ints_attribute("vectors_per_class", {});
  const bool has_vectors =
      std::any_of(per_class.begin(), per_class.end(), [](int64_t count) { return count != 0; });
  ASSIGN_OR_RETURN(SvmParams params, common_params(node, has_vectors));
  const auto coefficients = float_list(node, "coefficients"), rho = float_list(node, "rho");
  auto vectors = float_list(node, "support_vectors");
  auto prob_a = float_list(node, "prob_a"), prob_b = float_list(node, "prob_b");
  if (has_vectors) {
    RETURN_IF_ERROR(check_vectors(node, classes, per_class));
  } else {
    vectors.clear();
    prob_a.clear();
    prob_b.clear();
    if (rho.empty()) return wrong_count("rho", 0, 1);
    if (coefficients.empty() || coefficients.size() % static_cast<size_t>(classes) != 0) {
      return invalid_graph("attribute 'coefficients' has ", coefficients.size(),
                           " numbers, expected a multiple of ", classes, " classes");
    }
  }
  const bool is_single = has_vectors && classes == 2 && prob_a.empty();
  if (is_single && params.transform == static_cast<uint32_t>(PostTransform::kProbit)) {
    return not_implemented("PROBIT of the score of two classes");
  }
  const Tensor a = column_of(coefficients), b = column_of(vectors), c = column_of(rho),
               d = column_of(has_vectors ? per_class : std::vector<int64_t>()),
               e = column_of(prob_a), f = column_of(prob_b);
  return set_columns(ctx, params, {&a, &b, &c, &d, &e, &f, &labels});
}

Result<Svm> read_svm_regressor(Bytes record) {
  Svm svm;
  RETURN_IF_ERROR(read_common(record, svm).status());
  const auto count = static_cast<int64_t>(svm.coefficients.size());
  svm.vector_count = svm.vectors.empty() ? 0 : count;
  svm.features = svm.vectors.empty() ? count : static_cast<int64_t>(svm.vectors.size()) / count;
  if (!svm.vectors.empty() && svm.vectors.size() % svm.coefficients.size() != 0) return misfit();
  return svm;
}

Result<Svm> read_svm_classifier(Bytes record) {
  Svm svm;
  ASSIGN_OR_RETURN(Bytes rest, read_common(record, svm));
  ASSIGN_OR_RETURN(const Column per_class, take_column(rest, DType::kInt64));
  svm.per_class = numbers_of<int64_t>(per_class);
  ASSIGN_OR_RETURN(svm.prob_a, take_floats(rest));
  ASSIGN_OR_RETURN(svm.prob_b, take_floats(rest));
  ASSIGN_OR_RETURN(svm.labels, take_labels(rest));
  if (svm.classes() < 2 || svm.classes() > UINT16_MAX) return misfit();
  if (!svm.vectors.empty()) {
    RETURN_IF_ERROR(read_pairs(svm));
    return svm;
  }
  svm.rows = svm.scores = svm.classes();
  svm.features = static_cast<int64_t>(svm.coefficients.size()) / svm.classes();
  if (static_cast<int64_t>(svm.coefficients.size()) % svm.classes() != 0) return misfit();
  return svm;
}

}  // namespace ortc::cpu

// SPDX-License-Identifier: MIT
// LinearClassifier and LinearRegressor (ai.onnx.ml):
//
//   score[n, t] = sum_f x[n, f] coefficient[t, f] + intercept[t]
//
// A classifier with one row of coefficients and two labels scores both classes: -s and s. The label
// is that of the largest score, of equal ones the first, before the transform.
#include <algorithm>
#include <functional>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/gemm_f64/gemm_f64.h"
#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/ml/scores.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

// Behind it stand the columns of coefficients, of intercepts (none, or one for each target) and of
// labels (none for a regressor).
struct LinearParams {
  uint32_t record_bytes;
  uint32_t transform;
  int64_t targets;
};
static_assert(sizeof(LinearParams) == 16);

Status set_linear(PrepareContext& ctx, int64_t targets, const Tensor& labels) {
  const auto coefficients = float_list(ctx.node(), "coefficients");
  const auto intercepts = float_list(ctx.node(), "intercepts");
  const auto count = static_cast<int64_t>(coefficients.size());
  if (targets < 1 || count == 0 || count % targets != 0) {
    return invalid_graph("attribute 'coefficients' has ", count,
                         " numbers, expected a multiple of ", targets, " targets");
  }
  if (!intercepts.empty() && static_cast<int64_t>(intercepts.size()) != targets) {
    return invalid_graph("attribute 'intercepts' has ", intercepts.size(), " numbers, expected ",
                         targets);
  }
  ASSIGN_OR_RETURN(const PostTransform transform, post_transform_of(ctx.node()));
  const LinearParams params{sizeof params, static_cast<uint32_t>(transform), targets};
  const Tensor a = column_of(coefficients), b = column_of(intercepts);
  return set_columns(ctx, params, {&a, &b, &labels});
}

Status prepare_regressor(PrepareContext& ctx) {
  return set_linear(ctx, ctx.node().int_attribute("targets", 1),
                    column_of(std::span<const int64_t>()));
}

// Without intercepts there is a row of coefficients for each label; where that cannot be, one row.
Status prepare_classifier(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const Tensor labels,
                   class_labels(ctx.node(), "classlabels_strings", "classlabels_ints"));
  const auto intercepts = static_cast<int64_t>(float_list(ctx.node(), "intercepts").size());
  const int64_t targets = intercepts != 0 ? intercepts : labels.element_count();
  if (labels.element_count() == 1) return not_implemented("a classifier of one class");
  if (targets != labels.element_count() && (targets != 1 || labels.element_count() != 2)) {
    return invalid_graph("attribute 'intercepts' has ", targets, " numbers for ",
                         labels.element_count(), " classes");
  }
  return set_linear(ctx, targets, labels);
}

// --- Bind.

struct LinearModel {
  PostTransform transform;
  int64_t targets, features;
  std::span<const float> coefficients, intercepts;
  Column labels;
};

template <typename Context>
Result<LinearModel> read_model(const Context& ctx) {
  const auto& params = *reinterpret_cast<const LinearParams*>(ctx.params_bytes().data());
  Bytes rest = ctx.params_bytes().subspan(sizeof params);
  ASSIGN_OR_RETURN(const Column coefficients, take_column(rest, DType::kFloat32));
  ASSIGN_OR_RETURN(const Column intercepts, take_column(rest, DType::kFloat32));
  LinearModel model{static_cast<PostTransform>(params.transform),
                    params.targets,
                    0,
                    numbers_of<float>(coefficients),
                    numbers_of<float>(intercepts),
                    {}};
  ASSIGN_OR_RETURN(model.labels, take_labels(rest));
  const auto count = static_cast<int64_t>(coefficients.count());
  const bool fits =
      params.targets > 0 && count % params.targets == 0 && is_post_transform(params.transform) &&
      (intercepts.count() == 0 || static_cast<int64_t>(intercepts.count()) == params.targets);
  if (!fits) return invalid_graph("the lists in its params record do not fit each other");
  model.features = count / params.targets;
  return model;
}

int64_t score_count(const LinearModel& model) {
  return std::max(model.targets, static_cast<int64_t>(model.labels.count()));
}

struct LinearScratch {
  ScratchPlan plan;
  uint64_t coefficients, features, scores, turned, packed;
};

// A regressor's scores of floats are results as they are: a product of float matrices.
bool is_float_product(const ValueRef& x, const LinearModel& model) {
  return x.dtype == DType::kFloat32 && model.labels.count() == 0 && model.targets > 1 &&
         model.transform == PostTransform::kNone;
}

// In double: coefficients, features that are no floats, and scores twice. In float: coefficients
// for a float product.
LinearScratch lay_out(const ValueRef& x, const LinearModel& model, int64_t scores) {
  LinearScratch at{};
  at.coefficients = at.plan.add<double>(static_cast<int64_t>(model.coefficients.size()));
  at.features = at.plan.add<double>(x.dtype == DType::kFloat32 ? 0 : x.element_count());
  at.scores = at.plan.add<double>(scores);
  at.turned = at.plan.add<double>(scores);
  const auto features = static_cast<size_t>(model.features);
  const size_t packed = packed_size(features, static_cast<size_t>(model.targets));
  at.packed = at.plan.add<float>(is_float_product(x, model) ? static_cast<int64_t>(packed) : 0);
  return at;
}

Result<FeatureRows> bind_model(BindContext& ctx, const LinearModel& model) {
  RETURN_IF_ERROR(check_type(ctx, 0, kFeatureTypes));
  ASSIGN_OR_RETURN(const FeatureRows x, feature_rows(ctx.input(0)));
  if (x.features != model.features) {
    return invalid_argument("input 0 has ", x.features, " features, expected ", model.features);
  }
  const auto scores = checked_mul(x.rows, score_count(model));
  if (!scores) return invalid_argument("too many scores");
  RETURN_IF_ERROR(lay_out(ctx.input(0), model, *scores).plan.declare(ctx));
  return x;
}

Status bind_regressor(BindContext& ctx) {
  if (ctx.params<LinearParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  ASSIGN_OR_RETURN(const LinearModel model, read_model(ctx));
  if (model.labels.count() != 0) return damaged_params("a regressor has labels");
  ASSIGN_OR_RETURN(const FeatureRows x, bind_model(ctx, model));
  return ctx.set_output(0, DType::kFloat32, {x.rows, model.targets});
}

Status bind_classifier(BindContext& ctx) {
  if (ctx.params<LinearParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1, 0));
  ASSIGN_OR_RETURN(const LinearModel model, read_model(ctx));
  const auto labels = static_cast<int64_t>(model.labels.count());
  if (labels != model.targets && (labels != 2 || model.targets != 1)) {
    return damaged_params("it has ", labels, " labels for ", model.targets, " scores");
  }
  ASSIGN_OR_RETURN(const FeatureRows x, bind_model(ctx, model));
  if (ctx.has_output(0)) {
    RETURN_IF_ERROR(ctx.set_output(0, model.labels.dtype(), {x.rows}));
  }
  return ctx.has_output(1) ? ctx.set_output(1, DType::kFloat32, {x.rows, labels}) : Status::ok();
}

// --- Run.

constexpr int64_t kRowsAtOnce = 96;  // whole panels of a product
constexpr int64_t kFewRows = 4;      // which would fill a small part of a panel
constexpr int64_t kFewTargets = 2;   // for which rows are not worth turning,
constexpr int64_t kFewFeatures = 8;  // if these fill a register

// Whether rows and targets meet one by one.
bool meets_singly(const ValueRef& x, const LinearModel& model, int64_t rows) {
  const bool has_few_targets = model.targets <= kFewTargets && model.features >= kFewFeatures;
  return x.dtype == DType::kFloat32 && (has_few_targets || rows < kFewRows);
}

// Scores of `rows` rows from `row` on, one target's behind the other's.
void score_rows(const RunContext& ctx, const LinearModel& model, int64_t row, int64_t rows,
                const double* coefficients, double* features, double* scores) {
  const ValueRef& x = ctx.input(0);
  const auto n = static_cast<size_t>(model.features), m = static_cast<size_t>(rows),
             targets = static_cast<size_t>(model.targets);
  GemmF64 gemm{.a = coefficients, .a_row = n};
  if (x.dtype == DType::kFloat32) {
    gemm.b_floats = x.as<float>() + row * model.features;
  } else {
    read_features(x, row * model.features, rows * model.features, features);
    gemm.b = features;
  }
  gemm.b_row = 1;
  gemm.b_step = gemm.k = n;
  gemm.c = scores;
  gemm.ldc = gemm.n = m;
  gemm_f64_kernels(ctx.isa()).tile(gemm, 0, targets, 0, (m + kColumnsF64 - 1) / kColumnsF64);
}

// The same where they meet one by one.
void score_singly(const RunContext& ctx, const LinearModel& model, int64_t row, int64_t rows,
                  double* products, double* scores) {
  const auto n = static_cast<size_t>(model.features), targets = static_cast<size_t>(model.targets);
  const auto m = static_cast<size_t>(rows);
  const auto dots = reduce_f32_kernels(ctx.isa()).dots;
  const float* x = ctx.input(0).as<float>() + row * model.features;
  for (size_t t = 0; model.targets <= kFewTargets && t < targets; ++t) {
    dots(x, n, m, model.coefficients.data() + t * n, n, scores + t * m);
  }
  if (model.targets <= kFewTargets) return;
  for (size_t i = 0; i < m; ++i) {
    dots(model.coefficients.data(), n, targets, x + i * n, n, products);
    for (size_t t = 0; t < targets; ++t) scores[t * m + i] = products[t];
  }
}

void add_intercepts(const LinearModel& model, int64_t rows, double* scores) {
  for (const float intercept : model.intercepts) {
    for (int64_t i = 0; i < rows; ++i) scores[i] += double{intercept};
    scores += rows;
  }
}

// f(row, rows, their scores, room for as many) for all rows, on all threads.
template <typename F>
void for_scores(const RunContext& ctx, const LinearModel& model, F&& f) {
  const ValueRef& x = ctx.input(0);
  const int64_t rows = (*feature_rows(x)).rows, width = score_count(model);
  const LinearScratch at = lay_out(x, model, rows * width);
  auto *coefficients = scratch_at<double>(ctx, at.coefficients),
       *features = scratch_at<double>(ctx, at.features),
       *all_scores = scratch_at<double>(ctx, at.scores),
       *turned = scratch_at<double>(ctx, at.turned);
  const bool is_single = meets_singly(x, model, rows);
  if (!is_single) {
    maps_f64_kernels(ctx.isa()).widen(model.coefficients.data(), coefficients,
                                      model.coefficients.size());
  }
  const int64_t cost = std::max<int64_t>(1, model.features * model.targets * kRowsAtOnce);
  ctx.parallel_for(rows, kRowsAtOnce * std::max<int64_t>(1, kElementGrain / cost),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t row = begin; row < end; row += kRowsAtOnce) {
                       const int64_t count = std::min(kRowsAtOnce, end - row);
                       double* scores = all_scores + row * width;
                       if (is_single) {
                         score_singly(ctx, model, row, count, coefficients, scores);
                       } else {
                         score_rows(ctx, model, row, count, coefficients,
                                    features + row * model.features, scores);
                       }
                       add_intercepts(model, count, scores);
                       f(row, count, scores, turned + row * width);
                     }
                   });
}

void multiply_floats(const RunContext& ctx, const LinearModel& model, int64_t rows, float* packed) {
  const GemmF32Kernels& kernels = gemm_f32_kernels(ctx.isa());
  GemmF32 gemm;
  gemm.a = ctx.input(0).as<float>();
  gemm.lda = gemm.k = static_cast<size_t>(model.features);
  gemm.b = packed;
  gemm.c = ctx.output(0).as_mutable<float>();
  gemm.ldc = gemm.n = static_cast<size_t>(model.targets);
  if (!model.intercepts.empty()) gemm.epilogue.bias = model.intercepts.data();
  const size_t panels = panel_count(gemm.n);
  kernels.pack_b(model.coefficients.data(), gemm.k, true, gemm.k, gemm.n, 0, panels, packed);
  const int64_t grain = kElementGrain / std::max<int64_t>(1, model.features * model.targets);
  ctx.parallel_for(rows, std::max(kRowsAtOnce, grain), [&](int64_t begin, int64_t end) {
    kernels.tile(gemm, static_cast<size_t>(begin), static_cast<size_t>(end), 0, panels);
  });
}

Status run_regressor(RunContext& ctx) {
  ASSIGN_OR_RETURN(const LinearModel model, read_model(ctx));
  const ValueRef& x = ctx.input(0);
  const int64_t rows = (*feature_rows(x)).rows;
  if (is_float_product(x, model) && !meets_singly(x, model, rows)) {
    const LinearScratch at = lay_out(x, model, rows * score_count(model));
    multiply_floats(ctx, model, rows, scratch_at<float>(ctx, at.packed));
    return Status::ok();
  }
  auto* y = ctx.output(0).as_mutable<float>();
  for_scores(ctx, model, [&](int64_t row, int64_t rows, double* scores, double* turned) {
    write_score_columns(ctx.isa(), model.transform, scores, turned, static_cast<size_t>(rows),
                        static_cast<size_t>(model.targets), y + row * model.targets);
  });
  return Status::ok();
}

void write_labels(const RunContext& ctx, const LinearModel& model, int64_t row, int64_t rows,
                  const double* scores) {
  int64_t best[kRowsAtOnce];
  const auto m = static_cast<size_t>(rows);
  maps_f64_kernels(ctx.isa()).first_largest(scores, m, model.labels.count(), best, m);
  if (model.labels.dtype() == DType::kInt64) {
    const auto labels = numbers_of<int64_t>(model.labels);
    auto* y = ctx.output(0).as_mutable<int64_t>() + row;
    for (size_t i = 0; i < m; ++i) y[i] = labels[static_cast<size_t>(best[i])];
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    model.labels.copy_to(static_cast<size_t>(best[i]), ctx.output(0).data, row + i);
  }
}

Status run_classifier(RunContext& ctx) {
  ASSIGN_OR_RETURN(const LinearModel model, read_model(ctx));
  const auto classes = static_cast<int64_t>(model.labels.count());
  for_scores(ctx, model, [&](int64_t row, int64_t rows, double* scores, double* turned) {
    if (model.targets < classes) {  // one score for two
      std::copy_n(scores, rows, scores + rows);
      std::transform(scores, scores + rows, scores, std::negate<>());
    }
    if (ctx.has_output(0)) write_labels(ctx, model, row, rows, scores);
    if (ctx.has_output(1)) {
      write_score_columns(ctx.isa(), model.transform, scores, turned, static_cast<size_t>(rows),
                          static_cast<size_t>(classes),
                          ctx.output(1).as_mutable<float>() + row * classes);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable linear_model_kernels() {
  static constexpr KernelRow rows[] = {
      {"LinearRegressor", kMlDomain, 1, kLatestOpset, kFeatureTypes, "linear_regressor", 1,
       kNoFlags, 0, prepare_regressor, bind_regressor, run_regressor},
      {"LinearClassifier", kMlDomain, 1, kLatestOpset, kFeatureTypes, "linear_classifier", 1,
       kNoFlags, 0, prepare_classifier, bind_classifier, run_classifier},
  };
  return rows;
}

}  // namespace ortc::cpu

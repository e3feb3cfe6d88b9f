// SPDX-License-Identifier: MIT
// SVMClassifier and SVMRegressor (ai.onnx.ml). With support vectors s and a kernel k,
//
//   regressor     y = sum_j c[j] k(x, s[j]) + rho[0];  of one class: 1 where positive, else -1
//   classifier    for each pair of classes i < j, from the vectors of both,
//                 d[i, j] = sum c[j-1, vectors of i] k + sum c[i, vectors of j] k + rho[pair];
//                 a positive one is a vote for i, another for j; most votes win, of equals the
//                 first
//
// Scores of a classifier are the d of all pairs; of two classes -d and d; with prob_a and prob_b a
// probability for each class. Without support vectors the coefficients are one row for each class
// (or target), and the scores are x c[i] + rho[0].
#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/gemm_f64/gemm_f64.h"
#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/ml/pair_probability.h"
#include "providers/cpu/kernels/ml/scores.h"
#include "providers/cpu/kernels/ml/svm_record.h"

namespace ortc::cpu {
namespace {

// --- Bind.

// Rows go together, so that every support vector is read once for all of them, and meet so many
// vectors at a time.
constexpr int64_t kRowsMost = 48, kRowStep = 12, kVectorsAtOnce = 512;
constexpr int64_t kBlocks = 16;  // of rows; each has scratch of its own

struct RowBlocks {
  int64_t at_once, rows, count;  // rows that go together, rows of a block, blocks
};

RowBlocks row_blocks(int64_t rows) {
  const int64_t steps = std::clamp<int64_t>(rows / 8 / kRowStep, 1, kRowsMost / kRowStep);
  const int64_t at_once = std::max<int64_t>(1, std::min(rows, steps * kRowStep));
  const int64_t groups = (rows + at_once - 1) / at_once;
  const int64_t each = std::max<int64_t>(1, (groups + kBlocks - 1) / kBlocks);
  return {at_once, each * at_once, (groups + each - 1) / each};
}

// Of one block: features, kernel values and scores of rows that go together; votes and matrices of
// probabilities of one row.
struct BlockScratch {
  int64_t kernels, scores, votes, matrices, total;
};

int64_t score_room(const Svm& svm) {
  return std::max(svm.scores, std::max<int64_t>(svm.pairs(), 2));
}

std::optional<BlockScratch> block_scratch(const Svm& svm, int64_t at_once) {
  const int64_t classes = std::max<int64_t>(1, svm.classes());
  const auto features = checked_mul(at_once, svm.features);
  if (!features) return std::nullopt;
  BlockScratch at{};
  at.kernels = *features;
  at.scores = at.kernels + at_once * std::min(svm.vector_count, kVectorsAtOnce);
  at.votes = at.scores + at_once * score_room(svm);
  at.matrices = at.votes + classes;
  at.total = at.matrices + (svm.prob_a.empty() ? 0 : pair_probability_scratch(classes));
  return at;
}

struct SvmScratch {
  ScratchPlan plan;
  uint64_t blocks;
};

SvmScratch lay_out(const Svm& svm, int64_t rows) {
  const RowBlocks blocks = row_blocks(rows);
  const auto each = block_scratch(svm, blocks.at_once);
  const auto numbers = each ? checked_mul(blocks.count, each->total) : std::nullopt;
  SvmScratch at{};
  at.blocks = at.plan.add<double>(numbers.value_or(-1));
  return at;
}

Result<FeatureRows> bind_svm(BindContext& ctx, const Svm& svm) {
  RETURN_IF_ERROR(check_type(ctx, 0, kFeatureTypes));
  ASSIGN_OR_RETURN(const FeatureRows x, feature_rows(ctx.input(0)));
  if (x.features != svm.features) {
    return invalid_argument("input 0 has ", x.features, " features, expected ", svm.features);
  }
  RETURN_IF_ERROR(lay_out(svm, x.rows).plan.declare(ctx));
  return x;
}

Status bind_regressor(BindContext& ctx) {
  if (ctx.params<SvmParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  ASSIGN_OR_RETURN(const Svm svm, read_svm_regressor(ctx.params_bytes()));
  ASSIGN_OR_RETURN(const FeatureRows x, bind_svm(ctx, svm));
  return ctx.set_output(0, DType::kFloat32, {x.rows, 1});
}

Status bind_classifier(BindContext& ctx) {
  if (ctx.params<SvmParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1, 0));
  ASSIGN_OR_RETURN(const Svm svm, read_svm_classifier(ctx.params_bytes()));
  ASSIGN_OR_RETURN(const FeatureRows x, bind_svm(ctx, svm));
  if (ctx.has_output(0)) {
    RETURN_IF_ERROR(ctx.set_output(0, svm.labels.dtype(), {x.rows}));
  }
  return ctx.has_output(1) ? ctx.set_output(1, DType::kFloat32, {x.rows, svm.scores})
                           : Status::ok();
}

// --- Run.

double dot(const double* x, const float* y, int64_t n) {
  constexpr int64_t kLanes = 8;
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] += x[i + j] * double{y[i + j]};
  }
  for (int64_t j = 0; i + j < n; ++j) lanes[j] += x[i + j] * double{y[i + j]};
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

constexpr float kLargestProduct = 16;  // of a degree: so many factors are multiplied

// x = (gamma x + coef0) ^ degree.
void powers(const SvmParams& params, double* x, size_t n) {
  const double gamma{params.gamma}, coef0{params.coef0}, degree{params.degree};
  const bool is_product = params.degree >= 1 && params.degree <= kLargestProduct &&
                          params.degree == std::floor(params.degree);
  for (size_t i = 0; !is_product && i < n; ++i) x[i] = std::pow(gamma * x[i] + coef0, degree);
  constexpr size_t kPart = 128;
  for (size_t begin = 0; is_product && begin < n; begin += kPart) {
    double base[kPart];
    double* y = x + begin;
    const size_t count = std::min(kPart, n - begin);
    for (size_t i = 0; i < count; ++i) base[i] = y[i] = gamma * y[i] + coef0;
    for (float power = 1; power < params.degree; ++power) {
      for (size_t i = 0; i < count; ++i) y[i] *= base[i];
    }
  }
}

// From products, or for kRbf squared distances, to kernel values.
void apply_kernel(const SvmParams& params, const MapsF64Kernels& maps, double* x, size_t n) {
  const double gamma{params.gamma}, coef0{params.coef0};
  switch (static_cast<SvmKernel>(params.kernel)) {
    case SvmKernel::kLinear:
      return;
    case SvmKernel::kPoly:
      return powers(params, x, n);
    case SvmKernel::kSigmoid:
      for (size_t i = 0; i < n; ++i) x[i] = gamma * x[i] + coef0;
      return maps.tanh(x, x, n);
    case SvmKernel::kRbf:
      break;
  }
  for (size_t i = 0; i < n; ++i) x[i] *= gamma;
  if (gamma >= 0) return maps.decay(x, x, n);
  for (size_t i = 0; i < n; ++i) x[i] = std::exp(-x[i]);
}

// What vectors [begin, begin + count) add to the scores of all pairs.
void add_pairs(const Svm& svm, const double* kernels, int64_t begin, int64_t count,
               double* scores) {
  const int64_t classes = svm.classes(), end = begin + count;
  int64_t start = 0;
  for (int64_t i = 0; i < classes; ++i) {
    const int64_t first = std::max(start, begin);
    start += svm.per_class[static_cast<size_t>(i)];
    const int64_t n = std::min(start, end) - first;
    if (n <= 0) continue;
    const float* coefficients = svm.coefficients.data() + first;
    for (int64_t j = 0; j < classes; ++j) {
      if (i == j) continue;
      const int64_t row = j > i ? j - 1 : j, low = std::min(i, j), high = std::max(i, j);
      const int64_t pair = low * classes - low * (low + 1) / 2 + (high - low - 1);
      scores[pair] += dot(kernels + first - begin, coefficients + row * svm.vector_count, n);
    }
  }
}

void count_votes(int64_t classes, const double* scores, double* votes) {
  std::fill_n(votes, classes, 0.0);
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j) votes[*scores++ > 0 ? i : j] += 1;
  }
}

size_t panels_of(int64_t columns) {
  return (static_cast<size_t>(columns) + kColumnsF64 - 1) / kColumnsF64;
}

// Sums of `rows` rows over their support vectors, or of a linear model over its features, to
// score_room() numbers for each row.
void sum_up(const RunContext& ctx, const Svm& svm, const BlockScratch& at, int64_t rows,
            double* own) {
  const auto room = static_cast<size_t>(score_room(svm)), m = static_cast<size_t>(rows);
  double *scores = own + at.scores, *values = own + at.kernels;
  std::fill_n(scores, m * room, 0.0);
  const GemmF64Kernels& products = gemm_f64_kernels(ctx.isa());
  GemmF64 gemm{.a = own, .a_row = static_cast<size_t>(svm.features)};
  gemm.b_row = 1;
  gemm.k = gemm.b_step = static_cast<size_t>(svm.features);
  if (svm.vector_count == 0) {
    gemm.b_floats = svm.coefficients.data();
    gemm.c = scores;
    gemm.ldc = room;
    gemm.n = static_cast<size_t>(svm.rows);
    return products.tile(gemm, 0, m, 0, panels_of(svm.rows));
  }
  const bool is_rbf = static_cast<SvmKernel>(svm.params.kernel) == SvmKernel::kRbf;
  gemm.c = values;
  for (int64_t begin = 0; begin < svm.vector_count; begin += kVectorsAtOnce) {
    const int64_t count = std::min(kVectorsAtOnce, svm.vector_count - begin);
    gemm.b_floats = svm.vectors.data() + begin * svm.features;
    gemm.n = gemm.ldc = static_cast<size_t>(count);
    (is_rbf ? products.squares : products.tile)(gemm, 0, m, 0, panels_of(count));
    apply_kernel(svm.params, maps_f64_kernels(ctx.isa()), values, m * gemm.n);
    for (size_t row = 0; row < m; ++row) {
      const double* of_row = values + row * gemm.n;
      if (svm.classes() == 0) {
        scores[row * room] += dot(of_row, svm.coefficients.data() + begin, count);
      } else {
        add_pairs(svm, of_row, begin, count, scores + row * room);
      }
    }
  }
}

// f(row, its sums, the block's scratch) for every row, on all threads.
template <typename F>
void for_rows(const RunContext& ctx, const Svm& svm, F&& f) {
  const ValueRef& x = ctx.input(0);
  const int64_t rows = (*feature_rows(x)).rows;
  const RowBlocks blocks = row_blocks(rows);
  const BlockScratch at = *block_scratch(svm, blocks.at_once);
  auto* scratch = scratch_at<double>(ctx, lay_out(svm, rows).blocks);
  ctx.parallel_for(blocks.count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      double* own = scratch + block * at.total;
      const int64_t last = std::min(rows, (block + 1) * blocks.rows);
      for (int64_t row = block * blocks.rows; row < last; row += blocks.at_once) {
        const int64_t count = std::min(blocks.at_once, last - row);
        read_features(x, row * svm.features, count * svm.features, own);
        sum_up(ctx, svm, at, count, own);
        for (int64_t i = 0; i < count; ++i) {
          f(row + i, own + at.scores + i * score_room(svm), own);
        }
      }
    }
  });
}

Status run_regressor(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Svm svm, read_svm_regressor(ctx.params_bytes()));
  auto* y = ctx.output(0).as_mutable<float>();
  for_rows(ctx, svm, [&](int64_t row, const double* sums, double*) {
    double score = sums[0] + double{svm.rho[0]};
    if (svm.params.is_one_class != 0) score = score > 0 ? 1 : -1;
    write_scores(static_cast<PostTransform>(svm.params.transform), &score, 1, y + row);
  });
  return Status::ok();
}

// From the sums of a row to its scores as they come out, before the transform; gives the winning
// class.
int64_t classify(const Svm& svm, const BlockScratch& at, double* scores, double* own) {
  const auto largest = [&](const double* of) {
    return std::max_element(of, of + svm.classes()) - of;
  };
  if (svm.vector_count == 0) {
    for (int64_t i = 0; i < svm.classes(); ++i) scores[i] += double{svm.rho[0]};
    return largest(scores);
  }
  for (int64_t i = 0; i < svm.pairs(); ++i) scores[i] += double{svm.rho[static_cast<size_t>(i)]};
  count_votes(svm.classes(), scores, own + at.votes);
  if (!svm.prob_a.empty()) {
    class_probabilities(svm.classes(), svm.prob_a.data(), svm.prob_b.data(), own + at.matrices,
                        scores);
  } else if (svm.classes() == 2) {
    scores[1] = scores[0];
    scores[0] = -scores[1];
  }
  return largest(own + at.votes);
}

Status run_classifier(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Svm svm, read_svm_classifier(ctx.params_bytes()));
  const BlockScratch at =
      *block_scratch(svm, row_blocks((*feature_rows(ctx.input(0))).rows).at_once);
  for_rows(ctx, svm, [&](int64_t row, double* scores, double* own) {
    const int64_t best = classify(svm, at, scores, own);
    if (ctx.has_output(0)) {
      svm.labels.copy_to(static_cast<size_t>(best), ctx.output(0).data, row);
    }
    if (ctx.has_output(1)) {
      write_scores(static_cast<PostTransform>(svm.params.transform), scores,
                   static_cast<size_t>(svm.scores),
                   ctx.output(1).as_mutable<float>() + row * svm.scores);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable svm_kernels() {
  static constexpr KernelRow rows[] = {
      {"SVMRegressor", kMlDomain, 1, kLatestOpset, kFeatureTypes, "svm_regressor", 1, kNoFlags, 0,
       prepare_svm_regressor, bind_regressor, run_regressor},
      {"SVMClassifier", kMlDomain, 1, kLatestOpset, kFeatureTypes, "svm_classifier", 1, kNoFlags, 0,
       prepare_svm_classifier, bind_classifier, run_classifier},
  };
  return rows;
}

}  // namespace ortc::cpu

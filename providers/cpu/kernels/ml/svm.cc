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

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/ml/pair_probability.h"
#include "providers/cpu/kernels/ml/scores.h"
#include "providers/cpu/kernels/ml/svm_record.h"
#include "providers/cpu/kernels/ml/svm_sums.h"

namespace ortc::cpu {
namespace {

// --- Bind.

// Rows go together, so that every support vector is read once for all of them.
constexpr int64_t kRowsMost = 48, kRowStep = 16;
constexpr int64_t kBlocks = 16;  // of rows; each has scratch of its own

struct RowBlocks {
  int64_t at_once, rows, count;  // rows that go together, rows of a block, blocks
};

RowBlocks row_blocks(int64_t rows) {
  const int64_t steps = std::clamp<int64_t>(rows / 6 / kRowStep, 1, kRowsMost / kRowStep);
  const int64_t at_once = std::max<int64_t>(1, std::min(rows, steps * kRowStep));
  const int64_t groups = (rows + at_once - 1) / at_once;
  const int64_t each = std::max<int64_t>(1, (groups + kBlocks - 1) / kBlocks);
  return {at_once, each * at_once, (groups + each - 1) / each};
}

// Of one block: sums of rows that go together; scores, votes and matrices of probabilities of one
// row.
struct BlockScratch {
  int64_t sums, scores, votes, matrices, total;
};

std::optional<BlockScratch> block_scratch(const Svm& svm, int64_t at_once) {
  const int64_t classes = std::max<int64_t>(1, svm.classes());
  const auto to_sum = svm_sum_scratch(svm, at_once);
  if (!to_sum) return std::nullopt;
  BlockScratch at{};
  at.sums = *to_sum;
  at.scores = at.sums + svm_sum_count(svm) * svm_sum_stride(at_once);
  at.votes = at.scores + std::max({svm.scores, svm.pairs(), int64_t{2}});
  at.matrices = at.votes + classes;
  at.total = at.matrices + (svm.prob_a.empty() ? 0 : pair_probability_scratch(classes));
  return at;
}

struct SvmScratch {
  ScratchPlan plan;
  uint64_t blocks, weights;
};

SvmScratch lay_out(const Svm& svm, int64_t rows) {
  const RowBlocks blocks = row_blocks(rows);
  const auto each = block_scratch(svm, blocks.at_once);
  const auto numbers = each ? checked_mul(blocks.count, each->total) : std::nullopt;
  SvmScratch at{};
  at.blocks = at.plan.add<double>(numbers.value_or(-1));
  at.weights = at.plan.add<double>(svm_weight_count(svm, rows));
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

void count_votes(int64_t classes, const double* scores, double* votes) {
  std::fill_n(votes, classes, 0.0);
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j) votes[*scores++ > 0 ? i : j] += 1;
  }
}

// f(row, its sums, the block's scratch) for every row, on all threads.
template <typename F>
void for_rows(const RunContext& ctx, const Svm& svm, F&& f) {
  const int64_t rows = (*feature_rows(ctx.input(0))).rows;
  const RowBlocks blocks = row_blocks(rows);
  if (blocks.count == 0) return;
  const BlockScratch at = *block_scratch(svm, blocks.at_once);
  const SvmScratch places = lay_out(svm, rows);
  auto* scratch = scratch_at<double>(ctx, places.blocks);
  double* weights = nullptr;
  if (svm_weight_count(svm, rows) > 0) {
    weights = scratch_at<double>(ctx, places.weights);
    make_svm_weights(ctx, svm, weights, scratch);
  }
  const int64_t sums = svm_sum_count(svm);
  ctx.parallel_for(blocks.count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      double *own = scratch + block * at.total, *scores = own + at.scores;
      const int64_t last = std::min(rows, (block + 1) * blocks.rows);
      for (int64_t row = block * blocks.rows; row < last; row += blocks.at_once) {
        const int64_t count = std::min(blocks.at_once, last - row);
        sum_up_svm(ctx, svm, weights, rows, row, count, own, own + at.sums);
        for (int64_t i = 0; i < count; ++i) {
          const double* from = own + at.sums + i;
          for (int64_t s = 0; s < sums; ++s) scores[s] = from[s * svm_sum_stride(count)];
          f(row + i, scores, own);
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

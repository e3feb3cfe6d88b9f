// SPDX-License-Identifier: MIT
// SearchStart: what a search for tokens begins with. Rows of the prompt are repeated for the beams
// of a batch entry; a token that is padding is masked and has position 0.
#include <algorithm>
#include <array>

#include "core/base/checked_math.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/kernels/search/score_rules.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

using S = SearchStart;
constexpr TypeMask kI32 = mask_of(DType::kInt32);
constexpr int64_t kBeamsMax = 128;
constexpr float kUnlikely = -1e9f;  // so that beams of an entry do not all begin alike

struct StartParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t padding;
};
static_assert(sizeof(StartParams) == 16);

Status prepare_start(PrepareContext& ctx) {
  ctx.set_params(StartParams{sizeof(StartParams), 0, ctx.node().int_attribute("pad_token_id", -1)});
  return Status::ok();
}

Status bind_start(BindContext& ctx) {
  if (ctx.params<StartParams>() == nullptr) return ctx.bad_params();
  const size_t outputs = ctx.has_input(S::kBeams) ? S::kOutputCount : S::kEnded + 1;
  RETURN_IF_ERROR(check_arity(ctx, 2, S::kInputCount, outputs));
  for (size_t i = 0; i < S::kInputCount; ++i) RETURN_IF_ERROR(check_type(ctx, i, kI32));
  const ValueRef& tokens = ctx.input(S::kTokens);
  if (tokens.rank != 2 || tokens.dim(1) < 1) {
    return invalid_argument("input_ids have shape ", dims_to_string(tokens.dims()),
                            ", expected rows of tokens");
  }
  for (const size_t i : {S::kMaxLength, S::kBeams, S::kReturned}) {
    if (ctx.has_input(i) && !is_one_number(ctx.input(i))) {
      return invalid_argument("max_length, num_beams or num_return_sequences has shape ",
                              dims_to_string(ctx.input(i).dims()), ", expected one number");
    }
  }
  const ValueRef& mask = ctx.input(S::kMask);
  if (ctx.has_input(S::kMask) && !std::ranges::equal(mask.dims(), tokens.dims())) {
    return invalid_argument("attention_mask has shape ", dims_to_string(mask.dims()),
                            ", expected that of input_ids, ", dims_to_string(tokens.dims()));
  }
  return Status::ok();
}

class Start {
 public:
  explicit Start(RunContext& ctx)
      : ctx_(ctx), batch_(ctx.input(S::kTokens).dim(0)), length_(ctx.input(S::kTokens).dim(1)) {}

  Status run() {
    longest_ = *ctx_.input(S::kMaxLength).as<int32_t>();
    if (longest_ <= length_) {
      return invalid_argument("max_length is ", longest_, ", expected more than the ", length_,
                              " tokens of input_ids");
    }
    beams_ = number(S::kBeams);
    if (beams_ < 1 || beams_ > kBeamsMax) {
      return invalid_argument("num_beams is ", beams_, ", expected 1 to ", kBeamsMax);
    }
    if (number(S::kReturned) < 1 || number(S::kReturned) > beams_) {
      return invalid_argument("num_return_sequences is ", number(S::kReturned), ", expected 1 to ",
                              beams_, ", the number of beams");
    }
    const auto rows = checked_mul(static_cast<uint64_t>(batch_), static_cast<uint64_t>(beams_));
    if (!rows || *rows > INT32_MAX) return invalid_argument(batch_, " rows of input_ids");
    rows_ = static_cast<int64_t>(*rows);
    RETURN_IF_ERROR(give_prompt());
    RETURN_IF_ERROR(give_numbers());
    return give_beams();
  }

 private:
  int64_t number(size_t i) const { return ctx_.has_input(i) ? *ctx_.input(i).as<int32_t>() : 1; }

  template <typename T>
  Result<T*> allocated(size_t i, std::initializer_list<int64_t> dims, T value) {
    const std::span<const int64_t> shape(dims.begin(), dims.size());
    RETURN_IF_ERROR(ctx_.allocate_output(i, dtype_of_type<T>(), shape));
    T* data = ctx_.output(i).template as_mutable<T>();
    std::fill_n(data, ctx_.output(i).element_count(), value);
    return data;
  }
  template <typename T>
  static constexpr DType dtype_of_type() {
    if (std::is_same_v<T, float>) return DType::kFloat32;
    if (std::is_same_v<T, int64_t>) return DType::kInt64;
    return std::is_same_v<T, bool> ? DType::kBool : DType::kInt32;
  }

  Status give_prompt() {
    const auto padding = static_cast<int32_t>(ctx_.params<StartParams>().padding);
    ASSIGN_OR_RETURN(int32_t * tokens, allocated<int32_t>(S::kRows, {rows_, length_}, 0));
    ASSIGN_OR_RETURN(int32_t * positions, allocated<int32_t>(S::kPositions, {rows_, length_}, 0));
    ASSIGN_OR_RETURN(int32_t * seen, allocated<int32_t>(S::kSeen, {rows_, length_}, 1));
    ASSIGN_OR_RETURN(int32_t * lengths, allocated<int32_t>(S::kLengths, {rows_}, 0));
    ASSIGN_OR_RETURN(int32_t * all, allocated<int32_t>(S::kSequences, {rows_, longest_}, padding));
    const bool has_mask = ctx_.has_input(S::kMask);
    for (int64_t row = 0; row < rows_; ++row) {
      const int64_t from = row / beams_ * length_, to = row * length_;
      const int32_t* given = ctx_.input(S::kTokens).as<int32_t>() + from;
      std::copy_n(given, length_, tokens + to);
      std::copy_n(given, length_, all + row * longest_);
      for (int64_t i = 0; i < length_; ++i) {
        const bool is_word = given[i] != padding;
        positions[to + i] = is_word ? lengths[row]++ : 0;
        seen[to + i] =
            has_mask ? ctx_.input(S::kMask).as<int32_t>()[from + i] : static_cast<int>(is_word);
      }
    }
    return Status::ok();
  }

  Status give_numbers() {
    RETURN_IF_ERROR(allocated<int64_t>(S::kTrips, {}, longest_ - length_).status());
    RETURN_IF_ERROR(allocated<int64_t>(S::kRowCount, {1}, rows_).status());
    ASSIGN_OR_RETURN(int64_t * entries, allocated<int64_t>(S::kEntries, {rows_}, 0));
    for (int64_t row = 0; row < rows_; ++row) entries[row] = row / beams_;
    return Status::ok();
  }

  Status give_beams() {
    RETURN_IF_ERROR(allocated<bool>(S::kEnded, {batch_}, false).status());
    if (!ctx_.has_input(S::kBeams)) return Status::ok();
    ASSIGN_OR_RETURN(float* totals, allocated<float>(S::kTotals, {rows_}, kUnlikely));
    for (int64_t entry = 0; entry < batch_; ++entry) totals[entry * beams_] = 0;
    RETURN_IF_ERROR(allocated<int32_t>(S::kFound, {batch_, beams_, longest_}, 0).status());
    RETURN_IF_ERROR(allocated<float>(S::kFoundScores, {batch_, beams_}, 0).status());
    return allocated<int32_t>(S::kFoundLengths, {batch_, beams_}, 0).status();
  }

  RunContext& ctx_;
  const int64_t batch_, length_;
  int64_t longest_ = 0, beams_ = 1, rows_ = 0;
};

Status run_start(RunContext& ctx) { return Start(ctx).run(); }

}  // namespace

KernelTable search_start_kernels() {
  static constexpr KernelRow rows[] = {
      {"SearchStart", kInternalDomain, 1, kLatestOpset, kI32, "search_start", 1, kDataDependent, 0,
       prepare_start, bind_start, run_start},
  };
  return rows;
}

}  // namespace ortc::cpu

// SPDX-License-Identifier: MIT
// Strings: Equal, StringConcat (both with broadcasting) and StringSplit.
#include <algorithm>
#include <string>
#include <vector>

#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

constexpr std::string_view kSpace = " \t\n\v\f\r";

// Parts between separators, at most `limit` times; what is left is the last part. An empty text is
// one empty part.
void split_by(std::string_view text, std::string_view separator, int64_t limit,
              std::vector<std::string>& parts) {
  for (int64_t splits = 0; splits < limit; ++splits) {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.emplace_back(text);
}

// Parts between runs of white space; none in front of the first part.
void split_by_space(std::string_view text, int64_t limit, std::vector<std::string>& parts) {
  for (int64_t splits = 0;; ++splits) {
    const size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    const size_t end = text.find_first_of(kSpace);
    if (splits == limit || end == std::string_view::npos) {
      parts.emplace_back(text);
      return;
    }
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// --- Prepare.

struct SplitParams {
  uint32_t record_bytes;
  uint32_t separator_size;  // the separator stands behind the record; 0: white space
  int64_t limit;
};
static_assert(sizeof(SplitParams) == 16);

Status prepare_string_split(PrepareContext& ctx) {
  const std::string separator(ctx.node().string_attribute("delimiter", ""));
  const int64_t limit = ctx.node().int_attribute("maxsplit", INT64_MAX);
  if (separator.size() > UINT16_MAX) return not_implemented("a delimiter of that length");
  SplitParams params{sizeof params, static_cast<uint32_t>(separator.size()),
                     limit < 0 ? INT64_MAX : limit};
  std::string record(reinterpret_cast<const char*>(&params), sizeof params);
  ctx.set_params_bytes(as_bytes(record + separator));
  return Status::ok();
}

// --- Bind.

Status bind_equal(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kStrings));
  RETURN_IF_ERROR(check_type(ctx, 1, kStrings));
  ASSIGN_OR_RETURN(const DimList dims, broadcast_inputs(ctx, 2));
  return ctx.set_output(0, DType::kBool, dims);
}

Status bind_string_concat(BindContext& ctx) {
  RETURN_IF_ERROR(bind_equal(ctx));
  ASSIGN_OR_RETURN(const DimList dims, broadcast_inputs(ctx, 2));
  return ctx.set_output(0, DType::kString, dims);
}

Status bind_string_split(BindContext& ctx) {
  const auto* params = ctx.params<SplitParams>();
  if (params == nullptr || ctx.params_bytes().size() - sizeof *params < params->separator_size) {
    return ctx.bad_params();
  }
  if (params->limit < 0) return invalid_graph("its params record names limit ", params->limit);
  RETURN_IF_ERROR(check_arity(ctx, 1, 1, 0));
  return check_type(ctx, 0, kStrings);
}

// --- Run.

// body(out_offset, a, b) for all elements.
template <typename F>
void for_each_pair(const RunContext& ctx, F&& body) {
  const ValueRef &a = ctx.input(0), &b = ctx.input(1);
  const auto loop = broadcast_loop<2>(ctx.output(0).dims(), {a.dims(), b.dims()});
  parallel_rows(ctx, loop, 16, [&](int64_t at, const auto& offsets, int64_t n) {
    const auto* x = a.as<std::string>() + offsets[0];
    const auto* y = b.as<std::string>() + offsets[1];
    for (int64_t i = 0; i < n; ++i) {
      body(at + i, x[i * loop.inner_stride(0)], y[i * loop.inner_stride(1)]);
    }
  });
}

Status run_equal(RunContext& ctx) {
  auto* to = ctx.output(0).as_mutable<uint8_t>();
  for_each_pair(
      ctx, [&](int64_t i, const std::string& a, const std::string& b) { to[i] = a == b ? 1 : 0; });
  return Status::ok();
}

Status run_string_concat(RunContext& ctx) {
  auto* to = ctx.output(0).as_mutable<std::string>();
  for_each_pair(ctx, [&](int64_t i, const std::string& a, const std::string& b) { to[i] = a + b; });
  return Status::ok();
}

Status run_string_split(RunContext& ctx) {
  const auto& params = ctx.params<SplitParams>();
  const std::string_view separator =
      as_text(ctx.params_bytes().subspan(sizeof params, params.separator_size));
  const ValueRef& x = ctx.input(0);
  const auto count = static_cast<size_t>(x.element_count());
  std::vector<std::vector<std::string>> parts(count);
  size_t longest = 0;
  for (size_t i = 0; i < count; ++i) {
    const std::string& text = x.as<std::string>()[i];
    if (separator.empty()) {
      split_by_space(text, params.limit, parts[i]);
    } else {
      split_by(text, separator, params.limit, parts[i]);
    }
    longest = std::max(longest, parts[i].size());
  }
  Dims dims(x.dims().begin(), x.dims().end());
  ASSIGN_OR_RETURN(Tensor counts, Tensor::create(DType::kInt64, dims));
  dims.push_back(static_cast<int64_t>(longest));
  ASSIGN_OR_RETURN(Tensor texts, Tensor::create(DType::kString, dims));
  for (size_t i = 0; i < count; ++i) {
    counts.mutable_elements<int64_t>()[i] = static_cast<int64_t>(parts[i].size());
    std::move(parts[i].begin(), parts[i].end(),
              texts.mutable_string_elements().begin() + static_cast<std::ptrdiff_t>(i * longest));
  }
  if (ctx.output_count() > 0) RETURN_IF_ERROR(ctx.give_output(0, std::move(texts)));
  if (ctx.output_count() > 1) RETURN_IF_ERROR(ctx.give_output(1, std::move(counts)));
  return Status::ok();
}

}  // namespace

KernelTable strings_kernels() {
  constexpr int kEnd = kLatestOpset;
  static constexpr KernelRow rows[] = {
      {"Equal", "", 7, kEnd, kStrings, "equal.string", 1, kNoFlags, 0, prepare_nothing, bind_equal,
       run_equal},
      {"StringConcat", "", 20, kEnd, kStrings, "string_concat", 1, kNoFlags, 0, prepare_nothing,
       bind_string_concat, run_string_concat},
      {"StringSplit", "", 20, kEnd, kStrings, "string_split", 1, kDataDependent, 0,
       prepare_string_split, bind_string_split, run_string_split},
  };
  return rows;
}

}  // namespace ortc::cpu

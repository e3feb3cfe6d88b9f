// SPDX-License-Identifier: MIT
// TfIdfVectorizer of integers: how often each n-gram of a pool appears in a row (TF), whether it
// does, as its weight (IDF), or both multiplied (TFIDF).
//
// An n-gram may leave out up to max_skip_count elements between neighbours. The record holds the
// pool behind its fixed part, n-grams of one length together and sorted:
//
//   lengths   {first, count} of the n-grams of length 1 .. max_length, counted in n-grams
//   columns   for each n-gram, the element of the result it counts for
//   tokens    of all n-grams, one after the other
//   weights   float, for each element of the result
//   slots     uint32_t, how many there are and a table (gram_index.h); records of old have none,
//             and their n-grams are found by bisection
#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/text/gram_index.h"

namespace ortc::cpu {
namespace {

enum Mode : uint32_t { kTf = 0, kIdf = 1, kTfIdf = 2 };
constexpr int64_t kLengthMax = 64;

struct TfIdfParams {
  uint32_t record_bytes;
  uint32_t mode;  // Mode
  int64_t min_length, max_length, skips;
  int64_t gram_count, token_count, width;
};
static_assert(sizeof(TfIdfParams) == 56);

struct LengthRange {
  int64_t first, count;
};

// The record as arrays.
struct Pool {
  TfIdfParams head;
  const LengthRange* lengths;
  const int64_t* columns;
  const int64_t* tokens;
  const float* weights;
  std::span<const uint32_t> slots;
};

// --- Prepare.

struct Gram {
  std::vector<int64_t> tokens;
  int64_t column;
};

Result<std::vector<std::vector<Gram>>> read_pool(const Node& node, int64_t max_length) {
  const auto counts = node.ints_attribute("ngram_counts");
  const auto columns = node.ints_attribute("ngram_indexes");
  const auto tokens = node.ints_attribute("pool_int64s");
  std::vector<std::vector<Gram>> grams(static_cast<size_t>(max_length));
  size_t gram = 0;
  for (size_t n = 0; n < counts.size(); ++n) {
    const int64_t begin = counts[n];
    const auto end = n + 1 < counts.size() ? counts[n + 1] : static_cast<int64_t>(tokens.size());
    const auto length = static_cast<int64_t>(n) + 1;
    if (begin < 0 || end < begin || end > static_cast<int64_t>(tokens.size()) ||
        (end - begin) % length != 0) {
      return invalid_graph("attribute 'ngram_counts' does not fit a pool of ", tokens.size());
    }
    for (int64_t at = begin; at < end; at += length, ++gram) {
      if (gram >= columns.size() || columns[gram] < 0) {
        return invalid_graph("attribute 'ngram_indexes' does not fit the pool");
      }
      if (length > max_length) continue;
      grams[n].push_back({{tokens.begin() + at, tokens.begin() + at + length}, columns[gram]});
    }
  }
  for (auto& list : grams) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Gram& a, const Gram& b) { return a.tokens < b.tokens; });
  }
  return grams;
}

template <typename T>
void append(std::string* record, const std::vector<T>& values) {
  record->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

Status prepare_tf_idf(PrepareContext& ctx) {
  const Node& node = ctx.node();
  TfIdfParams params{};
  ASSIGN_OR_RETURN(params.mode, one_of(node, "mode", "", {"TF", "IDF", "TFIDF"}));
  if (node.attribute("pool_strings") != nullptr) return not_implemented("a pool of strings");
  params.min_length = node.int_attribute("min_gram_length", 1);
  params.max_length = node.int_attribute("max_gram_length", 1);
  params.skips = node.int_attribute("max_skip_count", 0);
  if (params.min_length < 1 || params.max_length < params.min_length ||
      params.max_length > kLengthMax || params.skips < 0 || params.skips > INT32_MAX) {
    return not_implemented("n-grams of ", params.min_length, " to ", params.max_length,
                           " elements with ", params.skips, " skips");
  }
  ASSIGN_OR_RETURN(const auto grams, read_pool(node, params.max_length));
  std::vector<LengthRange> lengths;
  std::vector<int64_t> columns, tokens;
  std::vector<uint64_t> hashes;
  for (const auto& list : grams) {
    lengths.push_back({static_cast<int64_t>(columns.size()), static_cast<int64_t>(list.size())});
    for (const Gram& gram : list) {
      columns.push_back(gram.column);
      hashes.push_back(
          std::accumulate(gram.tokens.begin(), gram.tokens.end(), uint64_t{0}, hash_with));
      tokens.insert(tokens.end(), gram.tokens.begin(), gram.tokens.end());
    }
  }
  for (const int64_t column : node.ints_attribute("ngram_indexes")) {
    params.width = std::max(params.width, column + 1);
  }
  if (params.width > INT32_MAX) return not_implemented("a result of ", params.width, " elements");
  params.gram_count = static_cast<int64_t>(columns.size());
  params.token_count = static_cast<int64_t>(tokens.size());
  std::vector<float> weights(static_cast<size_t>(params.width), 1.0f);
  if (const Attribute* given = node.attribute("weights")) {
    std::copy_n(given->floats.begin(), std::min(weights.size(), given->floats.size()),
                weights.begin());
  }
  std::string record(sizeof params, '\0');
  append(&record, lengths);
  append(&record, columns);
  append(&record, tokens);
  append(&record, weights);
  append(&record, gram_slots(hashes));
  if (record.size() > UINT32_MAX) return not_implemented("a pool of that size");
  params.record_bytes = static_cast<uint32_t>(record.size());
  std::memcpy(record.data(), &params, sizeof params);
  ctx.set_params_bytes(as_bytes(record));
  return Status::ok();
}

// --- Bind.

// `available` are the bytes of the record.
Status check_head(const TfIdfParams& head, uint64_t available) {
  if (head.mode > kTfIdf) return damaged_params("it names mode ", head.mode);
  if (head.min_length < 1 || head.max_length < head.min_length || head.max_length > kLengthMax ||
      head.skips < 0 || head.skips > INT32_MAX) {
    return damaged_params("n-grams of ", head.min_length, " to ", head.max_length,
                          " elements with ", head.skips, " skips");
  }
  if (head.width < 0 || head.width > INT32_MAX || head.gram_count < 0 ||
      head.gram_count > INT32_MAX || head.token_count < 0 || head.token_count > INT64_MAX / 64) {
    return damaged_params(head.gram_count, " n-grams of ", head.token_count, " elements for ",
                          head.width, " columns");
  }
  const uint64_t numbers =
      static_cast<uint64_t>(2 * head.max_length + head.gram_count + head.token_count);
  const uint64_t needed = sizeof head + 8 * numbers + 4 * static_cast<uint64_t>(head.width);
  if (needed <= available) return Status::ok();
  return damaged_params("its pool needs ", needed, " bytes, there are ", available);
}

// The arrays of a record whose head is checked. It lies on 8 bytes.
Pool view_pool(Bytes record) {
  Pool pool{};
  std::memcpy(&pool.head, record.data(), sizeof pool.head);
  const std::byte* at = record.data() + sizeof pool.head;
  pool.lengths = reinterpret_cast<const LengthRange*>(at);
  pool.columns = reinterpret_cast<const int64_t*>(at) + 2 * pool.head.max_length;
  pool.tokens = pool.columns + pool.head.gram_count;
  pool.weights = reinterpret_cast<const float*>(pool.tokens + pool.head.token_count);
  const auto* slots = reinterpret_cast<const uint32_t*>(pool.weights + pool.head.width);
  const auto used = static_cast<size_t>(reinterpret_cast<const std::byte*>(slots) - record.data());
  const size_t numbers = (record.size() - used) / sizeof *slots;
  if (numbers > 1 && *slots < numbers) pool.slots = {slots + 1, *slots};
  return pool;
}

Status check_pool(const Pool& pool) {
  int64_t grams = 0, tokens = 0;
  for (int64_t n = 0; n < pool.head.max_length; ++n) {
    const LengthRange& range = pool.lengths[n];
    if (range.first != grams || range.count < 0 || range.count > pool.head.gram_count - grams) {
      return damaged_params(range.count, " n-grams of length ", n + 1, " from ", range.first);
    }
    grams += range.count;
    tokens += range.count * (n + 1);
  }
  if (grams != pool.head.gram_count || tokens != pool.head.token_count) {
    return damaged_params("its lengths are of ", grams, " n-grams of ", tokens, " elements");
  }
  for (int64_t i = 0; i < grams; ++i) {
    if (pool.columns[i] < 0 || pool.columns[i] >= pool.head.width) {
      return damaged_params("n-gram ", i, " is for column ", pool.columns[i], " of ",
                            pool.head.width);
    }
  }
  const auto names_none = [&](uint32_t slot) { return slot > static_cast<uint64_t>(grams); };
  if ((pool.slots.size() & (pool.slots.size() - 1)) != 0 ||
      std::any_of(pool.slots.begin(), pool.slots.end(), names_none)) {
    return damaged_params("its table of ", pool.slots.size(), " slots does not fit ", grams,
                          " n-grams");
  }
  return Status::ok();
}

Status bind_tf_idf(BindContext& ctx) {
  const auto* head = ctx.params<TfIdfParams>();
  if (head == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, mask_of(DType::kInt32, DType::kInt64)));
  RETURN_IF_ERROR(check_head(*head, ctx.params_bytes().size()));
  const Pool pool = view_pool(ctx.params_bytes());
  RETURN_IF_ERROR(check_pool(pool));
  const ValueRef& x = ctx.input(0);
  if (x.rank != 1 && x.rank != 2) {
    return invalid_argument("the input has rank ", x.rank, ", expected 1 or 2");
  }
  if (x.dtype == DType::kInt32) {  // which become int64
    ctx.set_scratch(static_cast<uint64_t>(x.element_count()) * sizeof(int64_t));
  }
  if (x.rank == 1) return ctx.set_output(0, DType::kFloat32, {pool.head.width});
  return ctx.set_output(0, DType::kFloat32, {x.dim(0), pool.head.width});
}

// --- Arithmetic and run.

// N-grams of a row: the first token is row[start], the others lie `step` apart.
struct GramFinder {
  const Pool& pool;
  std::span<const int64_t> row;
  GramIndex index{pool.slots.data(), pool.slots.size()};

  // How the pool's n-gram at `tokens` compares with the row's.
  int compare(const int64_t* tokens, int64_t start, int64_t step, int64_t n) const {
    for (int64_t k = 0; k < n; ++k) {
      const int64_t token = row[static_cast<size_t>(start + k * step)];
      if (tokens[k] != token) return tokens[k] < token ? -1 : 1;
    }
    return 0;
  }

  // Its place among those of its length, whose tokens begin at `tokens`; -1: it is not in the pool.
  int64_t find(uint64_t hash, const int64_t* tokens, int64_t start, int64_t step, int64_t n) const {
    const LengthRange& range = pool.lengths[n - 1];
    if (!pool.slots.empty()) {
      return index.find(hash, [&](int64_t place) {
        const int64_t gram = place - range.first;
        return gram >= 0 && gram < range.count && compare(tokens + gram * n, start, step, n) == 0;
      });
    }
    int64_t low = 0, high = range.count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (compare(tokens + middle * n, start, step, n) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const bool is_found = low < range.count && compare(tokens + low * n, start, step, n) == 0;
    return is_found ? range.first + low : -1;
  }
};

// Counts all n-grams that begin at `start` and have their tokens `step` apart.
void count_from(const GramFinder& finder, int64_t start, int64_t step, float* y) {
  const Pool& pool = finder.pool;
  const int64_t* tokens = pool.tokens;
  uint64_t hash = 0;
  for (int64_t n = 1; n <= pool.head.max_length; ++n) {
    const int64_t last = start + (n - 1) * step, count = pool.lengths[n - 1].count;
    if (last >= static_cast<int64_t>(finder.row.size())) return;
    hash = hash_with(hash, finder.row[static_cast<size_t>(last)]);
    // A single element leaves nothing out.
    if (n >= pool.head.min_length && count > 0 && (n > 1 || step == 1)) {
      const int64_t gram = finder.find(hash, tokens, start, step, n);
      if (gram >= 0) {
        const int64_t column = pool.columns[gram];
        y[column] = pool.head.mode == kIdf ? pool.weights[column] : y[column] + 1.0f;
      }
    }
    tokens += count * n;
  }
}

void count_grams(const Pool& pool, const int64_t* row, int64_t size, float* y) {
  const GramFinder finder{pool, {row, static_cast<size_t>(size)}};
  const int64_t skips = pool.head.max_length > 1 ? pool.head.skips : 0;
  const int64_t steps = std::min(skips + 1, std::max<int64_t>(1, size - 1));
  for (int64_t step = 1; step <= steps; ++step) {
    for (int64_t start = 0; start < size; ++start) count_from(finder, start, step, y);
  }
  if (pool.head.mode != kTfIdf) return;
  ORTC_ELEMENTWISE
  for (int64_t i = 0; i < pool.head.width; ++i) y[i] *= pool.weights[i];
}

Status run_tf_idf(RunContext& ctx) {
  const Pool pool = view_pool(ctx.params_bytes());
  const ValueRef& x = ctx.input(0);
  const int64_t rows = x.rank == 1 ? 1 : x.dim(0), size = x.rank == 1 ? x.dim(0) : x.dim(1);
  const auto* tokens =
      x.dtype == DType::kInt64 ? x.as<int64_t>() : reinterpret_cast<int64_t*>(ctx.scratch());
  if (x.dtype == DType::kInt32) {
    std::copy_n(x.as<int32_t>(), x.element_count(), reinterpret_cast<int64_t*>(ctx.scratch()));
  }
  ctx.parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* y = ctx.output(0).as_mutable<float>() + i * pool.head.width;
      std::fill_n(y, pool.head.width, 0.0f);
      count_grams(pool, tokens + i * size, size, y);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable tf_idf_kernels() {
  static constexpr KernelRow rows[] = {
      {"TfIdfVectorizer", "", 9, kLatestOpset, mask_of(DType::kInt32, DType::kInt64), "tf_idf", 1,
       kNoFlags, 0, prepare_tf_idf, bind_tf_idf, run_tf_idf},
  };
  return rows;
}

}  // namespace ortc::cpu

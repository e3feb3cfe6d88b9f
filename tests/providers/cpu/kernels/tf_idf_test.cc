// SPDX-License-Identifier: MIT
// TfIdfVectorizer beside a plain search of the pool, with skips, n-grams that stand in the pool
// twice, and records without a table, as contexts of old have them.
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

struct Pool {
  std::string mode;
  int64_t min, max, skips;
  std::vector<int64_t> counts, columns, tokens;
  std::vector<float> weights;

  Pool(Random& random, int64_t longest, int64_t grams_of_each, int64_t vocabulary) {
    for (int64_t n = 1; n <= longest; ++n) {
      counts.push_back(static_cast<int64_t>(tokens.size()));
      for (int64_t i = 0; i < grams_of_each * n; ++i) {
        tokens.push_back(random.between(-1, vocabulary));
      }
      for (int64_t i = 0; i < grams_of_each; ++i) {
        columns.push_back(static_cast<int64_t>(columns.size()));
        weights.push_back(random.number());
      }
    }
  }

  Op op() const {
    return {
        "TfIdfVectorizer",
        9,
        {Attribute::of_string("mode", mode), Attribute::of_int("min_gram_length", min),
         Attribute::of_int("max_gram_length", max), Attribute::of_int("max_skip_count", skips),
         Attribute::of_ints("ngram_counts", counts), Attribute::of_ints("pool_int64s", tokens),
         Attribute::of_ints("ngram_indexes", columns), Attribute::of_floats("weights", weights)}};
  }

  // The first n-gram of length n that `gram` is; -1: there is none.
  int64_t find(const std::vector<int64_t>& gram) const {
    const size_t n = gram.size(), begin = static_cast<size_t>(counts[n - 1]);
    const size_t end = n < counts.size() ? static_cast<size_t>(counts[n]) : tokens.size();
    int64_t place = 0;
    for (size_t m = 1; m < n; ++m) place += (counts[m] - counts[m - 1]) / static_cast<int64_t>(m);
    for (size_t at = begin; at < end; at += n, ++place) {
      if (std::equal(gram.begin(), gram.end(), tokens.begin() + static_cast<int64_t>(at))) {
        return place;
      }
    }
    return -1;
  }

  std::vector<float> row(const std::vector<int64_t>& x) const {
    std::vector<float> y(columns.size());
    const auto size = static_cast<int64_t>(x.size());
    for (int64_t n = min; n <= max; ++n) {
      for (int64_t step = 1; step <= (n == 1 ? 1 : skips + 1); ++step) {
        for (int64_t start = 0; start + (n - 1) * step < size; ++start) {
          std::vector<int64_t> gram;
          for (int64_t k = 0; k < n; ++k) gram.push_back(x[size_t(start + k * step)]);
          const int64_t place = find(gram);
          if (place >= 0) y[size_t(columns[size_t(place)])] += 1;
        }
      }
    }
    for (size_t i = 0; i < y.size(); ++i) {
      if (mode == "IDF" && y[i] > 0) y[i] = weights[i];
      if (mode == "TFIDF") y[i] *= weights[i];
    }
    return y;
  }
};

void check(const Pool& pool, Random& random, int64_t rows, int64_t size, int64_t vocabulary) {
  std::vector<int64_t> x;
  for (int64_t i = 0; i < rows * size; ++i) x.push_back(random.between(-2, vocabulary + 2));
  std::vector<float> expected;
  for (int64_t i = 0; i < rows; ++i) {
    const auto row = pool.row({x.begin() + i * size, x.begin() + (i + 1) * size});
    expected.insert(expected.end(), row.begin(), row.end());
  }
  const Dims dims = {rows, static_cast<int64_t>(pool.columns.size())};
  const Tensor y = f32s(dims, expected);
  CHECK(same_bits(run_one(pool.op(), {Tensor::from<int64_t>({rows, size}, x)}), y));
  const std::vector<int32_t> narrow(x.begin(), x.end());
  CHECK(same_bits(run_one(pool.op(), {Tensor::from<int32_t>({rows, size}, narrow)}), y));
}

TEST(tf_idf, counts_as_a_plain_search_does) {
  Random random(5);
  for (const char* mode : {"TF", "IDF", "TFIDF"}) {
    for (const int64_t grams : {1, 2, 7, 33, 150}) {
      for (const int64_t longest : {1, 2, 3}) {
        Pool pool(random, longest, grams, 9);
        pool.mode = mode;
        for (pool.min = 1; pool.min <= longest; ++pool.min) {
          pool.max = longest;
          for (pool.skips = 0; pool.skips < 4; pool.skips += 3) {
            for (const int64_t size : {1, 2, 5, 40}) check(pool, random, 3, size, 9);
          }
        }
      }
    }
  }
}

class Record final : public PrepareContext {
 public:
  Record(const Node& node, const Tensor& x) : node_(node), type_(Type::tensor_of(x)) {}
  const Node& node() const override { return node_; }
  int64_t opset() const override { return node_.opset(); }
  const Type& input_type(size_t) const override { return type_; }
  const Type& output_type(size_t) const override { return type_; }
  const Tensor* constant(size_t) const override { return nullptr; }
  void set_params_bytes(Bytes bytes) override { params.assign(bytes.begin(), bytes.end()); }
  void replace_input(size_t, Tensor, Layout) override {}
  void drop_input(size_t) override {}

  std::vector<std::byte> params;

 private:
  const Node& node_;
  Type type_;
};

TEST(tf_idf, finds_n_grams_of_records_without_a_table) {
  Random random(6);
  Pool pool(random, 2, 20, 5);
  pool.mode = "TF", pool.min = 1, pool.max = 2, pool.skips = 1;
  std::vector<int64_t> tokens;
  for (int i = 0; i < 60; ++i) tokens.push_back(random.between(-2, 7));
  const Tensor x = Tensor::from<int64_t>({60}, tokens);
  const NodeGraph graph(pool.op(), {x});
  const KernelRow* row = cpu::kernel_registry().find(*graph.node);
  CHECK(row != nullptr);
  Record record(*graph.node, x);
  CHECK_OK(row->prepare(record));
  // What stands in front of the table: a head of 56 bytes, two lengths, columns, tokens, weights.
  record.params.resize(56 + 2 * 16 + 40 * 8 + 60 * 8 + 40 * 4);
  Tensor y = Tensor::create(DType::kFloat32, {40}).value();
  const ValueRef in = {x.dtype(), 1, x.dims().data(), const_cast<void*>(x.data())};
  ValueRef out = {y.dtype(), 1, y.dims().data(), y.mutable_data()};
  std::vector<BindContext::Output> wanted(1);
  wanted[0].wanted = true;
  BindContext bind(row->id, record.params, {&in, 1}, wanted, 1, host_isa());
  CHECK_OK(row->bind(bind));
  ThreadPool threads({.thread_count = 1});
  const RunContext::Host host{&threads, host_isa(), nullptr, nullptr};
  RunContext run(record.params, {&in, 1}, {&out, 1}, nullptr, host);
  CHECK_OK(row->run(run));
  CHECK(same_bits(y, f32s({40}, pool.row(tokens))));
}

}  // namespace
}  // namespace ortc::test

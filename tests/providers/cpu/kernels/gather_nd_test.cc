// SPDX-License-Identifier: MIT
// GatherND against plain loops: slices of any size, tuples of any width, batches, many tuples.
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;

struct GatherCase {
  Dims x;       // the batch dims come first
  Dims tuples;  // the last is the width
  int64_t batch_dims = 0;

  NodeCase node() const {
    return {"GatherND", "", 13, {Attribute::of_int("batch_dims", batch_dims)}};
  }
  size_t width() const { return static_cast<size_t>(tuples.back()); }
  int64_t indexed(size_t k) const { return x[static_cast<size_t>(batch_dims) + k]; }
};

int64_t count_of(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (const int64_t d : dims) count *= d;
  return count;
}

// Indices from both ends, in a fixed order that looks like none.
std::vector<int64_t> some_indices(const GatherCase& c) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < count_of(c.tuples); ++i) {
    const int64_t size = c.indexed(static_cast<size_t>(i) % c.width());
    const int64_t index = (i * 7919 + i / 5) % size;
    indices.push_back(i % 3 == 0 ? index - size : index);
  }
  return indices;
}

std::vector<uint8_t> plain_gather(const GatherCase& c, std::span<const uint8_t> x, size_t element,
                                  const std::vector<int64_t>& indices) {
  const auto first = static_cast<size_t>(c.batch_dims);
  const std::span<const int64_t> dims(c.x);
  const int64_t batches = count_of(dims.first(first)), batch = count_of(dims.subspan(first));
  const int64_t slice = count_of(dims.subspan(first + c.width()));
  const int64_t tuples = count_of(c.tuples) / c.tuples.back();
  std::vector<uint8_t> y;
  for (int64_t t = 0; t < tuples; ++t) {
    int64_t at = 0;
    for (size_t k = 0; k < c.width(); ++k) {
      const int64_t index = indices[static_cast<size_t>(t) * c.width() + k];
      at = at * c.indexed(k) + (index < 0 ? index + c.indexed(k) : index);
    }
    const auto from = static_cast<size_t>(t / (tuples / batches) * batch + at * slice) * element;
    const auto begin = x.begin() + static_cast<ptrdiff_t>(from);
    y.insert(y.end(), begin, begin + static_cast<ptrdiff_t>(static_cast<size_t>(slice) * element));
  }
  return y;
}

void check_gather(const GatherCase& c, DType type) {
  Tensor x = Tensor::create(type, c.x).value();
  auto* bytes = static_cast<uint8_t*>(x.mutable_data());
  for (size_t i = 0; i < x.byte_size(); ++i) bytes[i] = static_cast<uint8_t>(i * 31 + i / 251);
  const std::vector<int64_t> indices = some_indices(c);
  const auto y = plain_gather(c, {bytes, x.byte_size()},
                              x.byte_size() / static_cast<size_t>(x.element_count()), indices);
  const std::vector<int32_t> narrow(indices.begin(), indices.end());
  for (const Tensor& given :
       {Tensor::from<int64_t>(c.tuples, indices), Tensor::from<int32_t>(c.tuples, narrow)}) {
    testing::run_everywhere(c.node(), {x, given}, [&](const std::vector<Tensor>& outputs) {
      CHECK_EQ(outputs[0].byte_size(), y.size());
      CHECK(std::memcmp(outputs[0].data(), y.data(), y.size()) == 0);
    });
  }
}

TEST(gather_nd, agrees_with_plain_loops) {
  for (const DType type : {DType::kUint8, DType::kFloat16, DType::kFloat32, DType::kInt64}) {
    check_gather({{40, 7}, {3000, 2}}, type);         // single elements
    check_gather({{9, 5, 3}, {700, 1}}, type);        // rows
    check_gather({{4, 5, 6, 2}, {2, 300, 3}}, type);  // pairs
    check_gather({{6, 2, 4, 33}, {11, 2}}, type);
  }
}

TEST(gather_nd, keeps_batches_apart) {
  check_gather({{3, 17, 4}, {3, 290, 1}, 1}, DType::kFloat32);
  check_gather({{2, 3, 8, 5}, {2, 3, 100, 2}, 2}, DType::kInt64);
  check_gather({{300, 6}, {300, 1}, 1}, DType::kUint8);
}

TEST(gather_nd, refuses_indices_outside_wherever_they_stand) {
  const GatherCase c{{40, 7}, {3000, 2}};
  const Tensor x = Tensor::create(DType::kFloat32, c.x).value();
  for (const auto& [at, index] : {std::pair<size_t, int64_t>{0, 40},
                                  {5999, 7},
                                  {3001, -8},
                                  {4000, INT64_MAX},
                                  {2, INT64_MIN}}) {
    std::vector<int64_t> indices = some_indices(c);
    indices[at] = index;
    for (const int threads : {1, 3}) {
      const auto result = testing::evaluate(c.node(), {x, Tensor::from<int64_t>(c.tuples, indices)},
                                            threads, host_isa());
      CHECK_CODE(result, Code::kInvalidArgument);
      CHECK(result.status().message().find(str_cat("index ", index)) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace ortc::cpu

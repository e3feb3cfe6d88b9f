// SPDX-License-Identifier: MIT
// Operators that move elements as other numbers say.
#include <algorithm>
#include <numeric>

#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

constexpr TypeMask kAll = kNumbers | kFlags | kTexts;

struct Place {
  std::string x;
  Dims dims;
  int64_t axis = 0;
  int64_t size = 0;  // of the axis
};

Place place(Drawing& d, TypeMask types, int rank_min = 1, int rank_max = 4) {
  Place p;
  p.x = d.any(types, rank_min, rank_max);
  p.dims = d.dims_of(p.x);
  p.axis = d.axis_of(p.dims);
  if (!p.dims.empty()) p.size = p.dims[Drawing::front(p.axis, p.dims)];
  if (p.size == 0) d.fail();
  return p;
}

// Indices from the front and the back.
std::string indices(Drawing& d, const Dims& dims, int64_t size) {
  if (d.has_failed()) return "";
  const DType dtype = d.chance().one_in(3) ? DType::kInt32 : DType::kInt64;
  const auto low = static_cast<double>(d.chance().one_in(2) ? -size : 0);
  return d.either(dtype, dims, {Fill::kWhole, low, static_cast<double>(size - 1)});
}

void gather(Drawing& d) {
  const Place p = place(d, kAll);
  d.add("Gather", {p.x, indices(d, d.dims(0, 2), p.size)}, {of_int("axis", p.axis)});
}

void gather_elements(Drawing& d) {
  const Place p = place(d, kAll);
  Dims dims = p.dims;
  for (int64_t& dim : dims) dim = dim > 1 && d.chance().one_in(3) ? dim - 1 : dim;
  d.add("GatherElements", {p.x, indices(d, dims, p.size)}, {of_int("axis", p.axis)});
}

void gather_nd(Drawing& d) {
  const Place p = place(d, kAll, 1, 3);
  if (d.has_failed() || p.dims[0] == 0) return;
  const bool has_batch = p.dims.size() >= 2 && p.dims[1] > 0 && d.chance().one_in(2);
  const Dims dims = has_batch ? Dims{p.dims[0], 1} : Dims{d.chance().between(1, 4), 1};
  const int64_t size = p.dims[has_batch ? 1 : 0];
  d.add("GatherND",
        {p.x, d.either(DType::kInt64, dims,
                       {Fill::kWhole, static_cast<double>(-size), static_cast<double>(size - 1)})},
        {of_int("batch_dims", has_batch ? 1 : 0)});
}

// Different places of an axis, so that no order of writing matters.
std::vector<int64_t> different(Drawing& d, int64_t count, int64_t size) {
  std::vector<int64_t> all(static_cast<size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  for (size_t i = all.size(); i > 1; --i) {
    std::swap(all[i - 1],
              all[static_cast<size_t>(d.chance().between(0, static_cast<int64_t>(i) - 1))]);
  }
  all.resize(static_cast<size_t>(std::min(count, size)));
  return all;
}

void scatter_elements(Drawing& d) {
  const Place p = place(d, kNumbers, 1, 2);
  if (d.has_failed()) return;
  const size_t front = Drawing::front(p.axis, p.dims);
  const auto chosen = different(d, d.chance().between(1, 3), p.size);
  Dims dims = p.dims;
  dims[front] = static_cast<int64_t>(chosen.size());
  std::vector<double> numbers(static_cast<size_t>(count_of(dims)));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t inner = dims.size() == 2 && front == 0 ? static_cast<size_t>(dims[1]) : 1;
    numbers[i] = static_cast<double>(chosen[i / inner % chosen.size()]);
  }
  Attributes attributes{of_int("axis", p.axis)};
  if (d.chance().one_in(2))
    attributes.push_back(
        of_text("reduction", d.chance().of(std::vector<std::string>{"add", "mul", "max", "min"})));
  d.add("ScatterElements",
        {p.x, d.constant(tensor_of(DType::kInt64, dims, numbers)), d.like(d.type_of(p.x), dims)},
        attributes);
}

void scatter_nd(Drawing& d) {
  const Place p = place(d, kNumbers | kFlags, 1, 3);
  if (d.has_failed() || p.dims[0] == 0) return;
  const auto chosen = different(d, d.chance().between(1, 3), p.dims[0]);
  const std::vector<double> numbers(chosen.begin(), chosen.end());
  Dims dims = p.dims;
  dims[0] = static_cast<int64_t>(chosen.size());
  Attributes attributes;
  if (d.type_of(p.x) != DType::kBool && d.chance().one_in(2))
    attributes.push_back(
        of_text("reduction", d.chance().of(std::vector<std::string>{"add", "mul", "max", "min"})));
  d.add("ScatterND",
        {p.x, d.constant(tensor_of(DType::kInt64, {dims[0], 1}, numbers)),
         d.like(d.type_of(p.x), dims)},
        attributes);
}

void compress(Drawing& d) {
  const Place p = place(d, kAll);
  const int64_t count = p.size - (p.size > 1 && d.chance().one_in(2) ? 1 : 0);
  d.add("Compress", {p.x, d.either(DType::kBool, {count})}, {of_int("axis", p.axis)});
}

void one_hot(Drawing& d) {
  const Dims dims = d.dims(1, 2);
  const DType dtype = d.type(mask_of(DType::kFloat32, DType::kInt64));
  const std::string values = d.constant(dtype, {2}, {Fill::kWhole, 0, 3});
  d.add("OneHot",
        {d.either(DType::kInt64, dims, {Fill::kWhole, -5, 6}), d.scalar(DType::kInt64, 5), values},
        {of_int("axis", d.chance().between(-1, static_cast<int64_t>(dims.size())))});
}

void non_zero(Drawing& d) { d.add("NonZero", {d.any(kNumbers | kFlags, 1, 3)}); }

void unique(Drawing& d) {
  const DType dtype = d.type(mask_of(DType::kFloat32, DType::kInt64, DType::kInt32));
  const Dims dims = d.dims(1, 2);
  Attributes attributes{of_int("sorted", d.chance().between(0, 1))};
  if (d.chance().one_in(2)) attributes.push_back(of_int("axis", d.axis_of(dims)));
  d.add_many("Unique", {d.input(dtype, dims, {Fill::kWhole, 0, 4})}, attributes, 4, "",
             static_cast<unsigned>(d.chance().between(0, 7)) * 2 | 1);
}

void reverse_sequence(Drawing& d) {
  const Dims dims{d.chance().between(1, 5), d.chance().between(1, 4), d.chance().between(1, 4)};
  const bool time_first = d.chance().one_in(2);
  const int64_t time = dims[time_first ? 0 : 1], batch = dims[time_first ? 1 : 0];
  const std::string lengths =
      d.either(DType::kInt64, {batch}, {Fill::kWhole, 0, static_cast<double>(time)});
  d.add("ReverseSequence", {d.like(d.type(kNumbers), dims), lengths},
        {of_int("time_axis", time_first ? 0 : 1), of_int("batch_axis", time_first ? 1 : 0)});
}

void tensor_scatter(Drawing& d) {
  const int64_t batch = d.chance().between(1, 3), most = d.chance().between(3, 6),
                steps = d.chance().between(1, 3);
  const bool is_circular = d.chance().one_in(2);
  const DType dtype = d.type(kFloats);
  const std::string past = d.like(dtype, {batch, 2, most, 4});
  const std::string at =
      d.either(DType::kInt64, {batch},
               {Fill::kWhole, 0, static_cast<double>(most - (is_circular ? 1 : steps))});
  d.add("TensorScatter", {past, d.like(dtype, {batch, 2, steps, 4}), at},
        {of_text("mode", is_circular ? "circular" : "linear")});
}

void non_max_suppression(Drawing& d) {
  const int64_t count = d.chance().between(1, 12);
  const Dims boxes{d.chance().between(1, 2), count, 4};
  const Dims scores{boxes[0], d.chance().between(1, 3), count};
  d.add("NonMaxSuppression",
        {d.input(DType::kFloat32, boxes, {Fill::kReal, 0, 1}),
         d.input(DType::kFloat32, scores, {Fill::kReal, 0, 1}),
         d.scalar(DType::kInt64, static_cast<double>(d.chance().between(0, 5))),
         d.scalar(DType::kFloat32, 0.41), d.scalar(DType::kFloat32, 0.17)},
        {of_int("center_point_box", d.chance().between(0, 1))});
}

}  // namespace

std::vector<OperatorRow> gathering_rows() {
  return {
      {"Gather", "", 13, kExact, 0, gather},
      {"GatherElements", "", 13, kExact, 0, gather_elements},
      {"GatherND", "", 13, kExact, 0, gather_nd},
      {"ScatterElements", "", 18, kPlain, 4, scatter_elements},
      {"ScatterND", "", 18, kPlain, 4, scatter_nd},
      {"Compress", "", 11, kExact, 0, compress},
      {"OneHot", "", 11, kExact, 0, one_hot},
      {"NonZero", "", 13, kExact, 0, non_zero},
      {"Unique", "", 11, kExact, 0, unique},
      {"ReverseSequence", "", 10, kExact, 0, reverse_sequence},
      {"TensorScatter", "", 24, kExact, 0, tensor_scatter},
      {"NonMaxSuppression", "", 11, kExact, 0, non_max_suppression},
  };
}

}  // namespace ortc::fuzz

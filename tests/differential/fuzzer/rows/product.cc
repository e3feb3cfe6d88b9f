// SPDX-License-Identifier: MIT
// Sums of products: matrices, Einstein's sums, determinants, transforms.
#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

const Fill kWeights{Fill::kReal, -0.7, 0.7};

// Mostly small; sometimes past the edge of a kernel's tile.
int64_t edge(Drawing& d) {
  return d.chance().one_in(4) ? d.chance().between(15, 37) : d.chance().between(1, 9);
}

void mat_mul(Drawing& d) {
  const TypeMask types = kFloats | mask_of(DType::kInt32, DType::kInt64);
  std::string a = d.any(types, 1, 4);
  const Dims dims = d.dims_of(a);
  if (dims.empty()) return;
  Dims other{dims.back(), edge(d)};
  if (d.chance().one_in(6)) other = {dims.back()};
  if (dims.size() > 2 && d.chance().one_in(3)) {
    other.insert(other.begin(), d.chance().one_in(2) ? dims[dims.size() - 3] : 1);
    if (other.size() < 3) other = {dims.back(), 3};
  }
  d.add("MatMul", {a, d.either(d.type_of(a), other, kWeights)});
}

void gemm(Drawing& d) {
  const std::string a = d.any(kFloats, 2, 2);
  const DType dtype = d.type_of(a);
  const Dims dims = d.dims_of(a);
  if (dims.size() != 2) return;
  const bool turn_a = d.chance().one_in(3), turn_b = d.chance().one_in(2);
  const int64_t m = dims[turn_a ? 1 : 0], k = dims[turn_a ? 0 : 1], n = edge(d);
  const std::string b = d.either(dtype, turn_b ? Dims{n, k} : Dims{k, n}, kWeights);
  static const std::vector<int> kKinds = {0, 1, 2, 3, 4};
  std::string c;
  switch (d.chance().of(kKinds)) {
    case 1:
      c = d.either(dtype, {n});
      break;
    case 2:
      c = d.either(dtype, {m, n});
      break;
    case 3:
      c = d.either(dtype, {m, 1});
      break;
    case 4:
      c = d.either(dtype, {});
      break;
    default:
      break;
  }
  Attributes attributes{of_int("transA", turn_a), of_int("transB", turn_b)};
  if (d.chance().one_in(3)) attributes.push_back(of_float("alpha", 0.5));
  if (d.chance().one_in(3)) attributes.push_back(of_float("beta", 2));
  d.add("Gemm", {a, b, c}, attributes);
}

void einsum(Drawing& d) {
  struct Form {
    const char* text;
    Dims a, b;
  };
  const int64_t i = d.chance().between(1, 5), j = d.chance().between(1, 6),
                k = d.chance().between(1, 5), n = d.chance().between(1, 3);
  const std::vector<Form> forms = {{"ij,jk->ik", {i, j}, {j, k}},
                                   {"bij,bjk->bik", {n, i, j}, {n, j, k}},
                                   {"bhid,bhjd->bhij", {n, 2, i, k}, {n, 2, j, k}},
                                   {"ij->ji", {i, j}, {}},
                                   {"ij->i", {i, j}, {}},
                                   {"ii->i", {i, i}, {}},
                                   {"i,j->ij", {i}, {j}},
                                   {"...ij,...jk->...ik", {n, i, j}, {j, k}},
                                   {"bij,kj->bik", {n, i, j}, {k, j}}};
  const Form& form = d.chance().of(forms);
  const DType dtype = d.type(mask_of(DType::kFloat32, DType::kFloat64));
  Names inputs{d.like(dtype, form.a)};
  if (!form.b.empty()) inputs.push_back(d.either(dtype, form.b));
  d.add("Einsum", inputs, {of_text("equation", form.text)});
}

void determinant(Drawing& d) {
  const int64_t n = d.chance().between(1, 5);
  const Dims dims = d.chance().one_in(2) ? Dims{n, n} : Dims{d.chance().between(1, 3), n, n};
  d.add("Det", {d.input(d.type(mask_of(DType::kFloat32, DType::kFloat64)), dims)});
}

void fourier(Drawing& d) {
  const Dims dims{d.chance().between(1, 2), d.chance().between(1, 12),
                  1 + d.chance().between(0, 1)};
  const bool is_onesided = dims[2] == 1 && d.chance().one_in(2);
  d.add("DFT", {d.like(DType::kFloat32, dims), "", d.scalar(DType::kInt64, 1)},
        {of_int("onesided", is_onesided)});
}

void short_fourier(Drawing& d) {
  const int64_t frame = d.chance().between(4, 8);
  d.add("STFT",
        {d.input(DType::kFloat32, {d.chance().between(1, 2), 24, 1}),
         d.scalar(DType::kInt64, static_cast<double>(d.chance().between(2, 5))),
         d.constant(DType::kFloat32, {frame}, {Fill::kReal, 0.2, 1}),
         d.scalar(DType::kInt64, static_cast<double>(frame))},
        {of_int("onesided", 1)});
}

template <int kind>
void window(Drawing& d) {
  constexpr const char* kNames[] = {"HannWindow", "HammingWindow", "BlackmanWindow"};
  const auto size = static_cast<double>(d.chance().between(2, 20));
  d.add(kNames[kind], {d.input(DType::kInt64, {}, {Fill::kWhole, size, size})},
        {of_int("periodic", d.chance().between(0, 1))});
}

void mel(Drawing& d) {
  d.add("MelWeightMatrix", {d.scalar(DType::kInt64, static_cast<double>(d.chance().between(2, 8))),
                            d.scalar(DType::kInt64, 16), d.scalar(DType::kInt64, 8192),
                            d.scalar(DType::kFloat32, 10), d.scalar(DType::kFloat32, 4000)});
}

void attention(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2),
                heads = d.chance().of(std::vector<int64_t>{1, 2, 4}),
                size = d.chance().of(std::vector<int64_t>{2, 4, 8});
  const int64_t queries = d.chance().between(1, 6), keys = d.chance().between(1, 7);
  const int64_t groups = heads > 1 && d.chance().one_in(3) ? heads / 2 : heads;
  const DType dtype = d.type(mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16));
  const std::string q = d.like(dtype, {batch, heads, queries, size}),
                    k = d.like(dtype, {batch, groups, keys, size}),
                    v = d.like(dtype, {batch, groups, keys, size});
  const std::string mask = d.chance().one_in(2) ? d.either(dtype, {queries, keys}) : "";
  Attributes attributes{of_int("is_causal", mask.empty() ? d.chance().between(0, 1) : 0)};
  if (d.chance().one_in(3)) attributes.push_back(of_float("softcap", 2));
  if (d.chance().one_in(3)) attributes.push_back(of_float("scale", 0.3));
  d.add("Attention", {q, k, v, mask}, attributes);
}

void rotary(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2), heads = d.chance().between(1, 3),
                length = d.chance().between(1, 5), size = 2 * d.chance().between(1, 5);
  const DType dtype = d.type(mask_of(DType::kFloat32, DType::kFloat16));
  const bool has_places = d.chance().one_in(2);
  const Dims table = has_places ? Dims{8, size / 2} : Dims{batch, length, size / 2};
  const Fill unit{Fill::kReal, -1, 1};
  d.add("RotaryEmbedding",
        {d.like(dtype, {batch, heads, length, size}), d.constant(dtype, table, unit),
         d.constant(dtype, table, unit),
         has_places ? d.either(DType::kInt64, {batch, length}, {Fill::kWhole, 0, 7}) : ""},
        {of_int("interleaved", d.chance().between(0, 1))});
}

}  // namespace

std::vector<OperatorRow> product_rows() {
  return {
      {"MatMul", "", 13, kPlain, 4, mat_mul},
      {"Gemm", "", 13, kPlain, 4, gemm},
      {"Einsum", "", 12, kPlain, 4, einsum},
      {"Det", "", 22, kPlain, 16, determinant},
      {"DFT", "", 20, kPlain, 16, fourier},
      {"STFT", "", 17, kPlain, 16, short_fourier},
      {"HannWindow", "", 17, kPlain, 8, window<0>},
      {"HammingWindow", "", 17, kPlain, 8, window<1>},
      {"BlackmanWindow", "", 17, kPlain, 8, window<2>},
      {"MelWeightMatrix", "", 17, kPlain, 8, mel},
      {"Attention", "", 23, kPlain, 16, attention},
      {"RotaryEmbedding", "", 23, kPlain, 4, rotary},
  };
}

}  // namespace ortc::fuzz

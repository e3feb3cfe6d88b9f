// SPDX-License-Identifier: MIT
// WordConvEmbedding (com.microsoft): a vector for each word of characters,
//
//   y[f] = max over places t of tanh(b[f] + sum over k of w[f, k] . c[character t + k])
//
// Numbers of characters are positive, 0 is padding. Windows that reach over the end of a word are
// left out, but for those of a word that is shorter than the window. A word without characters
// gives zeros.
#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

enum Input : size_t { kWords, kW, kBias, kCharacters };
constexpr TypeMask kF32 = mask_of(DType::kFloat32);

Status prepare_embedding(PrepareContext& ctx) {
  // What the attributes say stands in the shapes of the weights as well.
  const auto check = [&ctx](std::string_view name, size_t input, size_t axis) -> Status {
    const int64_t given = ctx.node().int_attribute(name, -1);
    const Type& type = ctx.input_type(input);
    if (given == -1 || !type.shape || type.shape->size() <= axis) return Status::ok();
    const Dim& dim = (*type.shape)[axis];
    if (!dim.is_known() || dim.value == given) return Status::ok();
    return invalid_graph("attribute '", name, "' is ", given, ", the weights have ", dim.value);
  };
  RETURN_IF_ERROR(check("embedding_size", kW, 0));
  RETURN_IF_ERROR(check("conv_window_size", kW, 2));
  return check("char_embedding_size", kCharacters, 1);
}

Status bind_embedding(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 4, 4));
  RETURN_IF_ERROR(check_type(ctx, kWords, mask_of(DType::kInt32)));
  for (const size_t i : {kW, kBias, kCharacters}) RETURN_IF_ERROR(check_type(ctx, i, kF32));
  const ValueRef &words = ctx.input(kWords), &w = ctx.input(kW), &bias = ctx.input(kBias),
                 &characters = ctx.input(kCharacters);
  const bool fits = words.rank == 2 && w.rank == 4 && w.dim(1) == 1 && characters.rank == 2 &&
                    w.dim(3) == characters.dim(1) && bias.rank == 1 && bias.dim(0) == w.dim(0) &&
                    w.dim(2) > 0 && w.dim(2) <= words.dim(1);
  if (!fits) {
    return invalid_argument("words ", dims_to_string(words.dims()), ", weights ",
                            dims_to_string(w.dims()), ", bias ", dims_to_string(bias.dims()),
                            " and characters ", dims_to_string(characters.dims()),
                            " do not fit each other");
  }
  return ctx.set_output(0, DType::kFloat32, {words.dim(0), w.dim(0)});
}

struct Word {
  const int32_t* characters;
  int64_t length;
};

void embed(const RunContext& ctx, const Word& word, float* y) {
  const ValueRef &w = ctx.input(kW), &table = ctx.input(kCharacters);
  const int64_t filters = w.dim(0), window = w.dim(2), size = w.dim(3);
  const int64_t places = std::max(word.length, window) - window + 1;
  std::fill_n(y, filters, 0.0f);
  for (int64_t f = 0; word.length > 0 && f < filters; ++f) {
    const float* weights = w.as<float>() + f * window * size;
    float top = -2.0f;  // below every tanh
    for (int64_t t = 0; t < places; ++t) {
      float sum = 0;
      for (int64_t k = 0; k < window; ++k) {
        const float* vector = table.as<float>() + word.characters[t + k] * size;
        for (int64_t i = 0; i < size; ++i) sum += weights[k * size + i] * vector[i];
      }
      top = std::max(top, std::tanh(sum + ctx.input(kBias).as<float>()[f]));
    }
    y[f] = top;
  }
}

Status run_embedding(RunContext& ctx) {
  const ValueRef& words = ctx.input(kWords);
  const int64_t rows = ctx.input(kCharacters).dim(0), width = words.dim(1);
  const auto* characters = words.as<int32_t>();
  for (int64_t i = 0; i < words.element_count(); ++i) {
    if (characters[i] < 0 || characters[i] >= rows) return index_out_of_range(characters[i], rows);
  }
  ctx.parallel_for(words.dim(0), 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Word word{characters + i * width, 0};
      for (int64_t c = 0; c < width; ++c) word.length += word.characters[c] > 0 ? 1 : 0;
      if (word.characters[0] == 0) word.length = 0;
      embed(ctx, word, ctx.output(0).as_mutable<float>() + i * ctx.input(kW).dim(0));
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable word_embedding_kernels() {
  static constexpr KernelRow rows[] = {
      {"WordConvEmbedding", kMicrosoftDomain, 1, kLatestOpset, kF32, "word_conv_embedding", 1,
       kNoFlags, 0, prepare_embedding, bind_embedding, run_embedding, 1},
  };
  return rows;
}

}  // namespace ortc::cpu

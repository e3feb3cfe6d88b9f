// SPDX-License-Identifier: MIT
// Vectors of features (ai.onnx.ml):
//
//   ArrayFeatureExtractor   y[..., i] = x[..., indices[i]]; of a vector a single row
//   FeatureVectorizer       rows side by side as float32, each input cut or filled with 0 to the
//                           width that the attribute gives it
//   OneHotEncoder           y[..., c] = 1 where x is category c, else 0
#include <algorithm>
#include <atomic>
#include <numeric>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/key_index.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/ml/scores.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kStrings = mask_of(DType::kString);
using FeatureTypes = TypeList<float, double, int32_t, int64_t>;
static_assert(FeatureTypes::kMask == kFeatureTypes);

// --- ArrayFeatureExtractor.

Status bind_extractor(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kFeatureTypes | kStrings));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kInt64)));
  const ValueRef& x = ctx.input(0);
  if (x.rank == 0) return invalid_argument("input 0 is a scalar");
  const int64_t picks = ctx.input(1).element_count();
  if (x.rank == 1) return ctx.set_output(0, x.dtype, {1, picks});
  Dims dims(x.dims().begin(), x.dims().end());
  dims.back() = picks;
  return ctx.set_output(0, x.dtype, dims);
}

template <typename T>
void extract(const ValueRef& x, const ValueRef& indices, const ValueRef& y) {
  const int64_t width = x.dim(x.rank - 1), picks = indices.element_count();
  const auto* index = indices.as<int64_t>();
  const T* from = x.as<T>();
  T* to = y.as_mutable<T>();
  for (const T* end = to + y.element_count(); to != end; to += picks, from += width) {
    for (int64_t i = 0; i < picks; ++i) to[i] = from[index[i]];
  }
}

Status run_extractor(RunContext& ctx) {
  const ValueRef &x = ctx.input(0), &indices = ctx.input(1), &y = ctx.output(0);
  const int64_t width = x.dim(x.rank - 1);
  const auto* index = indices.as<int64_t>();
  bool is_outside = false;
  for (int64_t i = 0; i < indices.element_count(); ++i) {
    is_outside |= static_cast<uint64_t>(index[i]) >= static_cast<uint64_t>(width);
  }
  if (is_outside) {
    const auto* found = std::find_if(index, index + indices.element_count(),
                                     [&](int64_t i) { return i < 0 || i >= width; });
    return invalid_argument("index ", *found, " is outside [0, ", width - 1, "]");
  }
  if (y.element_count() == 0) return Status::ok();
  if (x.dtype == DType::kString) {
    extract<std::string>(x, indices, y);
  } else if (element_bytes(x.dtype) == 4) {
    extract<Chunk<4>>(x, indices, y);
  } else {
    extract<Chunk<8>>(x, indices, y);
  }
  return Status::ok();
}

// --- FeatureVectorizer.

// Behind it stands a column of widths (int64), one for each input; none: as wide as they are.
struct VectorizerParams {
  uint32_t record_bytes;
  uint32_t reserved;
};
static_assert(sizeof(VectorizerParams) == 8);

Status prepare_vectorizer(PrepareContext& ctx) {
  const auto widths = ctx.node().ints_attribute("inputdimensions", {});
  if (!widths.empty() && widths.size() != ctx.input_count()) {
    return invalid_graph("attribute 'inputdimensions' has ", widths.size(), " numbers, expected ",
                         ctx.input_count());
  }
  for (const int64_t width : widths) {
    if (width < 0) {
      return invalid_graph("attribute 'inputdimensions' has ", width, ", expected 0 or more");
    }
  }
  const Tensor column = column_of(widths);
  return set_columns(ctx, VectorizerParams{sizeof(VectorizerParams), 0}, {&column});
}

Result<Column> read_widths(Bytes record) {
  Bytes rest = record.subspan(sizeof(VectorizerParams));
  return take_column(rest, DType::kInt64);
}

int64_t width_of(const Column& widths, size_t i, const FeatureRows& x) {
  return widths.count() == 0 ? x.features : widths.number<int64_t>(i);
}

Status bind_vectorizer(BindContext& ctx) {
  if (ctx.params<VectorizerParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, ctx.input_count()));
  ASSIGN_OR_RETURN(const Column widths, read_widths(ctx.params_bytes()));
  if (widths.count() != 0 && widths.count() != ctx.input_count()) {
    return damaged_params("it has ", widths.count(), " widths for ", ctx.input_count(), " inputs");
  }
  int64_t total = 0, rows = 0;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    if (!ctx.has_input(i)) return invalid_graph("input ", i, " is missing");
    RETURN_IF_ERROR(check_type(ctx, i, kFeatureTypes));
    RETURN_IF_ERROR(check_same_type(ctx, i, 0));
    ASSIGN_OR_RETURN(const FeatureRows x, feature_rows(ctx.input(i)));
    if (i == 0) rows = x.rows;
    if (x.rows != rows) {
      return invalid_argument("input ", i, " has ", x.rows, " rows, input 0 has ", rows);
    }
    const int64_t width = width_of(widths, i, x);
    const auto sum = checked_add(total, width);
    if (width < 0 || !sum) return damaged_params("input ", i, " is ", width, " wide");
    total = *sum;
  }
  return ctx.set_output(0, DType::kFloat32, {rows, total});
}

// Rows [begin, end) of input x as `width` floats each, `total` apart.
template <typename T>
void copy_rows(const ValueRef& x, const FeatureRows& shape, int64_t begin, int64_t end,
               int64_t width, int64_t total, float* to) {
  const int64_t copied = std::min(width, shape.features);
  const T* from = x.as<T>() + begin * shape.features;
  for (int64_t row = begin; row < end; ++row, from += shape.features, to += total) {
    for (int64_t i = 0; i < copied; ++i) to[i] = static_cast<float>(from[i]);
    std::fill(to + copied, to + width, 0.0f);
  }
}

Status run_vectorizer(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Column widths, read_widths(ctx.params_bytes()));
  const ValueRef& y = ctx.output(0);
  if (y.element_count() == 0) return Status::ok();
  const int64_t total = y.dim(1);
  ctx.parallel_for(y.dim(0), std::max<int64_t>(1, kElementGrain / total),
                   [&](int64_t begin, int64_t end) {
                     float* to = y.as_mutable<float>() + begin * total;
                     for (size_t i = 0; i < ctx.input_count(); ++i) {
                       const FeatureRows shape = *feature_rows(ctx.input(i));
                       const int64_t width = width_of(widths, i, shape);
                       with_type(FeatureTypes{}, ctx.input(i).dtype, [&](auto tag) {
                         using T = typename decltype(tag)::type;
                         copy_rows<T>(ctx.input(i), shape, begin, end, width, total, to);
                       });
                       to += width;
                     }
                   });
  return Status::ok();
}

// --- OneHotEncoder.

// Behind it stand the categories, ascending and each once (int64 or texts), and their places
// (int64).
struct EncoderParams {
  uint32_t record_bytes;
  uint32_t takes_unknown;  // as a row of zeros
  int64_t width;
};
static_assert(sizeof(EncoderParams) == 16);

// Of a category that stands there twice the last place counts.
template <typename T>
std::vector<int64_t> sorted_places(std::span<const T> categories) {
  std::vector<int64_t> places(categories.size());
  std::iota(places.begin(), places.end(), int64_t{0});
  const auto at = [&](int64_t place) -> const T& { return categories[static_cast<size_t>(place)]; };
  std::sort(places.begin(), places.end(),
            [&](int64_t a, int64_t b) { return at(a) < at(b) || (at(a) == at(b) && a > b); });
  const auto end = std::unique(places.begin(), places.end(),
                               [&](int64_t a, int64_t b) { return at(a) == at(b); });
  places.erase(end, places.end());
  return places;
}

Status prepare_encoder(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const Tensor categories,
                   class_labels(ctx.node(), "cats_strings", "cats_int64s"));
  const bool is_text = categories.dtype() == DType::kString;
  const DType x = ctx.input_type(0).dtype;
  if (x != DType::kUndefined && (x == DType::kString) != is_text) {
    return invalid_graph("the categories are ", is_text ? "strings" : "integers", ", the input is ",
                         dtype_name(x));
  }
  const auto places = is_text ? sorted_places(categories.string_elements())
                              : sorted_places(categories.elements<int64_t>());
  const auto count = static_cast<int64_t>(places.size());
  ASSIGN_OR_RETURN(Tensor sorted, Tensor::create(categories.dtype(), {count}));
  for (size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<size_t>(places[i]);
    if (is_text) {
      sorted.mutable_string_elements()[i] = categories.string_elements()[place];
    } else {
      sorted.mutable_elements<int64_t>()[i] = categories.elements<int64_t>()[place];
    }
  }
  const EncoderParams params{sizeof params,
                             ctx.node().int_attribute("zeros", 1) != 0 ? uint32_t{1} : 0,
                             categories.element_count()};
  const Tensor column = column_of(places);
  return set_columns(ctx, params, {&sorted, &column});
}

struct Categories {
  Column values;
  std::span<const int64_t> places;
};

Result<Categories> read_categories(Bytes record, int64_t width) {
  Bytes rest = record.subspan(sizeof(EncoderParams));
  Categories categories;
  ASSIGN_OR_RETURN(categories.values, take_labels(rest));
  ASSIGN_OR_RETURN(
      const Column places,
      take_column(rest, DType::kInt64, static_cast<int64_t>(categories.values.count())));
  categories.places = numbers_of<int64_t>(places);
  const bool fits = std::all_of(categories.places.begin(), categories.places.end(),
                                [&](int64_t place) { return place >= 0 && place < width; });
  if (!fits) return invalid_graph("its params record has categories without a place");
  return categories;
}

Status bind_encoder(BindContext& ctx) {
  const auto* params = ctx.params<EncoderParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->width < 1) return damaged_params("it has ", params->width, " categories");
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kFeatureTypes | kStrings));
  ASSIGN_OR_RETURN(const Categories categories, read_categories(ctx.params_bytes(), params->width));
  const ValueRef& x = ctx.input(0);
  if ((x.dtype == DType::kString) != (categories.values.dtype() == DType::kString)) {
    return damaged_params("its categories are ", dtype_name(categories.values.dtype()),
                          ", the input is ", dtype_name(x.dtype));
  }
  ScratchPlan plan;
  plan.add<uint32_t>(
      static_cast<int64_t>(KeyIndex::room_for(categories.values, x.element_count())));
  RETURN_IF_ERROR(plan.declare(ctx));
  Dims dims(x.dims().begin(), x.dims().end());
  dims.push_back(params->width);
  return ctx.set_output(0, DType::kFloat32, dims);
}

// Writes the rows of elements [begin, end); gives the first that is none of the categories, or
// `end`.
int64_t write_rows(const RunContext& ctx, const Categories& categories, const KeyIndex& index,
                   int64_t begin, int64_t end) {
  const int64_t width = ctx.params<EncoderParams>().width;
  auto* y = ctx.output(0).as_mutable<float>();
  std::fill(y + begin * width, y + end * width, 0.0f);
  int64_t unknown = end;
  for (int64_t at = begin; at < end; at += KeyIndex::kPart) {
    size_t places[KeyIndex::kPart];
    const int64_t n = std::min(KeyIndex::kPart, end - at);
    index.find(ctx.input(0), at, n, places);
    for (int64_t i = 0; i < n; ++i) {
      if (places[i] < categories.places.size()) {
        y[(at + i) * width + categories.places[places[i]]] = 1.0f;
      } else {
        unknown = std::min(unknown, at + i);
      }
    }
  }
  return unknown;
}

Status run_encoder(RunContext& ctx) {
  const auto& params = ctx.params<EncoderParams>();
  ASSIGN_OR_RETURN(const Categories categories, read_categories(ctx.params_bytes(), params.width));
  const int64_t count = ctx.input(0).element_count();
  if (count == 0) return Status::ok();
  const KeyIndex index(categories.values, scratch_at<uint32_t>(ctx, 0),
                       KeyIndex::room_for(categories.values, count));
  std::atomic<int64_t> unknown = count;
  ctx.parallel_for(
      count, std::max<int64_t>(1, kElementGrain / (8 + params.width)),
      [&](int64_t begin, int64_t end) {
        const int64_t found = write_rows(ctx, categories, index, begin, end);
        int64_t first = unknown.load();
        while (found < end && found < first && !unknown.compare_exchange_weak(first, found)) {
        }
      });
  if (params.takes_unknown != 0 || unknown == count) return Status::ok();
  return invalid_argument("element ", unknown.load(), " is none of the categories");
}

}  // namespace

KernelTable feature_vectors_kernels() {
  static constexpr KernelRow rows[] = {
      {"ArrayFeatureExtractor", kMlDomain, 1, kLatestOpset, kFeatureTypes | kStrings,
       "array_feature_extractor", 1, kNoFlags, 0, prepare_nothing, bind_extractor, run_extractor},
      {"FeatureVectorizer", kMlDomain, 1, kLatestOpset, kFeatureTypes, "feature_vectorizer", 1,
       kNoFlags, 0, prepare_vectorizer, bind_vectorizer, run_vectorizer},
      {"OneHotEncoder", kMlDomain, 1, kLatestOpset, kFeatureTypes | kStrings, "one_hot_encoder", 1,
       kNoFlags, 0, prepare_encoder, bind_encoder, run_encoder},
  };
  return rows;
}

}  // namespace ortc::cpu

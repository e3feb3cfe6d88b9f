// SPDX-License-Identifier: MIT
// Maps (ai.onnx.ml): ZipMap makes one of each row of scores, DictVectorizer a row of a map, CastMap
// a row of the values of a map in the order of their keys, or each at the place that its key says.
#include <algorithm>
#include <numeric>
#include <vector>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/record_column.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/text/string_numbers.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

// Behind it stands one column, of keys: texts or int64. ZipMap: ascending, with a second column
// that says at which place of a row each stood.
struct DictionaryParams {
  uint32_t record_bytes;
  uint32_t reserved;
};
static_assert(sizeof(DictionaryParams) == 8);

// The one of two attributes that is there.
Result<Tensor> key_attribute(const Node& node, std::string_view texts, std::string_view numbers) {
  const Attribute *a = node.attribute(texts), *b = node.attribute(numbers);
  const bool has_texts = a != nullptr && !a->strings.empty();
  const bool has_numbers = b != nullptr && !b->ints.empty();
  if (has_texts == has_numbers) {
    return invalid_graph("expected one of '", texts, "' and '", numbers, "'");
  }
  if (has_numbers) return Tensor::from<int64_t>({static_cast<int64_t>(b->ints.size())}, b->ints);
  std::vector<std::string> keys;
  for (const Blob& text : a->strings) keys.emplace_back(text.text());
  const auto count = static_cast<int64_t>(keys.size());
  return Tensor::strings({count}, std::move(keys));
}

Status set_record(PrepareContext& ctx, std::initializer_list<const Tensor*> columns) {
  const DictionaryParams params{sizeof params, 0};
  std::string record(reinterpret_cast<const char*>(&params), sizeof params);
  for (const Tensor* column : columns) RETURN_IF_ERROR(append_column(record, *column));
  ctx.set_params_bytes(as_bytes(record));
  return Status::ok();
}

// Sorts the keys and tells where each stood.
template <typename T>
std::vector<int64_t> sort_keys(std::span<T> keys) {
  std::vector<int64_t> places(keys.size());
  std::iota(places.begin(), places.end(), int64_t{0});
  std::stable_sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
    return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)];
  });
  std::vector<T> sorted;
  for (const int64_t place : places) sorted.push_back(keys[static_cast<size_t>(place)]);
  std::move(sorted.begin(), sorted.end(), keys.begin());
  return places;
}

Status prepare_zip_map(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(Tensor keys,
                   key_attribute(ctx.node(), "classlabels_strings", "classlabels_int64s"));
  std::vector<int64_t> places;
  bool is_unique = true;
  if (keys.dtype() == DType::kString) {
    const auto texts = keys.mutable_string_elements();
    places = sort_keys(texts);
    is_unique = std::adjacent_find(texts.begin(), texts.end()) == texts.end();
  } else {
    const auto numbers = keys.mutable_elements<int64_t>();
    places = sort_keys(numbers);
    is_unique = std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
  }
  if (!is_unique) return invalid_graph("a class label appears there twice");
  const Tensor order = Tensor::from<int64_t>(keys.dims(), places);
  return set_record(ctx, {&keys, &order});
}

Status prepare_dict_vectorizer(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const Tensor keys,
                   key_attribute(ctx.node(), "string_vocabulary", "int64_vocabulary"));
  return set_record(ctx, {&keys});
}

struct CastMapParams {
  uint32_t record_bytes;
  uint32_t to;
  int64_t width;  // 0: as many as the map has
};
static_assert(sizeof(CastMapParams) == 16);

Status prepare_cast_map(PrepareContext& ctx) {
  constexpr DType kTargets[] = {DType::kFloat32, DType::kString, DType::kInt64};
  const Node& node = ctx.node();
  ASSIGN_OR_RETURN(const uint32_t target,
                   one_of(node, "cast_to", "TO_FLOAT", {"TO_FLOAT", "TO_STRING", "TO_INT64"}));
  ASSIGN_OR_RETURN(const uint32_t is_sparse,
                   one_of(node, "map_form", "DENSE", {"DENSE", "SPARSE"}));
  const int64_t width = node.int_attribute("max_map", 1);
  const DType to = kTargets[target];
  if (is_sparse != 0) {
    if (width < 1) return invalid_graph("attribute 'max_map' is ", width, ", expected 1 or more");
    if (to == DType::kString) return not_implemented("a sparse map of strings");
  }
  ctx.set_params(
      CastMapParams{sizeof(CastMapParams), static_cast<uint32_t>(to), is_sparse != 0 ? width : 0});
  return Status::ok();
}

// --- Bind.

Status bind_cast_map(BindContext& ctx) {
  const auto* params = ctx.params<CastMapParams>();
  constexpr TypeMask kTargets = mask_of(DType::kFloat32, DType::kString, DType::kInt64);
  if (params == nullptr) return ctx.bad_params();
  if (!dtype_is_valid(params->to) || (mask_of(static_cast<DType>(params->to)) & kTargets) == 0) {
    return damaged_params("it asks for element type ", params->to);
  }
  if (params->width < 0 || params->width > INT32_MAX) {
    return damaged_params("it asks for ", params->width, " columns");
  }
  return check_arity(ctx, 1, 1);
}

Result<Column> read_keys(Bytes& rest) {
  rest = rest.subspan(sizeof(DictionaryParams));
  ASSIGN_OR_RETURN(Column keys, Column::read(rest));
  if (keys.dtype() == DType::kString || keys.dtype() == DType::kInt64) return keys;
  return invalid_graph("its params record has keys of ", dtype_name(keys.dtype()));
}

struct Labels {
  Column keys, places;
};

Result<Labels> read_labels(Bytes record) {
  Labels labels;
  ASSIGN_OR_RETURN(labels.keys, read_keys(record));
  ASSIGN_OR_RETURN(labels.places, Column::read(record));
  bool fits = labels.places.dtype() == DType::kInt64 &&
              labels.places.count() == labels.keys.count() && labels.keys.count() > 0;
  for (size_t i = 0; fits && i < labels.places.count(); ++i) {
    const auto place = labels.places.number<int64_t>(i);
    fits = place >= 0 && static_cast<size_t>(place) < labels.keys.count();
  }
  if (!fits) return invalid_graph("the lists in its params record do not fit each other");
  return labels;
}

Status bind_zip_map(BindContext& ctx) {
  if (ctx.params<DictionaryParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, mask_of(DType::kFloat32)));
  ASSIGN_OR_RETURN(const Labels labels, read_labels(ctx.params_bytes()));
  const auto dims = ctx.input(0).dims();
  if (dims.empty() || dims.size() > 2 || dims.back() != static_cast<int64_t>(labels.keys.count())) {
    return invalid_argument("scores of shape ", dims_to_string(dims), " do not fit ",
                            labels.keys.count(), " class labels");
  }
  return Status::ok();
}

Status bind_dict_vectorizer(BindContext& ctx) {
  if (ctx.params<DictionaryParams>() == nullptr) return ctx.bad_params();
  Bytes rest = ctx.params_bytes();
  RETURN_IF_ERROR(read_keys(rest).status());
  return check_arity(ctx, 1, 1);
}

// --- Run.

// The column as a tensor of its own.
Result<Tensor> tensor_of(const Column& column) {
  ASSIGN_OR_RETURN(Tensor tensor,
                   Tensor::create(column.dtype(), {static_cast<int64_t>(column.count())}));
  for (size_t i = 0; i < column.count(); ++i) {
    column.copy_to(i, tensor.mutable_data(), static_cast<int64_t>(i));
  }
  return tensor;
}

Status run_zip_map(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Labels labels, read_labels(ctx.params_bytes()));
  const ValueRef& scores = ctx.input(0);
  const auto width = static_cast<int64_t>(labels.keys.count());
  Sequence sequence;
  sequence.dtype = DType::kFloat32;
  sequence.map_key = labels.keys.dtype();
  for (int64_t row = 0; row < scores.element_count() / width; ++row) {
    Map map;
    ASSIGN_OR_RETURN(map.keys, tensor_of(labels.keys));
    ASSIGN_OR_RETURN(map.values, Tensor::create(DType::kFloat32, {width}));
    for (int64_t i = 0; i < width; ++i) {
      map.values.mutable_elements<float>()[static_cast<size_t>(i)] =
          scores.as<float>()[row * width + labels.places.number<int64_t>(static_cast<size_t>(i))];
    }
    sequence.items.push_back(Datum::of(std::move(map)));
  }
  return ctx.give_output(0, Datum::of(std::move(sequence)));
}

// The place of a key in an ascending tensor of keys; -1 when it is not there.
int64_t find_key(const Tensor& keys, const Column& wanted, size_t i) {
  if (keys.dtype() == DType::kString) {
    const auto texts = keys.string_elements();
    const auto it = std::lower_bound(texts.begin(), texts.end(), wanted.text(i));
    return it != texts.end() && *it == wanted.text(i) ? it - texts.begin() : -1;
  }
  const auto numbers = keys.elements<int64_t>();
  const auto number = wanted.number<int64_t>(i);
  const auto it = std::lower_bound(numbers.begin(), numbers.end(), number);
  return it != numbers.end() && *it == number ? it - numbers.begin() : -1;
}

Status run_dict_vectorizer(RunContext& ctx) {
  Bytes rest = ctx.params_bytes();
  ASSIGN_OR_RETURN(const Column keys, read_keys(rest));
  const Datum* datum = ctx.input(0).datum;
  const Map* map = datum != nullptr ? datum->map() : nullptr;
  if (map == nullptr || map->keys.dtype() != keys.dtype()) {
    return invalid_argument("expected a map with keys of ", dtype_name(keys.dtype()), ", found ",
                            datum != nullptr ? describe(*datum) : "a tensor");
  }
  const int64_t dims[] = {1, static_cast<int64_t>(keys.count())};
  ASSIGN_OR_RETURN(Tensor row, Tensor::create(map->values.dtype(), {dims[0], dims[1]}));
  const bool is_text = row.dtype() == DType::kString;
  const size_t size =
      is_text ? sizeof(std::string) : static_cast<size_t>(dtype_bits(row.dtype())) / 8;
  for (size_t i = 0; i < keys.count(); ++i) {
    const int64_t at = find_key(map->keys, keys, i);
    if (at < 0) continue;  // 0, or an empty text
    copy_elements(
        row.dtype(), 1,
        static_cast<const std::byte*>(map->values.data()) + static_cast<size_t>(at) * size,
        static_cast<std::byte*>(row.mutable_data()) + i * size);
  }
  return ctx.give_output(0, std::move(row));
}

// The values of a map as another type.
Result<Tensor> cast_values(const Tensor& values, DType to) {
  ASSIGN_OR_RETURN(Tensor row, Tensor::create(to, {1, values.element_count()}));
  const int64_t count = values.element_count();
  if (values.dtype() == to) {
    copy_elements(to, count, values.data(), row.mutable_data());
  } else if (to == DType::kString) {
    numbers_to_texts(values.dtype(), values.data(), row.mutable_string_elements().data(), count);
  } else if (values.dtype() == DType::kString) {
    RETURN_IF_ERROR(
        texts_to_numbers(values.string_elements().data(), to, row.mutable_data(), count));
  } else {
    convert_row(values.dtype(), to)(values.data(), row.mutable_data(), count);
  }
  return row;
}

Status run_cast_map(RunContext& ctx) {
  const auto& params = ctx.params<CastMapParams>();
  const Datum* datum = ctx.input(0).datum;
  const Map* map = datum != nullptr ? datum->map() : nullptr;
  const bool is_known =
      map != nullptr && map->keys.dtype() == DType::kInt64 &&
      (map->values.dtype() == DType::kFloat32 || map->values.dtype() == DType::kString);
  if (!is_known) {
    return invalid_argument("expected a map from int64 to float32 or string, found ",
                            datum != nullptr ? describe(*datum) : "a tensor");
  }
  ASSIGN_OR_RETURN(Tensor row, cast_values(map->values, static_cast<DType>(params.to)));
  if (params.width == 0) return ctx.give_output(0, std::move(row));
  if (row.dtype() == DType::kString) return invalid_graph("its params record asks for strings");
  ASSIGN_OR_RETURN(Tensor sparse, Tensor::create(row.dtype(), {1, params.width}));
  const auto size = static_cast<size_t>(dtype_bits(row.dtype())) / 8;
  const auto keys = map->keys.elements<int64_t>();
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] < 0 || keys[i] >= params.width) {
      return invalid_argument("key ", keys[i], " is outside [0, ", params.width - 1, "]");
    }
    std::memcpy(
        static_cast<std::byte*>(sparse.mutable_data()) + static_cast<size_t>(keys[i]) * size,
        row.bytes().data() + i * size, size);
  }
  return ctx.give_output(0, std::move(sparse));
}

}  // namespace

KernelTable dictionary_kernels() {
  static constexpr KernelRow rows[] = {
      {"ZipMap", "ai.onnx.ml", 1, kLatestOpset, mask_of(DType::kFloat32), "zip_map", 1,
       kDataDependent, 0, prepare_zip_map, bind_zip_map, run_zip_map},
      {"DictVectorizer", "ai.onnx.ml", 1, kLatestOpset, kNotTensor, "dict_vectorizer", 1,
       kDataDependent, 0, prepare_dict_vectorizer, bind_dict_vectorizer, run_dict_vectorizer},
      {"CastMap", "ai.onnx.ml", 1, kLatestOpset, kNotTensor, "cast_map", 1, kDataDependent, 0,
       prepare_cast_map, bind_cast_map, run_cast_map},
  };
  return rows;
}

}  // namespace ortc::cpu

// SPDX-License-Identifier: MIT
// LabelEncoder and CategoryMapper (ai.onnx.ml): each element is looked up in a dictionary; what is
// not there becomes the default. Of a key that stands there twice the last counts, before opset 4
// of LabelEncoder the first; NaN equals NaN.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/key_index.h"
#include "providers/cpu/bind/record_column.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kKeyTypes = mask_of(DType::kString, DType::kInt64, DType::kFloat32,
                                       DType::kFloat64, DType::kInt32, DType::kInt16);

// --- Arithmetic. Keys are texts, int64 or float64: every other type fits into one of them.

DType key_type(DType dtype) {
  if (dtype == DType::kString) return dtype;
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 ? DType::kFloat64 : DType::kInt64;
}

int64_t integer_at(const ValueRef& x, int64_t i) {
  if (x.dtype == DType::kInt64) return x.as<int64_t>()[i];
  return x.dtype == DType::kInt32 ? x.as<int32_t>()[i] : x.as<int16_t>()[i];
}

double real_at(const ValueRef& x, int64_t i) {
  return x.dtype == DType::kFloat64 ? x.as<double>()[i] : static_cast<double>(x.as<float>()[i]);
}

bool less(std::string_view a, std::string_view b) { return a < b; }
bool less(int64_t a, int64_t b) { return a < b; }
bool less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }  // NaN comes last

enum class Twice { kFirstCounts, kLastCounts };

// Positions of the keys in ascending order, each once.
template <typename KeyAt>
std::vector<size_t> key_order(size_t count, Twice twice, KeyAt&& key_at) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  if (twice == Twice::kLastCounts) std::reverse(order.begin(), order.end());
  const auto before = [&](size_t a, size_t b) { return less(key_at(a), key_at(b)); };
  std::stable_sort(order.begin(), order.end(), before);
  const auto end = std::unique(order.begin(), order.end(),
                               [&](size_t a, size_t b) { return !before(a, b) && !before(b, a); });
  order.erase(end, order.end());
  return order;
}

// --- Prepare.

// Behind it stand three columns: keys, ascending; their values; the default.
struct LabelEncoderParams {
  uint32_t record_bytes;
  uint32_t reserved;
};
static_assert(sizeof(LabelEncoderParams) == 8);

std::optional<Tensor> list_attribute(const Node& node, const std::string& prefix) {
  if (const auto* list = node.attribute(prefix + "_tensor"); list != nullptr && list->tensor) {
    return list->tensor->tensor;
  }
  if (const Attribute* list = node.attribute(prefix + "_strings")) {
    std::vector<std::string> texts;
    for (const Blob& text : list->strings) texts.emplace_back(text.text());
    const auto count = static_cast<int64_t>(texts.size());
    return Tensor::strings({count}, std::move(texts));
  }
  if (const Attribute* list = node.attribute(prefix + "_int64s")) {
    return Tensor::from<int64_t>({static_cast<int64_t>(list->ints.size())}, list->ints);
  }
  if (const Attribute* list = node.attribute(prefix + "_floats")) {
    return Tensor::from<float>({static_cast<int64_t>(list->floats.size())}, list->floats);
  }
  return std::nullopt;
}

template <typename T>
Result<Tensor> default_integer(const Node& node) {
  const int64_t value = node.int_attribute("default_int64", -1);
  if (std::in_range<T>(value)) return Tensor::scalar(static_cast<T>(value));
  return invalid_graph("attribute 'default_int64' is ", value, ", which is not an ",
                       dtype_name(kDTypeOf<T>));
}

Result<Tensor> default_value(const Node& node, DType dtype) {
  if (const auto* given = node.attribute("default_tensor"); given != nullptr && given->tensor) {
    const Tensor& tensor = given->tensor->tensor;
    if (tensor.dtype() != dtype || tensor.element_count() != 1) {
      return invalid_graph("the default is ", dtype_name(tensor.dtype()),
                           dims_to_string(tensor.dims()), ", expected one ", dtype_name(dtype));
    }
    return tensor;
  }
  switch (dtype) {
    case DType::kString:
      return Tensor::strings({}, {std::string(node.string_attribute("default_string", "_Unused"))});
    case DType::kInt64:
      return default_integer<int64_t>(node);
    case DType::kInt32:
      return default_integer<int32_t>(node);
    case DType::kInt16:
      return default_integer<int16_t>(node);
    case DType::kFloat32:
      return Tensor::scalar(node.float_attribute("default_float", -0.0f));
    case DType::kFloat64:
      return Tensor::scalar(static_cast<double>(node.float_attribute("default_float", -0.0f)));
    default:
      return not_implemented("values of ", dtype_name(dtype));
  }
}

// The elements of `from` that `order` names, as type `to`.
Result<Tensor> picked(const Tensor& from, DType to, const std::vector<size_t>& order) {
  ASSIGN_OR_RETURN(Tensor result, Tensor::create(to, {static_cast<int64_t>(order.size())}));
  const ValueRef ref = ref_to(from);
  const bool is_key = to != from.dtype();
  const bool is_text = to == DType::kString;
  const size_t size = is_text ? sizeof(std::string) : static_cast<size_t>(dtype_bits(to)) / 8;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto at = static_cast<int64_t>(order[i]);
    if (is_key && to == DType::kInt64) {
      result.mutable_elements<int64_t>()[i] = integer_at(ref, at);
    } else if (is_key) {
      result.mutable_elements<double>()[i] = real_at(ref, at);
    } else {
      copy_elements(to, 1, static_cast<const std::byte*>(from.data()) + order[i] * size,
                    static_cast<std::byte*>(result.mutable_data()) + i * size);
    }
  }
  return result;
}

std::vector<size_t> order_of(const Tensor& keys, Twice twice) {
  const ValueRef ref = ref_to(keys);
  const auto count = static_cast<size_t>(keys.element_count());
  switch (key_type(keys.dtype())) {
    case DType::kString:
      return key_order(count, twice,
                       [&](size_t i) { return std::string_view(keys.string_elements()[i]); });
    case DType::kFloat64:
      return key_order(count, twice,
                       [&](size_t i) { return real_at(ref, static_cast<int64_t>(i)); });
    default:
      return key_order(count, twice,
                       [&](size_t i) { return integer_at(ref, static_cast<int64_t>(i)); });
  }
}

Status write_record(PrepareContext& ctx, const Tensor& keys, const Tensor& values,
                    const Tensor& otherwise, Twice twice) {
  const auto order = order_of(keys, twice);
  ASSIGN_OR_RETURN(const Tensor sorted_keys, picked(keys, key_type(keys.dtype()), order));
  ASSIGN_OR_RETURN(const Tensor sorted_values, picked(values, values.dtype(), order));
  const LabelEncoderParams params{sizeof params, 0};
  std::string record(reinterpret_cast<const char*>(&params), sizeof params);
  for (const Tensor* column : {&sorted_keys, &sorted_values, &otherwise}) {
    RETURN_IF_ERROR(append_column(record, *column));
  }
  ctx.set_params_bytes(as_bytes(record));
  return Status::ok();
}

Status prepare_label_encoder(PrepareContext& ctx) {
  const auto keys = list_attribute(ctx.node(), "keys");
  const auto values = list_attribute(ctx.node(), "values");
  if (!keys || !values || keys->element_count() != values->element_count()) {
    return invalid_graph("keys and values are not given, or not equally many");
  }
  if ((mask_of(keys->dtype()) & kKeyTypes) == 0) {
    return not_implemented("keys of ", dtype_name(keys->dtype()));
  }
  if (ctx.input_type(0).is_tensor() && ctx.input_type(0).dtype != keys->dtype()) {
    return invalid_graph("the input is ", dtype_name(ctx.input_type(0).dtype), ", the keys are ",
                         dtype_name(keys->dtype()));
  }
  ASSIGN_OR_RETURN(const Tensor otherwise, default_value(ctx.node(), values->dtype()));
  const Twice twice = ctx.opset() >= 4 ? Twice::kLastCounts : Twice::kFirstCounts;
  return write_record(ctx, *keys, *values, otherwise, twice);
}

// The first form: texts by position, in the direction that the input's type says.
Status prepare_label_encoder_1(PrepareContext& ctx) {
  const auto classes = list_attribute(ctx.node(), "classes");
  if (!classes || classes->dtype() != DType::kString) {
    return invalid_graph("attribute 'classes_strings' is missing");
  }
  std::vector<int64_t> numbers(static_cast<size_t>(classes->element_count()));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  const Tensor positions = Tensor::from<int64_t>({classes->element_count()}, numbers);
  const bool is_text = ctx.input_type(0).dtype == DType::kString;
  const Tensor& keys = is_text ? *classes : positions;
  const Tensor& values = is_text ? positions : *classes;
  ASSIGN_OR_RETURN(const Tensor otherwise, default_value(ctx.node(), values.dtype()));
  return write_record(ctx, keys, values, otherwise, Twice::kFirstCounts);
}

// Two lists of equal length; the input's type says which of them holds the keys.
Status prepare_category_mapper(PrepareContext& ctx) {
  const auto texts = list_attribute(ctx.node(), "cats");
  const Attribute* ints = ctx.node().attribute("cats_int64s");
  const size_t text_count =
      texts && texts->dtype() == DType::kString ? static_cast<size_t>(texts->element_count()) : 0;
  const size_t count = ints != nullptr ? ints->ints.size() : 0;
  if (text_count != count || count == 0) {
    return invalid_graph("attributes 'cats_strings' and 'cats_int64s' have ", text_count, " and ",
                         count, " elements, expected equally many");
  }
  const Tensor numbers = Tensor::from<int64_t>({static_cast<int64_t>(count)}, ints->ints);
  const bool is_text = ctx.input_type(0).dtype == DType::kString;
  const Tensor& keys = is_text ? *texts : numbers;
  const Tensor& values = is_text ? numbers : *texts;
  ASSIGN_OR_RETURN(const Tensor otherwise, default_value(ctx.node(), values.dtype()));
  return write_record(ctx, keys, values, otherwise, Twice::kLastCounts);
}

// --- Bind.

struct Dictionary {
  Column keys, values, otherwise;
};

Result<Dictionary> read_dictionary(Bytes record) {
  Bytes rest = record.subspan(sizeof(LabelEncoderParams));
  Dictionary dictionary;
  ASSIGN_OR_RETURN(dictionary.keys, Column::read(rest));
  ASSIGN_OR_RETURN(dictionary.values, Column::read(rest));
  ASSIGN_OR_RETURN(dictionary.otherwise, Column::read(rest));
  if (dictionary.keys.count() != dictionary.values.count() || dictionary.otherwise.count() != 1 ||
      dictionary.values.dtype() != dictionary.otherwise.dtype()) {
    return invalid_graph("the lists in its params record do not fit each other");
  }
  return dictionary;
}

Status bind_label_encoder(BindContext& ctx) {
  if (ctx.params<LabelEncoderParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kKeyTypes));
  ASSIGN_OR_RETURN(const Dictionary dictionary, read_dictionary(ctx.params_bytes()));
  if (dictionary.keys.dtype() != key_type(ctx.input(0).dtype)) {
    return invalid_graph("the input is ", dtype_name(ctx.input(0).dtype), ", its keys are ",
                         dtype_name(dictionary.keys.dtype()));
  }
  ScratchPlan plan;
  const uint64_t room = KeyIndex::room_for(dictionary.keys, ctx.input(0).element_count());
  plan.add<uint32_t>(static_cast<int64_t>(room));
  RETURN_IF_ERROR(plan.declare(ctx));
  return ctx.set_output(0, dictionary.values.dtype(), ctx.input(0).dims());
}

// --- Run.

// Elements y[begin + i]: the values in these places, and where there are none the default.
void write_values(const Dictionary& dictionary, const size_t* places, const ValueRef& y,
                  int64_t begin, int64_t n) {
  const Column &values = dictionary.values, &otherwise = dictionary.otherwise;
  if (y.dtype == DType::kString) {
    for (int64_t i = 0; i < n; ++i) {
      const bool is_there = places[i] < values.count();
      (is_there ? values : otherwise).copy_to(is_there ? places[i] : 0, y.data, begin + i);
    }
    return;
  }
  with_chunk(element_bytes(y.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = y.as_mutable<T>() + begin;
    const auto* first = reinterpret_cast<const T*>(values.element(0));
    const auto* other = reinterpret_cast<const T*>(otherwise.element(0));
    for (int64_t i = 0; i < n; ++i)
      to[i] = *(places[i] < values.count() ? first + places[i] : other);
  });
}

Status run_label_encoder(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Dictionary dictionary, read_dictionary(ctx.params_bytes()));
  const int64_t count = ctx.input(0).element_count();
  if (count == 0) return Status::ok();
  const KeyIndex index(dictionary.keys, scratch_at<uint32_t>(ctx, 0),
                       KeyIndex::room_for(dictionary.keys, count));
  ctx.parallel_for(count, kElementGrain / 8, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += KeyIndex::kPart) {
      size_t places[KeyIndex::kPart];
      const int64_t n = std::min(KeyIndex::kPart, end - at);
      index.find(ctx.input(0), at, n, places);
      write_values(dictionary, places, ctx.output(0), at, n);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable label_encoder_kernels() {
  static constexpr KernelRow rows[] = {
      {"LabelEncoder", "ai.onnx.ml", 2, kLatestOpset, kKeyTypes, "label_encoder", 1, kNoFlags, 0,
       prepare_label_encoder, bind_label_encoder, run_label_encoder},
      {"LabelEncoder", "ai.onnx.ml", 1, 1, mask_of(DType::kString, DType::kInt64), "label_encoder",
       1, kNoFlags, 0, prepare_label_encoder_1, bind_label_encoder, run_label_encoder},
      {"CategoryMapper", "ai.onnx.ml", 1, kLatestOpset, mask_of(DType::kString, DType::kInt64),
       "label_encoder", 1, kNoFlags, 0, prepare_category_mapper, bind_label_encoder,
       run_label_encoder},
  };
  return rows;
}

}  // namespace ortc::cpu

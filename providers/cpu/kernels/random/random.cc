// SPDX-License-Identifier: MIT
// Random numbers: RandomUniform, RandomNormal and their Like forms, Bernoulli, Multinomial, and
// Dropout with its training mode.
//
// Kernels keep no state, so the numbers are a function of the seed: the attribute, or where it is
// missing a hash of the name of the node's output; and of the number of the run, which goes on from
// one run of a session, and from one iteration of a body, to the next.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/hash.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/philox.h"

namespace ortc::cpu {
namespace {

constexpr size_t kDimsMax = 16;  // of a shape that is an attribute
constexpr int64_t kGrain = 2048;
using NumberOrBool = Join<NumberTypes, TypeList<Bool8>>;

struct RandomParams {
  uint32_t record_bytes;
  uint32_t dtype;  // 0: the input's
  uint64_t key;
  float first, second;  // low and high, or mean and scale
  uint32_t rank;
  uint32_t trains;  // the first forms of Dropout, whose ratio is `first`
  int64_t count;    // Multinomial
  int64_t dims[kDimsMax];
};
static_assert(sizeof(RandomParams) == 168);

// --- Prepare.

uint64_t key_of(const Node& node) {
  Hasher hasher;
  const Attribute* seed = node.attribute("seed");
  if (seed != nullptr && seed->kind == AttributeKind::kFloat) {
    uint32_t bits;
    std::memcpy(&bits, &seed->f, sizeof bits);
    hasher.add_number(bits);
  } else if (seed != nullptr && seed->kind == AttributeKind::kInt) {
    hasher.add_number(static_cast<uint64_t>(seed->i));
  } else {
    const Value* output = node.graph()->value(node.output(0));
    hasher.add(output != nullptr ? std::string_view(output->name) : std::string_view());
  }
  return hasher.finish().low;
}

Result<RandomParams> read_random(const Node& node, TypeMask types, DType otherwise) {
  RandomParams params{};
  params.record_bytes = sizeof params;
  params.key = key_of(node);
  const int64_t dtype = node.int_attribute("dtype", static_cast<int64_t>(otherwise));
  if (dtype != 0 && (!dtype_is_valid(dtype) || (mask_of(static_cast<DType>(dtype)) & types) == 0)) {
    return not_implemented("random numbers of element type ", dtype);
  }
  params.dtype = static_cast<uint32_t>(dtype);
  return params;
}

template <bool kNormal, bool kLike>
Status prepare_random(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ASSIGN_OR_RETURN(RandomParams params, read_random(node, FloatTypes::kMask,
                                                    kLike ? DType::kUndefined : DType::kFloat32));
  params.first = kNormal ? node.float_attribute("mean", 0.0f) : node.float_attribute("low", 0.0f);
  params.second =
      kNormal ? node.float_attribute("scale", 1.0f) : node.float_attribute("high", 1.0f);
  if (!kLike) {
    const auto shape = node.ints_attribute("shape");
    if (shape.size() > kDimsMax) return not_implemented("a shape of rank ", shape.size());
    params.rank = static_cast<uint32_t>(shape.size());
    std::copy(shape.begin(), shape.end(), params.dims);
  }
  ctx.set_params(params);
  return Status::ok();
}

Status prepare_bernoulli(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const RandomParams params,
                   read_random(ctx.node(), NumberOrBool::kMask, DType::kUndefined));
  ctx.set_params(params);
  return Status::ok();
}

Status prepare_multinomial(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(RandomParams params,
                   read_random(ctx.node(), mask_of(DType::kInt32, DType::kInt64), DType::kInt32));
  params.count = ctx.node().int_attribute("sample_size", 1);
  ctx.set_params(params);
  return Status::ok();
}

Status prepare_dropout(PrepareContext& ctx) {
  RandomParams params{};
  params.record_bytes = sizeof params;
  params.key = key_of(ctx.node());
  ctx.set_params(params);
  return Status::ok();
}

// Before opset 7 the attribute is_test says whether anything is left out; from then on nothing.
Status prepare_first_dropout(PrepareContext& ctx) {
  RandomParams params{};
  params.record_bytes = sizeof params;
  params.key = key_of(ctx.node());
  params.first = ctx.node().float_attribute("ratio", 0.5f);
  params.trains = ctx.opset() < 7 && ctx.node().int_attribute("is_test", 0) == 0 ? 1 : 0;
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

// The type that the record or the input says.
Result<DType> output_type(const BindContext& ctx, TypeMask types) {
  const uint32_t named = ctx.params<RandomParams>()->dtype;
  const auto dtype = named != 0 ? static_cast<DType>(named) : ctx.input(0).dtype;
  if (!dtype_is_valid(static_cast<int64_t>(named != 0 ? named : static_cast<uint32_t>(dtype))) ||
      (mask_of(dtype) & types) == 0) {
    return invalid_graph("random numbers of element type ", static_cast<uint32_t>(dtype));
  }
  return dtype;
}

Status bind_random(BindContext& ctx) {
  const auto* params = ctx.params<RandomParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 0, 0));
  if (params->rank > kDimsMax) return invalid_graph("its params record has rank ", params->rank);
  ASSIGN_OR_RETURN(const DType dtype, output_type(ctx, FloatTypes::kMask));
  return ctx.set_output(0, dtype, std::span<const int64_t>(params->dims, params->rank));
}

template <TypeMask kTypes>
Status bind_like(BindContext& ctx) {
  if (ctx.params<RandomParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  ASSIGN_OR_RETURN(const DType dtype, output_type(ctx, kTypes));
  return ctx.set_output(0, dtype, ctx.input(0).dims());
}

Status bind_bernoulli(BindContext& ctx) {
  RETURN_IF_ERROR(bind_like<NumberOrBool::kMask>(ctx));
  return check_type(ctx, 0, FloatTypes::kMask);
}

Status bind_multinomial(BindContext& ctx) {
  const auto* params = ctx.params<RandomParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, FloatTypes::kMask));
  const ValueRef& x = ctx.input(0);
  if (x.rank != 2) return invalid_argument("the input has rank ", x.rank, ", expected 2");
  if (params->count < 0 || (params->count > 0 && x.dim(0) > 0 && x.dim(1) == 0)) {
    return invalid_argument(params->count, " samples of ", x.dim(1), " classes");
  }
  ASSIGN_OR_RETURN(const DType dtype, output_type(ctx, mask_of(DType::kInt32, DType::kInt64)));
  ScratchPlan scratch;
  scratch.add<double>(x.element_count());
  RETURN_IF_ERROR(scratch.declare(ctx));
  return ctx.set_output(0, dtype, {x.dim(0), params->count});
}

Status bind_first_dropout(BindContext& ctx) {
  if (ctx.params<RandomParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, FloatTypes::kMask));
  RETURN_IF_ERROR(ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims()));
  if (!ctx.has_output(1)) return Status::ok();
  return ctx.set_output(1, ctx.input(0).dtype, ctx.input(0).dims());
}

Status bind_dropout(BindContext& ctx) {
  if (ctx.params<RandomParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, FloatTypes::kMask));
  RETURN_IF_ERROR(check_type(ctx, 1, FloatTypes::kMask));
  RETURN_IF_ERROR(check_type(ctx, 2, mask_of(DType::kBool)));
  for (const size_t i : {1, 2}) {
    if (ctx.has_input(i) && ctx.input(i).element_count() != 1) {
      return invalid_argument("input ", i, " is not a scalar");
    }
  }
  RETURN_IF_ERROR(ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims()));
  if (!ctx.has_output(1)) return Status::ok();
  return ctx.set_output(1, DType::kBool, ctx.input(0).dims());
}

// --- Run.

// The first run has the node's key; those after it have others, far from it and from each other.
Philox numbers_of(const RunContext& ctx, uint64_t key) {
  if (ctx.call() == 0) return Philox(key);
  uint64_t mixed = key + ctx.call() * 0x9E3779B97F4A7C15u;  // as SplitMix64 goes on and mixes
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return Philox(mixed ^ (mixed >> 31));
}

template <bool kNormal>
Status run_random(RunContext& ctx) {
  const auto& params = ctx.params<RandomParams>();
  const ValueRef& y = ctx.output(0);
  const Philox philox = numbers_of(ctx, params.key);
  const double first = params.first, second = params.second;
  with_type(FloatTypes{}, y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(y.element_count(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto at = static_cast<uint64_t>(i);
        y.as_mutable<T>()[i] = convert<T>(kNormal ? first + second * philox.normal(at)
                                                  : first + (second - first) * philox.uniform(at));
      }
    });
  });
  return Status::ok();
}

Status run_bernoulli(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  const Philox philox = numbers_of(ctx, ctx.params<RandomParams>().key);
  with_type(FloatTypes{}, x.dtype, [&](auto in_tag) {
    using T = typename decltype(in_tag)::type;
    with_type(NumberOrBool{}, y.dtype, [&](auto out_tag) {
      using U = typename decltype(out_tag)::type;
      ctx.parallel_for(y.element_count(), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const bool is_one =
              philox.uniform(static_cast<uint64_t>(i)) < convert<double>(x.as<T>()[i]);
          y.as_mutable<U>()[i] = convert<U>(is_one ? 1.0f : 0.0f);
        }
      });
    });
  });
  return Status::ok();
}

// Rows of unnormalised log-probabilities: sums of their powers first, then a search for each draw.
template <typename T>
void draw(const RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  const int64_t classes = x.dim(1), count = y.dim(1);
  const Philox philox = numbers_of(ctx, ctx.params<RandomParams>().key);
  auto* sums = scratch_at<double>(ctx, 0);
  ctx.parallel_for(x.dim(0), 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* logs = x.as<T>() + row * classes;
      double* sum = sums + row * classes;
      double top = convert<double>(logs[0]), total = 0;
      for (int64_t i = 1; i < classes; ++i) top = std::max(top, convert<double>(logs[i]));
      for (int64_t i = 0; i < classes; ++i) {
        sum[i] = total += std::exp(convert<double>(logs[i]) - top);
      }
      for (int64_t k = 0; k < count; ++k) {
        const double place = philox.uniform(static_cast<uint64_t>(row * count + k)) * total;
        const int64_t found = std::upper_bound(sum, sum + classes, place) - sum;
        const int64_t drawn = std::min(found, classes - 1);
        if (y.dtype == DType::kInt32) {
          y.as_mutable<int32_t>()[row * count + k] = static_cast<int32_t>(drawn);
        } else {
          y.as_mutable<int64_t>()[row * count + k] = drawn;
        }
      }
    }
  });
}

Status run_multinomial(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  with_type(FloatTypes{}, ctx.input(0).dtype,
            [&](auto tag) { draw<typename decltype(tag)::type>(ctx); });
  return Status::ok();
}

double scalar_or(const RunContext& ctx, size_t i, double otherwise) {
  if (!ctx.has_input(i)) return otherwise;
  double value = otherwise;
  with_type(FloatTypes{}, ctx.input(i).dtype, [&](auto tag) {
    value = convert<double>(*ctx.input(i).as<typename decltype(tag)::type>());
  });
  return value;
}

// Nothing is left out: the same bytes, and a mask of ones.
void keep_all(RunContext& ctx, const ValueRef& x) {
  const auto bytes = static_cast<int64_t>(element_bytes(x.dtype));
  const auto* from = x.as<std::byte>();
  auto* to = ctx.output(0).as_mutable<std::byte>();
  auto* mask = ctx.has_output(1) ? ctx.output(1).as_mutable<std::byte>() : nullptr;
  ctx.parallel_for(x.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
    const auto count = static_cast<size_t>(end - begin);
    if (to != from) {
      std::memcpy(to + begin * bytes, from + begin * bytes, count * static_cast<size_t>(bytes));
    }
    if (mask != nullptr) std::memset(mask + begin, 1, count);
  });
}

// kBoolMask: else the mask has the data's type.
template <bool kBoolMask>
Status drop_out(RunContext& ctx, double ratio) {
  const ValueRef& x = ctx.input(0);
  if (!(ratio >= 0 && ratio < 1)) return invalid_argument("the ratio is ", ratio);
  if (ratio == 0 && (kBoolMask || !ctx.has_output(1))) {
    keep_all(ctx, x);
    return Status::ok();
  }
  const Philox philox = numbers_of(ctx, ctx.params<RandomParams>().key);
  with_type(FloatTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Mask = std::conditional_t<kBoolMask, Bool8, T>;
    auto* mask = ctx.has_output(1) ? ctx.output(1).as_mutable<Mask>() : nullptr;
    using C = Compute<T>;
    const C scale = static_cast<C>(1 / (1 - ratio));
    T* y = ctx.output(0).as_mutable<T>();
    ctx.parallel_for(x.element_count(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const bool stays = ratio == 0 || philox.uniform(static_cast<uint64_t>(i)) >= ratio;
        if (mask != nullptr) mask[i] = convert<Mask>(stays ? 1.0f : 0.0f);
        y[i] = stays ? static_cast<T>(static_cast<C>(x.as<T>()[i]) * scale) : T(0.0f);
      }
    });
  });
  return Status::ok();
}

Status run_dropout(RunContext& ctx) {
  const bool trains = ctx.has_input(2) && *ctx.input(2).as<Bool8>();
  return drop_out<true>(ctx, trains ? scalar_or(ctx, 1, 0.5) : 0.0);
}

Status run_first_dropout(RunContext& ctx) {
  const auto& params = ctx.params<RandomParams>();
  return drop_out<false>(ctx, params.trains != 0 ? static_cast<double>(params.first) : 0.0);
}

}  // namespace

KernelTable random_kernels() {
  constexpr int kEnd = kLatestOpset;
  constexpr TypeMask kFloats = FloatTypes::kMask;
  static constexpr KernelRow rows[] = {
      {"RandomUniform", "", 1, kEnd, kAnyType, "random_uniform", 1, kNoFlags, 0,
       prepare_random<false, false>, bind_random, run_random<false>},
      {"RandomNormal", "", 1, kEnd, kAnyType, "random_normal", 1, kNoFlags, 0,
       prepare_random<true, false>, bind_random, run_random<true>},
      {"RandomUniformLike", "", 1, kEnd, kAnyType, "random_uniform_like", 1, kNoFlags, 0,
       prepare_random<false, true>, bind_like<kFloats>, run_random<false>},
      {"RandomNormalLike", "", 1, kEnd, kAnyType, "random_normal_like", 1, kNoFlags, 0,
       prepare_random<true, true>, bind_like<kFloats>, run_random<true>},
      {"Bernoulli", "", 15, kEnd, kFloats, "bernoulli", 1, kNoFlags, 0, prepare_bernoulli,
       bind_bernoulli, run_bernoulli},
      {"Multinomial", "", 7, kEnd, kFloats, "multinomial", 1, kNoFlags, 0, prepare_multinomial,
       bind_multinomial, run_multinomial},
      {"Dropout", "", 12, kEnd, kFloats, "dropout.seeded", 1, kInPlace, 0, prepare_dropout,
       bind_dropout, run_dropout},
      {"Dropout", "", 1, 9, kFloats, "dropout.first", 1, kInPlace, 0, prepare_first_dropout,
       bind_first_dropout, run_first_dropout},
  };
  return rows;
}

}  // namespace ortc::cpu

// SPDX-License-Identifier: MIT
// BatchNormalization:
//
//   y[n][c][..] = x[n][c][..] * a[c] + b[c],  a = scale / sqrt(var + epsilon),  b = bias - mean a
//
// Statistics are given; in training mode they are those of x, and the given ones move towards them:
// new = momentum old + (1 - momentum) found. a and b are computed in double precision into scratch,
// before anything is written.
#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

struct BatchNormParams {
  uint32_t record_bytes;
  float epsilon;
};
static_assert(sizeof(BatchNormParams) == 8);

// The record of training mode and of the first versions; `record_bytes` tells the two apart.
struct TrainingParams {
  BatchNormParams base;
  float momentum;
  uint32_t flags;
};
static_assert(sizeof(TrainingParams) == 16);

constexpr uint32_t kInference = 1;
constexpr uint32_t kPerElement = 2;  // every element of an image has parameters of its own

uint32_t flags_of(const BatchNormParams& params) {
  if (params.record_bytes != sizeof(TrainingParams)) return kInference;
  return reinterpret_cast<const TrainingParams&>(params).flags;
}
bool trains(const BatchNormParams& params) { return (flags_of(params) & kInference) == 0; }

// x as [.., channels, plane].
struct Channels {
  int64_t count, plane;
  Channels(const BatchNormParams& params, const ValueRef& x) {
    const bool per_element = (flags_of(params) & kPerElement) != 0;
    count = x.rank < 2 ? 1 : per_element ? product(x.dims(), 1, x.rank) : x.dim(1);
    plane = x.rank < 2 ? x.element_count() : per_element ? 1 : product(x.dims(), 2, x.rank);
    if (count == 1) plane = x.element_count();  // of all images
  }
};

constexpr int64_t kGrain = 16384;  // elements one thread takes at a time
constexpr int64_t kLanes = 16;
constexpr int64_t kShortPlane = 32;
constexpr int64_t kFewChannels = 64;

// Whether factors stand once for each element of an image: calls for planes of a few elements would
// cost more than what they do.
bool spreads_factors(const Channels& shape, const ValueRef& x) {
  const int64_t least = shape.count < kFewChannels ? 1 : 2;
  if (shape.plane < least || shape.plane > kShortPlane) return false;
  return x.element_count() > shape.count * shape.plane;  // several images
}

// For so many images at once: of few elements each, calls cost more too.
int64_t images_spread(const Channels& shape, const ValueRef& x) {
  constexpr int64_t kEnough = 512;
  const int64_t size = shape.count * shape.plane;
  return std::clamp<int64_t>(kEnough / size, 1, x.element_count() / size);
}

// --- Arithmetic.

// Floats through the arithmetic of the instruction set level.
void scale_row(const VectorF32Kernels& vector, const float* x, float a, float b, float* y,
               int64_t n) {
  vector.scale_and_add(x, a, b, y, static_cast<size_t>(n));
}
void scale_row(const VectorF32Kernels&, const double* x, double a, double b, double* y, int64_t n) {
  ORTC_ELEMENTWISE
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * a + b;
}

void scale_elements(const VectorF32Kernels& vector, const float* x, const float* a, const float* b,
                    float* y, int64_t n) {
  vector.multiply_add(x, a, b, y, static_cast<size_t>(n));
}
void scale_elements(const VectorF32Kernels&, const double* x, const double* a, const double* b,
                    double* y, int64_t n) {
  ORTC_ELEMENTWISE
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * a[i] + b[i];
}

// y[c * plane + i] = factors[c], for so many images. Whole vectors are written: y has room for one
// more.
template <typename T>
void spread_factors(const T* factors, const Channels& shape, int64_t images, T* y) {
  T* to = y;
  for (int64_t c = 0; c < shape.count; ++c, to += shape.plane) {
    const T factor = factors[c];
    for (int64_t i = 0; i < shape.plane; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) to[i + lane] = factor;
    }
  }
  const int64_t size = to - y;
  for (int64_t i = 1; i < images; ++i) std::copy_n(y, size, y + i * size);
}

// --- Prepare.

Status prepare_batch_norm(PrepareContext& ctx) {
  const Node& node = ctx.node();
  bool wants_more = false;
  for (size_t i = 1; i < ctx.output_count(); ++i) wants_more = wants_more || ctx.has_output(i);
  // An attribute says whether it trains, or from opset 7 to 13 the number of its outputs.
  const bool training = ctx.opset() >= 14  ? node.int_attribute("training_mode", 0) != 0
                        : ctx.opset() >= 7 ? wants_more
                                           : node.int_attribute("is_test", 0) == 0;
  if (!training && wants_more) return invalid_graph("has outputs of training without training");
  const bool per_element = ctx.opset() < 9 && node.int_attribute("spatial", 1) == 0;
  const float epsilon = node.float_attribute("epsilon", 1e-5f);
  if (training || per_element) {
    ctx.set_params(TrainingParams{{sizeof(TrainingParams), epsilon},
                                  node.float_attribute("momentum", 0.9f),
                                  (training ? 0 : kInference) | (per_element ? kPerElement : 0)});
    return Status::ok();
  }
  ctx.set_params(BatchNormParams{sizeof(BatchNormParams), epsilon});
  return Status::ok();
}

// --- Bind.

Status bind_batch_norm(BindContext& ctx) {
  const auto* params = ctx.params<BatchNormParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->record_bytes == sizeof(TrainingParams) && ctx.params<TrainingParams>() == nullptr) {
    return ctx.bad_params();
  }
  RETURN_IF_ERROR(check_arity(ctx, 5, 5));
  RETURN_IF_ERROR(check_type(ctx, 0, kFloatTypes));
  const ValueRef& x = ctx.input(0);
  if (x.rank < 1) return invalid_argument("the input is a number, expected [n,c,..]");
  const Channels shape(*params, x);
  const int64_t channels = shape.count;
  const bool per_element = (flags_of(*params) & kPerElement) != 0;
  const std::span<const int64_t> image = x.rank < 2 ? x.dims() : x.dims().subspan(1);
  for (size_t i = 1; i < 5; ++i) {
    const ValueRef& vector = ctx.input(i);
    RETURN_IF_ERROR(check_same_type(ctx, i, 0));
    const bool fits = per_element ? std::ranges::equal(vector.dims(), image)
                                  : vector.rank == 1 && vector.dim(0) == channels;
    if (!fits) {
      return invalid_argument("input ", i, " has shape ", dims_to_string(vector.dims()),
                              ", expected [", channels, "]");
    }
  }
  const auto element = static_cast<uint64_t>(dtype_bits(x.dtype)) / 8;
  const int64_t spread =
      spreads_factors(shape, x) ? channels * shape.plane * images_spread(shape, x) + kLanes : 0;
  const auto scratch = checked_mul(static_cast<uint64_t>(channels + spread), 2 * element);
  if (!scratch) return invalid_argument("there are impossibly many channels");
  ctx.set_scratch(*scratch);
  for (size_t i = 1; i < ctx.output_count(); ++i) {
    if (!ctx.has_output(i)) continue;
    if (!trains(*params) || i > 4) return invalid_graph("has an output ", i, " without training");
    RETURN_IF_ERROR(ctx.set_output(i, x.dtype, ctx.input(3).dims()));
  }
  return ctx.set_output(0, x.dtype, x.dims());
}

// --- Run.

struct Statistics {
  double mean, variance;
};

// Of one channel; planes of it lie `channels` planes apart.
template <typename T>
Statistics statistics_of(const ValueRef& x, int64_t channels, int64_t plane, int64_t c) {
  const int64_t stride = channels * plane;
  const int64_t planes = stride == 0 ? 0 : x.element_count() / stride;
  const auto count = static_cast<double>(std::max<int64_t>(1, planes * plane));
  const auto each = [&](auto&& f) {
    for (int64_t n = 0; n < planes; ++n) {
      const T* from = x.as<T>() + n * stride + c * plane;
      for (int64_t i = 0; i < plane; ++i) f(static_cast<double>(from[i]));
    }
  };
  double sum = 0, square = 0;
  each([&](double v) { sum += v; });
  const double mean = sum / count;
  each([&](double v) { square += (v - mean) * (v - mean); });
  return {mean, square / count};
}

// The statistics to use for channel c; in training mode the moved ones are given back too.
template <typename T>
Statistics choose_statistics(const RunContext& ctx, int64_t channels, int64_t plane, int64_t c) {
  const auto& params = ctx.params<BatchNormParams>();
  const Statistics given{static_cast<double>(ctx.input(3).as<T>()[c]),
                         static_cast<double>(ctx.input(4).as<T>()[c])};
  if (!trains(params)) return given;
  const auto momentum = static_cast<double>(ctx.params<TrainingParams>().momentum);
  const Statistics found = statistics_of<T>(ctx.input(0), channels, plane, c);
  const auto moved = [&](double from, double to) {
    return static_cast<T>(momentum * from + (1 - momentum) * to);
  };
  if (ctx.has_output(1)) ctx.output(1).as_mutable<T>()[c] = moved(given.mean, found.mean);
  if (ctx.has_output(2)) ctx.output(2).as_mutable<T>()[c] = moved(given.variance, found.variance);
  if (ctx.has_output(3)) ctx.output(3).as_mutable<T>()[c] = static_cast<T>(found.mean);
  if (ctx.has_output(4)) ctx.output(4).as_mutable<T>()[c] = static_cast<T>(found.variance);
  return found;
}

// a and b of channels [begin, end), with the statistics that are given: a few at a time through
// the level's roots, unless one of them is 0 and so a infinite.
bool factors_of_given(const RunContext& ctx, double epsilon, int64_t begin, int64_t end, float* a,
                      float* b) {
  constexpr int64_t kSome = 128;
  const ReduceF32Kernels& kernels = reduce_f32_kernels(ctx.isa());
  const auto values = [&](size_t i) { return ctx.input(i).as<float>(); };
  const float *scale = values(1), *bias = values(2), *mean = values(3), *variance = values(4);
  for (int64_t c = begin; c < end; c += kSome) {
    double factors[kSome];
    const int64_t n = std::min(kSome, end - c);
    double least = 1;
    for (int64_t i = 0; i < n; ++i) {
      factors[i] = static_cast<double>(variance[c + i]) + epsilon;
      least = std::min(least, factors[i]);
    }
    if (!(least > 0)) return false;
    kernels.invert(factors, 1, true, 0, static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      const double factor = static_cast<double>(scale[c + i]) * factors[i];
      a[c + i] = static_cast<float>(factor);
      b[c + i] = static_cast<float>(static_cast<double>(bias[c + i]) -
                                    static_cast<double>(mean[c + i]) * factor);
    }
  }
  return true;
}

// Planes of a few elements, of channels that come but once: without a call for each.
template <typename T>
void scale_short_planes(const T* x, const T* a, const T* b, T* y, int64_t plane, int64_t count) {
  for (int64_t c = 0; c < count; ++c, x += plane, y += plane) {
    const T factor = a[c], summand = b[c];
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < plane; ++i) y[i] = x[i] * factor + summand;
  }
}

template <typename T>
void run_typed(const RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const Channels shape(ctx.params<BatchNormParams>(), x);
  int64_t channels = shape.count, plane = shape.plane;
  T* a = reinterpret_cast<T*>(ctx.scratch());
  T* b = a + channels;
  const double epsilon = static_cast<double>(ctx.params<BatchNormParams>().epsilon);
  const int64_t channel_grain =
      trains(ctx.params<BatchNormParams>()) ? 1 : std::max<int64_t>(1, channels);
  ctx.parallel_for(channels, channel_grain, [&](int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<T, float>) {
      if (!trains(ctx.params<BatchNormParams>()) &&
          factors_of_given(ctx, epsilon, begin, end, a, b)) {
        return;
      }
    }
    for (int64_t c = begin; c < end; ++c) {
      const Statistics used = choose_statistics<T>(ctx, channels, plane, c);
      const double factor =
          static_cast<double>(ctx.input(1).as<T>()[c]) / std::sqrt(used.variance + epsilon);
      a[c] = static_cast<T>(factor);
      b[c] = static_cast<T>(static_cast<double>(ctx.input(2).as<T>()[c]) - used.mean * factor);
    }
  });
  if (plane == 0) return;
  if (spreads_factors(shape, x)) {
    const int64_t images = images_spread(shape, x), size = channels * plane * images;
    T *spread_a = b + channels, *spread_b = spread_a + size + kLanes;
    spread_factors(a, shape, images, spread_a);
    spread_factors(b, shape, images, spread_b);
    a = spread_a;
    b = spread_b;
    channels = size;
    plane = 1;
  }
  T* y = ctx.output(0).as_mutable<T>();
  const bool has_one_image = x.element_count() == channels * plane;
  if (has_one_image && plane > 1 && plane <= kShortPlane) {
    ctx.parallel_for(channels, kGrain / plane, [&](int64_t begin, int64_t end) {
      scale_short_planes(x.as<T>() + begin * plane, a + begin, b + begin, y + begin * plane, plane,
                         end - begin);
    });
    return;
  }
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  ctx.parallel_for(x.element_count(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end;) {
      const int64_t c = at / plane % channels;
      const T* from = x.as<T>() + at;
      int64_t n = std::min(end - at, plane - at % plane);
      if (plane == 1) {
        n = std::min(end - at, channels - c);
        scale_elements(vector, from, a + c, b + c, y + at, n);
      } else {
        scale_row(vector, from, a[c], b[c], y + at, n);
      }
      at += n;
    }
  });
}

Status run_batch_norm(RunContext& ctx) {
  if (ctx.input(0).dtype == DType::kFloat64) {
    run_typed<double>(ctx);
  } else {
    run_typed<float>(ctx);
  }
  return Status::ok();
}

}  // namespace

KernelTable batch_norm_kernels() {
  static constexpr KernelRow kBatchNormalizationRow(
      "BatchNormalization", "", 1, kLatestOpset, kFloatTypes, "batch_norm", 1, kInPlace, 0,
      prepare_batch_norm, bind_batch_norm, run_batch_norm);
  static constexpr KernelRow rows[] = {
      kBatchNormalizationRow,
      reduced_row<kBatchNormalizationRow>("BatchNormalization.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu

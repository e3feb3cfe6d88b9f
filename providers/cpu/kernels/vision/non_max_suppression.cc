// SPDX-License-Identifier: MIT
// NonMaxSuppression: of each class of each image, the boxes with the best scores of which no two
// overlap too much, as rows (image, class, box).
//
//   overlap(a, b) = area(a and b) / area(a or b)
//
// Equal scores go by the lower box, a NaN before all numbers; without a threshold every score will
// do. How many boxes remain is known only after looking.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>

#include "providers/cpu/arith/boxes_f32/boxes_f32.h"
#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/key_sort.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

// From two corners in any order, or from a centre and a size (x first).
BoxF32 read_box(const float* x, bool is_centre) {
  if (is_centre) {
    return {x[1] - x[3] / 2, x[0] - x[2] / 2, x[1] + x[3] / 2, x[0] + x[2] / 2};
  }
  return {std::min(x[0], x[2]), std::min(x[1], x[3]), std::max(x[0], x[2]), std::max(x[1], x[3])};
}

// Those that were chosen so far.
class KeptBoxes {
 public:
  KeptBoxes(BoxGroupF32* groups, const BoxesF32Kernels& kernels)
      : groups_(groups), kernels_(kernels) {}
  size_t count() const { return count_; }

  void add(const BoxF32& box) {
    BoxGroupF32& group = groups_[count_ / BoxGroupF32::kTogether];
    const size_t k = count_++ % BoxGroupF32::kTogether;
    if (k == 0) group = {};
    group.y0[k] = box.y0;
    group.x0[k] = box.x0;
    group.y1[k] = box.y1;
    group.x1[k] = box.x1;
    group.area[k] = (box.y1 - box.y0) * (box.x1 - box.x0);
  }

  bool any_overlaps(const BoxF32& box, float threshold) const {
    if (count_ <= kFew) {
      bool any = false;
      for (size_t k = 0; k < count_; ++k) any |= overlaps(k, box, threshold);
      return any;
    }
    const size_t groups = (count_ + BoxGroupF32::kTogether - 1) / BoxGroupF32::kTogether;
    return kernels_.any_overlaps(groups_, groups, box, threshold);
  }

 private:
  // Less work than to wait until what was written one by one can be read as vectors.
  static constexpr size_t kFew = 2;
  static_assert(kFew <= BoxGroupF32::kTogether);

  // What the kernels say of one.
  bool overlaps(size_t k, const BoxF32& box, float threshold) const {
    const BoxGroupF32& group = *groups_;
    const float own_area = (box.y1 - box.y0) * (box.x1 - box.x0);
    const float height = std::min(box.y1, group.y1[k]) - std::max(box.y0, group.y0[k]);
    const float width = std::min(box.x1, group.x1[k]) - std::max(box.x0, group.x0[k]);
    const float common = height * width, whole = (group.area[k] + own_area) - common;
    return (own_area > 0) & (height > 0) & (width > 0) & (group.area[k] > 0) & (whole > 0) &
           (common / whole > threshold);
  }

  BoxGroupF32* groups_;
  const BoxesF32Kernels& kernels_;
  size_t count_ = 0;
};

struct Limits {
  int64_t count;
  float overlap;
  std::optional<float> score;
  bool is_centre;
};

// Ascending where scores descend, a NaN first; without a branch, and of 32 bits.
uint64_t descending_key(float score) {
  const auto bits = std::bit_cast<int32_t>(score + 0.0f);  // one zero
  const int32_t ascending = bits ^ ((bits >> 31) & INT32_MAX);
  const int32_t key = score != score ? INT32_MIN : ~ascending;
  return static_cast<uint32_t>(key) ^ 0x80000000u;
}

// What one thread works in.
struct SelectRoom {
  KeyedPlace *candidates, *places;
  uint64_t* counters;
  BoxGroupF32* groups;
};

// Boxes by ascending keys, equal ones by their places. Few of them are asked for as a rule: they
// are put into buckets first, the more the more there are, and a bucket is sorted when its turn
// comes.
class Candidates {
 public:
  // Those of n scores that are above the limit, if there is one.
  Candidates(const float* scores, int64_t n, std::optional<float> limit,
             const PlainRowsKernels& plain, const SelectRoom& room)
      : plain_(plain), room_(room) {
    const bool takes_all = !limit.has_value();
    const float above = limit.value_or(0);
    for (int64_t i = 0; i < n; ++i) {
      room.candidates[count_].place = i;
      count_ += takes_all || scores[i] > above ? 1 : 0;
    }
    for (KeyedPlace& box : std::span(room.candidates, count_)) {
      box.key = descending_key(scores[box.place]);
    }
  }

  // The first of all, or -1: nothing need be sorted for it.
  int64_t first() const {
    KeyedPlace best{UINT64_MAX, -1};
    for (const KeyedPlace& box : std::span(room_.candidates, count_)) {
      best = box.key < best.key ? box : best;
    }
    return best.place;
  }

  // take(place) of one after the other while it says true.
  template <typename F>
  void for_each(int64_t wanted, F&& take) {
    uint64_t begin = take_front(wanted);
    for (uint64_t i = 0; i < begin; ++i) {
      if (!take(room_.places[i].place)) return;
    }
    if (begin == count_) return;
    fill_buckets();
    const uint64_t taken = begin;
    begin = 0;
    for (size_t bucket = 0; bucket < bucket_count_; ++bucket) {
      const uint64_t end = ends_[bucket];
      if (begin == count_) return;
      sort(begin, end);
      for (; begin < end; ++begin) {
        if (begin >= taken && !take(room_.places[begin].place)) return;
      }
    }
  }

 private:
  static constexpr int kBucketBits = 8;
  static constexpr uint64_t kCounted = 64;  // at most so many are put in order by counting

  // Puts those that come first into places, in order: all of a few, else about twice as many as are
  // wanted, if that is a few. Says how many.
  uint64_t take_front(int64_t wanted) const {
    constexpr uint64_t kSample = 32;
    constexpr uint64_t kLeast = 3 * kSample, kMost = 16 * kSample;  // where a sample pays
    uint64_t last = UINT64_MAX;
    if (count_ > kSample) {
      if (count_ < kLeast || count_ > kMost || wanted > static_cast<int64_t>(kCounted / 4))
        return 0;
      KeyedPlace sample[kSample];
      for (uint64_t i = 0; i < kSample; ++i) sample[i] = room_.candidates[i * count_ / kSample];
      count_in_order(sample, kSample);
      last = sample[(2 * static_cast<uint64_t>(wanted) + 8) * kSample / count_].key;
    }
    uint64_t n = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      room_.places[n] = room_.candidates[i];
      n += room_.candidates[i].key <= last ? 1 : 0;
    }
    if (n > kCounted) return 0;
    if (n > 1) count_in_order(room_.places, n);
    return n;
  }

  void fill_buckets() {
    uint64_t least = UINT64_MAX, most = 0;
    const std::span boxes(room_.candidates, count_);
    for (const KeyedPlace& box : boxes) {
      least = std::min(least, box.key);
      most = std::max(most, box.key);
    }
    const int some = std::clamp(static_cast<int>(std::bit_width(count_)) - 3, 0, kBucketBits);
    const int shift = std::max(0, static_cast<int>(std::bit_width(most - least)) - some);
    bucket_count_ = static_cast<size_t>((most - least) >> shift) + 1;
    std::fill_n(ends_.begin(), bucket_count_, 0);
    const auto bucket_of = [=](const KeyedPlace& box) {
      return static_cast<size_t>((box.key - least) >> shift);
    };
    for (const KeyedPlace& box : boxes) ++ends_[bucket_of(box)];
    const auto last = ends_.begin() + static_cast<std::ptrdiff_t>(bucket_count_);
    std::exclusive_scan(ends_.begin(), last, ends_.begin(), uint64_t{0});
    for (const KeyedPlace& box : boxes) room_.places[ends_[bucket_of(box)]++] = box;
  }

  void count_in_order(KeyedPlace* boxes, uint64_t n) const {
    int32_t keys[kCounted], places[kCounted];
    KeyedPlace copies[kCounted];
    constexpr uint64_t kTogether = PlainRowsKernels::kKeysTogether;
    static_assert(kCounted % kTogether == 0);
    std::fill(keys, keys + (n + kTogether - 1) / kTogether * kTogether, INT32_MAX);
    for (uint64_t i = 0; i < n; ++i) {
      keys[i] = static_cast<int32_t>(static_cast<uint32_t>(boxes[i].key) ^ 0x80000000u);
    }
    plain_.order(keys, n, places);
    std::copy_n(boxes, n, copies);
    for (uint64_t i = 0; i < n; ++i) boxes[i] = copies[places[i]];
  }

  void sort(uint64_t begin, uint64_t end) const {
    constexpr uint64_t kFew = 16;
    KeyedPlace* boxes = room_.places;
    if (end - begin > kCounted) {
      return sort_by_key({boxes + begin, end - begin}, {room_.candidates, room_.counters});
    }
    if (end - begin > kFew) return count_in_order(boxes + begin, end - begin);
    for (uint64_t i = begin + 1; i < end; ++i) {
      const KeyedPlace box = boxes[i];
      uint64_t to = i;
      for (; to > begin && boxes[to - 1].key > box.key; --to) boxes[to] = boxes[to - 1];
      boxes[to] = box;
    }
  }

  const PlainRowsKernels& plain_;
  const SelectRoom& room_;
  size_t count_ = 0;  // in room_.places, by buckets
  size_t bucket_count_ = 0;
  std::array<uint64_t, size_t{1} << kBucketBits> ends_;  // of the buckets
};

// How many boxes are kept; their numbers go to `kept`.
int64_t select(Isa isa, const float* boxes, const float* scores, int64_t n, const Limits& limits,
               const SelectRoom& room, int64_t* kept) {
  if (limits.count == 0) return 0;
  KeptBoxes kept_boxes(room.groups, boxes_f32_kernels(isa));
  Candidates candidates(scores, n, limits.score, plain_rows_kernels(isa), room);
  if (limits.count == 1) {
    kept[0] = candidates.first();
    return kept[0] < 0 ? 0 : 1;
  }
  candidates.for_each(limits.count, [&](int64_t i) {
    const BoxF32 box = read_box(boxes + 4 * i, limits.is_centre);
    if (kept_boxes.any_overlaps(box, limits.overlap)) return true;
    kept[kept_boxes.count()] = i;
    kept_boxes.add(box);
    return static_cast<int64_t>(kept_boxes.count()) < limits.count;
  });
  return static_cast<int64_t>(kept_boxes.count());
}

// --- Prepare.

struct SuppressionParams {
  uint32_t record_bytes;
  uint32_t is_centre;
};
static_assert(sizeof(SuppressionParams) == 8);

Status prepare_suppression(PrepareContext& ctx) {
  const int64_t form = ctx.node().int_attribute("center_point_box", 0);
  if (form != 0 && form != 1) {
    return invalid_graph("attribute 'center_point_box' is ", form, ", expected 0 or 1");
  }
  ctx.set_params(SuppressionParams{sizeof(SuppressionParams), form != 0 ? 1u : 0u});
  return Status::ok();
}

// --- Bind.

// Scratch: an array of kept boxes and a number for each class of each image, and what the threads
// work in. All boxes may be kept: how many are asked for is known only when it runs.
struct SuppressionRoom {
  ScratchPlan plan;
  uint64_t kept, counts, candidates, places, counters, groups;
  int64_t lists, n, groups_per_thread;

  SuppressionRoom(const ValueRef& scores, int thread_count)
      : lists(scores.dim(2) > 0 ? scores.dim(0) * scores.dim(1) : 0),
        n(scores.dim(2)),
        groups_per_thread(n / static_cast<int64_t>(BoxGroupF32::kTogether) + 1) {
    const int64_t threads = std::max(thread_count, 1);
    kept = plan.add(lists, static_cast<uint64_t>(n) * sizeof(int64_t));
    counts = plan.add<int64_t>(lists);
    candidates = plan.add(threads, static_cast<uint64_t>(n) * sizeof(KeyedPlace));
    places = plan.add(threads, static_cast<uint64_t>(n) * sizeof(KeyedPlace));
    counters = plan.add(threads, KeySortRoom::kCounters * sizeof(uint64_t));
    groups = plan.add(threads, static_cast<uint64_t>(groups_per_thread) * sizeof(BoxGroupF32));
  }
  SelectRoom of_thread(const RunContext& ctx, int64_t thread) const {
    return {
        scratch_at<KeyedPlace>(ctx, candidates) + thread * n,
        scratch_at<KeyedPlace>(ctx, places) + thread * n,
        scratch_at<uint64_t>(ctx, counters) + thread * static_cast<int64_t>(KeySortRoom::kCounters),
        scratch_at<BoxGroupF32>(ctx, groups) + thread * groups_per_thread};
  }
};

Status bind_suppression(BindContext& ctx) {
  if (ctx.params<SuppressionParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 5));
  for (const size_t i : {0, 1, 3, 4}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kFloat32)));
  }
  RETURN_IF_ERROR(check_type(ctx, 2, mask_of(DType::kInt64)));
  const ValueRef& boxes = ctx.input(0);
  const ValueRef& scores = ctx.input(1);
  const bool fits = boxes.rank == 3 && scores.rank == 3 && boxes.dim(2) == 4 &&
                    boxes.dim(0) == scores.dim(0) && boxes.dim(1) == scores.dim(2);
  if (!fits) {
    return invalid_argument("boxes of shape ", dims_to_string(boxes.dims()), " and scores of ",
                            dims_to_string(scores.dims()), " do not fit");
  }
  for (size_t i = 2; i < 5; ++i) {
    if (ctx.has_input(i) && ctx.input(i).element_count() != 1) {
      return invalid_argument("input ", i, " has ", ctx.input(i).element_count(),
                              " elements, expected one");
    }
  }
  return SuppressionRoom(scores, ctx.thread_count()).plan.declare(ctx);
}

// --- Run.

Result<Limits> read_limits(const RunContext& ctx) {
  Limits limits{0, 0.0f, std::nullopt, ctx.params<SuppressionParams>().is_centre != 0};
  if (ctx.has_input(2)) limits.count = std::max<int64_t>(0, *ctx.input(2).as<int64_t>());
  if (ctx.has_input(3)) limits.overlap = *ctx.input(3).as<float>();
  if (ctx.has_input(4)) limits.score = *ctx.input(4).as<float>();
  if (!(limits.overlap >= 0 && limits.overlap <= 1)) {
    return invalid_argument("the overlap threshold is ", limits.overlap, ", expected 0 to 1");
  }
  return limits;
}

Status run_suppression(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Limits limits, read_limits(ctx));
  const ValueRef& scores = ctx.input(1);
  const int64_t classes = scores.dim(1), n = scores.dim(2);
  const SuppressionRoom room(scores, ctx.thread_count());
  auto *kept = scratch_at<int64_t>(ctx, room.kept), *counts = scratch_at<int64_t>(ctx, room.counts);
  parallel_items(ctx, ctx.thread_count(), room.lists, [&](int64_t thread, int64_t i) {
    counts[i] =
        select(ctx.isa(), ctx.input(0).as<float>() + i / classes * n * 4,
               scores.as<float>() + i * n, n, limits, room.of_thread(ctx, thread), kept + i * n);
  });
  const int64_t dims[2] = {std::accumulate(counts, counts + room.lists, int64_t{0}), 3};
  RETURN_IF_ERROR(ctx.allocate_output(0, DType::kInt64, dims));
  auto* y = ctx.output(0).as_mutable<int64_t>();
  for (int64_t i = 0; i < room.lists; ++i) {
    for (int64_t k = 0; k < counts[i]; ++k) {
      *y++ = i / classes;
      *y++ = i % classes;
      *y++ = kept[i * n + k];
    }
  }
  return Status::ok();
}

}  // namespace

KernelTable non_max_suppression_kernels() {
  static constexpr KernelRow rows[] = {
      {"NonMaxSuppression", "", 10, kLatestOpset, mask_of(DType::kFloat32), "non_max_suppression",
       1, kDataDependent, 0, prepare_suppression, bind_suppression, run_suppression},
  };
  return rows;
}

}  // namespace ortc::cpu

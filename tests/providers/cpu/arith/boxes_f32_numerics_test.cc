// SPDX-License-Identifier: MIT
// Overlaps of boxes against a loop over single ones, with special numbers, for 1 to 67 boxes.
#include "providers/cpu/arith/boxes_f32/boxes_f32.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

constexpr size_t kTogether = BoxGroupF32::kTogether;

float area_of(const BoxF32& box) { return (box.y1 - box.y0) * (box.x1 - box.x0); }

BoxF32 random_box(testing::Random& random) {
  const float y = random.in(0, 1), x = random.in(0, 1);
  BoxF32 box = {y, x, y + random.in(0, 0.5f), x + random.in(0, 0.5f)};
  const uint32_t draw = random.next();
  const std::vector<float>& special = testing::special_floats();
  float* const sides[] = {&box.y0, &box.x0, &box.y1, &box.x1};
  if (draw % 5 == 0) *sides[draw / 5 % 4] = special[draw / 20 % special.size()];
  return box;
}

bool overlaps(const BoxF32& a, const BoxF32& b, float threshold) {
  const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  const float width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  if (!(height > 0 && width > 0 && area_of(a) > 0 && area_of(b) > 0)) return false;
  const float common = height * width, whole = area_of(a) + area_of(b) - common;
  return whole > 0 && common / whole > threshold;
}

std::vector<BoxGroupF32> groups_of(const std::vector<BoxF32>& boxes) {
  std::vector<BoxGroupF32> groups((boxes.size() + kTogether - 1) / kTogether, BoxGroupF32{});
  for (size_t i = 0; i < boxes.size(); ++i) {
    BoxGroupF32& group = groups[i / kTogether];
    group.y0[i % kTogether] = boxes[i].y0;
    group.x0[i % kTogether] = boxes[i].x0;
    group.y1[i % kTogether] = boxes[i].y1;
    group.x1[i % kTogether] = boxes[i].x1;
    group.area[i % kTogether] = area_of(boxes[i]);
  }
  return groups;
}

// How many of some boxes overlap one of the others.
size_t check_boxes(const BoxesF32Kernels& kernels, size_t n, float threshold) {
  testing::Random random(n);
  std::vector<BoxF32> boxes;
  for (size_t i = 0; i < n; ++i) boxes.push_back(random_box(random));
  const std::vector<BoxGroupF32> groups = groups_of(boxes);
  size_t found = 0;
  for (int i = 0; i < 50; ++i) {
    const BoxF32 box = random_box(random);
    const bool exact = std::any_of(boxes.begin(), boxes.end(), [&](const BoxF32& other) {
      return overlaps(box, other, threshold);
    });
    CHECK_EQ(kernels.any_overlaps(groups.data(), groups.size(), box, threshold), exact);
    found += exact ? 1 : 0;
  }
  return found;
}

TEST(boxes_f32_numerics, overlaps_are_those_of_single_boxes) {
  for (const Isa isa : testing::runnable_isas()) {
    const BoxesF32Kernels& kernels = boxes_f32_kernels(isa);
    size_t found = 0, asked = 0;
    for (size_t n = 1; n <= testing::kLargestSize; ++n) {
      for (const float threshold : {0.0f, 0.2f, 0.45f, 1.0f}) {
        found += check_boxes(kernels, n, threshold);
        asked += 50;
      }
    }
    CHECK(found > asked / 10);
    CHECK(found < asked - asked / 10);
  }
}

TEST(boxes_f32_numerics, an_overlap_at_the_threshold_is_not_above_it) {
  for (const Isa isa : testing::runnable_isas()) {
    const BoxesF32Kernels& kernels = boxes_f32_kernels(isa);
    const std::vector<BoxGroupF32> groups = groups_of({{0, 0, 1, 1}});
    const BoxF32 half = {0, 0, 1, 0.5f};
    CHECK(!kernels.any_overlaps(groups.data(), 1, half, 0.5f));
    CHECK(kernels.any_overlaps(groups.data(), 1, half, 0.49f));
    CHECK(!kernels.any_overlaps(groups.data(), 1, {0, 1, 1, 2}, 0));  // they only touch
    CHECK(!kernels.any_overlaps(groups.data(), 0, half, 0));
  }
}

}  // namespace
}  // namespace ortc::cpu

// SPDX-License-Identifier: MIT
// One zstd frame and back: exactly the promised bytes or a failure.
#include "core/platform/zstd.h"

#include <random>

#include "tests/support/test.h"

using namespace ortc;

namespace {

std::string sample(size_t size) {
  std::mt19937 random(7);
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>(i % 3 == 0 ? random() : i / 100);
  }
  return text;
}

std::string frame_of(const std::string& text, int level = 3) {
  auto frame = zstd_compress(as_bytes(text), level);
  CHECK_OK(frame);
  return frame.value();
}

Status decompress(const std::string& frame, std::string& out) {
  return zstd_decompress(as_bytes(frame), std::as_writable_bytes(std::span<char>(out)));
}

}  // namespace

TEST(zstd, gives_back_what_it_took) {
  for (const size_t size : {0, 1, 100, 4096, 1'000'000}) {
    for (const int level : {1, 3, 19}) {
      const std::string text = sample(size);
      const std::string frame = frame_of(text, level);
      CHECK(frame == frame_of(text, level));
      std::string out(size, 'x');
      CHECK_OK(decompress(frame, out));
      CHECK(out == text);
    }
  }
}

TEST(zstd, tells_of_each_slice_and_can_be_stopped_between_two) {
  const std::string text = sample(1'000'000);
  uint64_t taken = 0;
  int calls = 0;
  const auto told = zstd_compress(as_bytes(text), 3, [&](uint64_t bytes) {
    taken += bytes;
    ++calls;
    return Status::ok();
  });
  CHECK_OK(told);
  CHECK(*told == frame_of(text));
  CHECK_EQ(taken, text.size());
  CHECK(calls > 5);
  calls = 0;
  const auto stopped = zstd_compress(
      as_bytes(text), 3, [&](uint64_t) { return ++calls == 2 ? fail("enough") : Status::ok(); });
  CHECK_EQ(stopped.status().message(), "enough");
  CHECK_EQ(calls, 2);
}

TEST(zstd, refuses_levels_outside_1_to_19) {
  for (const int level : {-5, 0, 20, 22, 1000}) {
    CHECK_CODE(zstd_compress(as_bytes("x"), level), Code::kInvalidArgument);
  }
}

TEST(zstd, tells_the_size_by_the_head_of_a_frame) {
  const std::string frame = frame_of(sample(1000));
  const std::string head = frame.substr(0, 20);  // nothing else is looked at
  CHECK_OK(zstd_check_size(as_bytes(head), 1000));
  for (const uint64_t size : {uint64_t{0}, uint64_t{999}, uint64_t{1001}, UINT64_MAX}) {
    CHECK_CODE(zstd_check_size(as_bytes(frame), size), Code::kInvalidGraph);
  }
  for (size_t size = 0; size < 5; ++size) {
    CHECK_CODE(zstd_check_size(as_bytes(frame).first(size), 1000), Code::kInvalidGraph);
  }
}

// A tensor has no other guard where there is no record of its hash.
TEST(zstd, notices_every_damage) {
  const std::string text = sample(1000), frame = frame_of(text);
  for (size_t i = 0; i < frame.size() * 8; ++i) {
    std::string damaged = frame;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << i % 8));
    std::string out(text.size(), 'x');
    if (decompress(damaged, out).is_ok()) CHECK(out == text);
  }
}

TEST(zstd, refuses_a_frame_of_another_size_and_never_writes_past_the_end) {
  const std::string frame = frame_of(sample(1000));
  for (const size_t size : {0, 1, 999, 1001, 5000}) {
    std::string out(size + 64, 'x');
    const auto target = std::as_writable_bytes(std::span<char>(out.data(), size));
    CHECK_CODE(zstd_decompress(as_bytes(frame), target), Code::kInvalidGraph);
    CHECK_EQ(out.substr(size), std::string(64, 'x'));
  }
  std::string none;
  CHECK_CODE(decompress(frame, none), Code::kInvalidGraph);
}

TEST(zstd, refuses_what_is_not_exactly_one_frame) {
  const std::string text = sample(1000);
  const std::string frame = frame_of(text);
  std::string out(1000, 'x');
  CHECK_CODE(decompress("", out), Code::kInvalidGraph);
  CHECK_CODE(decompress("no frame at all", out), Code::kInvalidGraph);
  CHECK_CODE(decompress(frame + "x", out), Code::kInvalidGraph);
  CHECK_CODE(decompress("x" + frame, out), Code::kInvalidGraph);
  // Two frames that together would give the size.
  CHECK_CODE(decompress(frame_of(text.substr(0, 500)) + frame_of(text.substr(500)), out),
             Code::kInvalidGraph);
  // A skippable frame before or alone.
  const std::string skippable("\x50\x2a\x4d\x18\x04\x00\x00\x00skip", 12);
  CHECK_CODE(decompress(skippable + frame, out), Code::kInvalidGraph);
  std::string none;
  CHECK_CODE(decompress(skippable, none), Code::kInvalidGraph);
  CHECK_CODE(decompress("", none), Code::kInvalidGraph);
}

TEST(zstd, survives_every_truncation_and_damaged_byte) {
  const std::string frame = frame_of(sample(300));
  for (size_t size = 0; size < frame.size(); ++size) {
    std::string out(300, 'x');
    CHECK_CODE(decompress(frame.substr(0, size), out), Code::kInvalidGraph);
  }
  for (size_t i = 0; i < frame.size(); ++i) {
    std::string damaged = frame;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    std::string out(300, 'x');
    const Status status = decompress(damaged, out);
    CHECK(status.is_ok() || status.code() == Code::kInvalidGraph);
  }
}

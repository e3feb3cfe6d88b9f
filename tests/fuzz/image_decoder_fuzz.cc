// SPDX-License-Identifier: MIT
// Fuzzes the readers of images, in libort_c_extra.so. The last byte says in which form the pixels
// are asked for. What is decoded is as large as it says and not larger than allowed; asked for
// again it is the same.
#include <cstring>
#include <memory>

#include "extra/extra_table.h"
#include "tests/fuzz/fuzz_checks.h"

using ortc::fuzz::require;

extern "C" const OrtcExtraTable* OrtcExtraGetTable(uint32_t version);

namespace {

constexpr uint64_t kPixelsMax = 1 << 16;

// Exactly as many bytes as were asked for, so that a sanitizer sees every byte too many.
struct Picture {
  std::unique_ptr<uint8_t[]> pixels;
  size_t size = 0;

  static uint8_t* allocate(void* state, size_t height, size_t width, size_t channels) {
    auto& picture = *static_cast<Picture*>(state);
    require(height > 0 && width > 0 && width <= kPixelsMax / height);
    require(picture.pixels == nullptr);
    picture.size = height * width * channels;
    picture.pixels = std::make_unique<uint8_t[]>(picture.size);
    return picture.pixels.get();
  }
};

OrtcExtraCode decode(const uint8_t* bytes, size_t size, int32_t format, Picture& picture) {
  const OrtcImageRequest request = {.bytes = bytes,
                                    .size = size,
                                    .format = format,
                                    .pixel_limit = kPixelsMax,
                                    .allocate = Picture::allocate,
                                    .state = &picture};
  OrtcExtraMessage message;
  std::memset(&message, 'x', sizeof message);
  const OrtcExtraCode code =
      OrtcExtraGetTable(ORTC_EXTRA_VERSION)->image_decode(&request, &message);
  require(std::memchr(message.text, 0, sizeof message.text) != nullptr);
  return code;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::make_unique<uint8_t[]>(size);
  if (size != 0) std::memcpy(bytes.get(), data, size);
  const int32_t format = size == 0 ? 0 : data[size - 1] % 3;
  Picture first, second;
  const OrtcExtraCode code = decode(bytes.get(), size, format, first);
  if (code != kOrtcExtraOk) return 0;
  require(first.pixels != nullptr);
  require(decode(bytes.get(), size, format, second) == kOrtcExtraOk);
  require(first.size == second.size &&
          std::memcmp(first.pixels.get(), second.pixels.get(), first.size) == 0);
  return 0;
}

// SPDX-License-Identifier: MIT
// ImageDecoder over the small pictures of tests/fuzz/make_images.py, whose pixels are known.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(ORTC_SOURCE_DIR) / "tests/fuzz/corpus/image_decoder";
constexpr int64_t kWidth = 13, kHeight = 7;

struct Pixel {
  uint8_t red, green, blue;
};

Pixel rgb_at(int64_t x, int64_t y) {
  return {static_cast<uint8_t>(19 * x), static_cast<uint8_t>(36 * y),
          static_cast<uint8_t>(255 - 9 * x - 20 * y)};
}

uint8_t grey_of(Pixel p) {
  return static_cast<uint8_t>((19595 * p.red + 38470 * p.green + 7471 * p.blue + 0x8000) >> 16);
}

// What a file shows, by the beginning of its name.
Pixel pixel_of(const std::string& kind, int64_t x, int64_t y) {
  constexpr Pixel kColours[] = {{0, 0, 0}, {255, 0, 0}, {0, 255, 0}, {9, 8, 7}};
  uint8_t value = grey_of(rgb_at(x, y));
  if (kind == "rgb") return rgb_at(x, y);
  if (kind == "palette") return kColours[(x + y) % 4];
  if (kind == "bits") value = ((x ^ y) & 1) != 0 ? 255 : 0;
  return {value, value, value};
}

Tensor picture(const std::string& kind, const std::string& format) {
  const bool is_grey = format == "Grayscale";
  Tensor tensor = Tensor::create(DType::kUint8, {kHeight, kWidth, is_grey ? 1 : 3}).value();
  auto* to = static_cast<uint8_t*>(tensor.mutable_data());
  for (int64_t y = 0; y < kHeight; ++y) {
    for (int64_t x = 0; x < kWidth; ++x) {
      Pixel pixel = pixel_of(kind, x, y);
      if (format == "BGR") std::swap(pixel.red, pixel.blue);
      if (is_grey) {
        *to++ = grey_of(pixel);
      } else {
        *to++ = pixel.red, *to++ = pixel.green, *to++ = pixel.blue;
      }
    }
  }
  return tensor;
}

Tensor bytes_of(const std::string& text) {
  return Tensor::from<uint8_t>({static_cast<int64_t>(text.size())},
                               {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

Tensor file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  CHECK(in.good());
  return bytes_of({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
}

Op decoder(const std::string& format = "RGB") {
  return {"ImageDecoder", 20, {Attribute::of_string("pixel_format", format)}};
}

// Whether the build has the library for the file; always for BMP and PNM.
bool is_built(const fs::path& path) {
  std::vector<std::string> kinds = {".bmp", ".ppm", ".pgm", ".pbm"};
#ifdef ORTC_EXTRA_HAS_JPEG
  kinds.insert(kinds.end(), {".jpg"});
#endif
#ifdef ORTC_EXTRA_HAS_JPEG2000
  kinds.insert(kinds.end(), {".jp2", ".j2k"});
#endif
#ifdef ORTC_EXTRA_HAS_PNG
  kinds.insert(kinds.end(), {".png"});
#endif
#ifdef ORTC_EXTRA_HAS_TIFF
  kinds.insert(kinds.end(), {".tif"});
#endif
#ifdef ORTC_EXTRA_HAS_WEBP
  kinds.insert(kinds.end(), {".webp"});
#endif
  return std::find(kinds.begin(), kinds.end(), path.extension()) != kinds.end();
}

// Those of one kind that can be read, sorted.
std::vector<fs::path> files_of(const std::string& kind) {
  std::vector<fs::path> files;
  for (const fs::path& path : fs::directory_iterator(kFolder)) {
    const std::string name = path.filename();
    if (name.substr(0, name.find_first_of("._")) == kind && is_built(path)) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

void check_exact(const std::string& kind) {
  const auto files = files_of(kind);
  CHECK(files.size() >= 2);
  for (const char* format : {"RGB", "BGR", "Grayscale"}) {
    const Tensor expected = picture(kind, format);
    for (const fs::path& path : files) {
      std::fprintf(stderr, "%s as %s\n", path.filename().c_str(), format);
      CHECK(same_bits(run_one(decoder(format), {file(path)}), expected));
    }
  }
}

TEST(image_decoder, gives_the_pixels_of_every_kind_of_colour_file) { check_exact("rgb"); }
TEST(image_decoder, gives_the_pixels_of_every_kind_of_grey_file) { check_exact("grey"); }
TEST(image_decoder, looks_colours_up_in_palettes) { check_exact("palette"); }
TEST(image_decoder, makes_bits_black_and_white) { check_exact("bits"); }

// Next to each file lies what the tool of its library, djpeg or dwebp, makes of it.
TEST(image_decoder, decodes_lossy_files_as_their_libraries_do) {
  for (const fs::path& path : files_of("lossy")) {
    if (path.extension() == ".ppm") continue;
    std::fprintf(stderr, "%s\n", path.filename().c_str());
    CHECK(same_bits(run_one(decoder(), {file(path)}),
                    run_one(decoder(), {file(path.string() + ".ppm")})));
  }
}

TEST(image_decoder, scales_channels_of_five_and_six_bits) {
  for (const char* name : {"fifteen.bmp", "sixteen.bmp"}) {
    const Tensor found = run_one(decoder(), {file(kFolder / name)});
    CHECK(found.dims() == (Dims{kHeight, kWidth, 3}));
    const auto* at = static_cast<const uint8_t*>(found.data());
    const int green = std::string(name) == "sixteen.bmp" ? 2 : 3;
    for (int64_t i = 0; i < kHeight * kWidth; ++i, at += 3) {
      const Pixel pixel = rgb_at(i % kWidth, i / kWidth);
      CHECK_EQ(at[0], (pixel.red >> 3) * 255 / 31);
      CHECK_EQ(at[1], (pixel.green >> green) * 255 / (255 >> green));
      CHECK_EQ(at[2], (pixel.blue >> 3) * 255 / 31);
    }
  }
}

TEST(image_decoder, gives_an_empty_image_for_what_cannot_be_decoded) {
  for (const fs::path& path : files_of("broken")) {
    if (path.stem() == "broken_huge" && path.extension() != ".tif") continue;
    std::fprintf(stderr, "%s\n", path.filename().c_str());
    CHECK(run_one(decoder(), {file(path)}).dims() == (Dims{0, 0, 3}));
  }
  CHECK(run_one(decoder("Grayscale"), {bytes_of("GIF89a")}).dims() == (Dims{0, 0, 1}));
  CHECK(run_one(decoder(), {bytes_of("")}).dims() == (Dims{0, 0, 3}));
}

TEST(image_decoder, refuses_more_pixels_than_it_says) {
  const auto failed = run_op(decoder(), {file(kFolder / "broken_huge.ppm")});
  CHECK_CODE(failed, Code::kInvalidArgument);
  CHECK(failed.status().message().find("99999999 x 99999999 pixels") != std::string::npos);
}

TEST(image_decoder, refuses_wrong_inputs_and_formats) {
  CHECK_CODE(run_op(decoder("CMYK"), {bytes_of("")}), Code::kInvalidGraph);
  CHECK_CODE(run_op(decoder(), {Tensor::create(DType::kUint8, {1, 1}).value()}),
             Code::kInvalidArgument);
}

#ifdef ORTC_EXTRA_HAS_JPEG
TEST(image_decoder, reads_ink_as_adobe_writes_it) {
  const Tensor found = run_one(decoder(), {file(kFolder / "cmyk.jpg")});
  const auto* at = static_cast<const uint8_t*>(found.data());
  for (int64_t i = 0; i < kHeight * kWidth; ++i, at += 3) {
    CHECK_NEAR(at[0], 19.0 * static_cast<double>(i % kWidth), 0.0, 3.0);
    CHECK_NEAR(at[1], 36.0 * static_cast<double>(i / kWidth), 0.0, 3.0);
    CHECK_NEAR(at[2], 50.0, 0.0, 3.0);
  }
}
#endif

#ifdef ORTC_EXTRA_HAS_JPEG2000
TEST(image_decoder, converts_ycc_with_smaller_planes_of_chroma) {
  const Tensor found = run_one(decoder(), {file(kFolder / "ycc.jp2")});
  CHECK(found.dims() == (Dims{4, 8, 3}));
  const auto* at = static_cast<const uint8_t*>(found.data());
  for (int i = 0; i < 32; ++i, at += 3) CHECK(at[0] == 201 && at[1] == 62 && at[2] == 33);
}
#endif

#ifdef ORTC_EXTRA_HAS_WEBP
TEST(image_decoder, names_files_of_several_pictures) {
  const auto failed = run_op(decoder(), {file(kFolder / "animated.webp")});
  CHECK_CODE(failed, Code::kNotImplemented);
  CHECK(failed.status().message().find("WebP files with several pictures") != std::string::npos);
}
#endif

}  // namespace
}  // namespace ortc::test

// SPDX-License-Identifier: MIT
// Pictures: see the header.

#include "tools/ortc/values/pictures.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>

#include "tools/ortc/library/image_models.h"
#include "tools/ortc/values/byte_source.h"
#include "tools/ortc/values/element_forms.h"
#include "tools/ortc/values/made_up.h"
#include "tools/ortc/values/number_text.h"

namespace ortc::tool {
namespace {

constexpr std::string_view kImage = "image:";
constexpr std::string_view kEndings[] = {".bmp", ".j2k", ".jp2", ".jpeg", ".jpg",  ".pbm", ".pgm",
                                         ".png", ".pnm", ".ppm", ".tif",  ".tiff", ".webp"};

std::string file_of(const std::string& text) {
  return text.rfind(kImage, 0) == 0 ? text.substr(kImage.size()) : text;
}

// Where in the shape the axes are; sizes that are open are -1.
struct Layout {
  bool has_batch, is_channels_last;
  size_t channel_axis, height_axis;  // the width is behind the height
};

bool is_channel_count(int64_t size) { return size == 1 || size == 3; }

Layout layout_of(const Port& port, const std::string& asked, const std::string& what) {
  const size_t rank = port.shape.size();
  if (!port.has_shape || (rank != 3 && rank != 4)) {
    throw usage_error(what + " " + port.type_text() +
                      ": a picture needs an input of 3 or 4 dimensions")
        .set_hint("--shape " + port.name + "=1x3x224x224 says what the model leaves open");
  }
  const size_t first = rank - 3;
  const bool may_be_first = is_channel_count(port.shape[first]);
  const bool may_be_last = is_channel_count(port.shape[rank - 1]);
  if (asked.empty() && may_be_first == may_be_last) {
    throw usage_error(what + " " + port.type_text() +
                      ": where the channels are cannot be told from the shape")
        .set_hint("give --layout NCHW or --layout NHWC");
  }
  const bool is_last = asked.empty() ? may_be_last : asked == "NHWC";
  return {first == 1, is_last, is_last ? rank - 1 : first, is_last ? first : first + 1};
}

// RGB unless the model has one channel or the user says otherwise.
std::string format_of(const Port& port, const Layout& layout, const PictureArguments& arguments,
                      const std::string& what) {
  const int64_t channels = port.shape[layout.channel_axis];
  std::string format = arguments.pixel_format;
  if (format.empty()) format = channels == 1 ? "Grayscale" : "RGB";
  const int64_t made = format == "Grayscale" ? 1 : 3;
  if (channels >= 0 && channels != made) {
    throw usage_error(what + " " + port.type_text() + ": it has " + std::to_string(channels) +
                      " channels, " + format + " has " + std::to_string(made));
  }
  return format;
}

// "123.7,116.3,103.5", or one number for all channels.
std::vector<double> per_channel(const std::string& text, const char* option, size_t channels,
                                double otherwise) {
  if (text.empty()) return std::vector<double>(channels, otherwise);
  const std::string wanted = std::string(option) + " needs one number or one for each channel";
  std::vector<double> numbers;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    numbers.push_back(parse_real(text.substr(at, end - at), wanted + ", found"));
    at = end + 1;
  }
  if (numbers.size() == 1) numbers.resize(channels, numbers[0]);
  if (numbers.size() != channels) {
    throw usage_error(wanted + ": " + std::to_string(channels) + ", found '" + text + "'");
  }
  return numbers;
}

struct Normalisation {
  std::vector<double> mean, scale;

  Normalisation(const Port& port, const PictureArguments& arguments, size_t channels,
                const std::string& what)
      : mean(per_channel(arguments.mean, "--mean", channels, 0.0)),
        scale(per_channel(arguments.scale, "--scale", channels, 1.0)) {
    const ElementForm& form = form_of(port.type);
    if (std::find(scale.begin(), scale.end(), 0.0) != scale.end()) {
      throw usage_error("--scale: pixels are divided by it, it cannot be 0");
    }
    if (form.is_float()) return;
    if (port.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8) {
      throw ToolError(kExitFailure, "NOT_IMPLEMENTED",
                      what + ": a picture as " + std::string(element_name(port.type)))
          .set_hint("inputs of floats or uint8 take pictures");
    }
    if (!arguments.mean.empty() || !arguments.scale.empty()) {
      throw usage_error(what + " " + port.type_text() +
                        ": it takes pixels as they are, without "
                        "--mean and --scale");
    }
  }
};

// Pixels as floats, of whatever type.
float pixel_at(const NpyArray& image, size_t i) {
  if (image.descr == "|u1") return static_cast<float>(std::to_integer<uint8_t>(image.data[i]));
  float value;
  std::memcpy(&value, image.data.data() + i * sizeof value, sizeof value);
  return value;
}

void fill(const NpyArray& image, const Layout& layout, const Normalisation& normalisation,
          const ElementForm& form, NpyArray& out) {
  const auto channels = static_cast<size_t>(image.shape[2]);
  const auto count = static_cast<size_t>(image.shape[0] * image.shape[1]);
  const size_t size = form.file_bytes(), picture = count * channels * size;
  for (size_t i = 0; i < count; ++i) {
    for (size_t c = 0; c < channels; ++c) {
      const double pixel = static_cast<double>(pixel_at(image, i * channels + c));
      const size_t at = layout.is_channels_last ? i * channels + c : c * count + i;
      std::byte* const to = out.data.data() + at * size;
      if (form.is_float()) {
        store_float(to, form, (pixel - normalisation.mean[c]) / normalisation.scale[c]);
      } else {
        store_integer(to, form, static_cast<uint64_t>(std::lround(std::clamp(pixel, 0.0, 255.0))));
      }
    }
  }
  for (size_t at = picture; at < out.data.size(); at += picture) {
    std::memcpy(out.data.data() + at, out.data.data(), picture);
  }
}

NpyArray read_picture(const std::string& path, const std::string& format, const std::string& what) {
  FileSource source(path);
  std::vector<std::byte> file;
  source.read_all(file, std::numeric_limits<size_t>::max() / 4);
  NpyArray image = decode_image(file, format, what);
  if (image.shape[0] == 0) {
    throw failure(
        what + ": " + source.name() +
        " is not an image that can be decoded: a BMP, JPEG, JPEG 2000, PNG, PNM, TIFF or WebP "
        "file, whole");
  }
  return image;
}

}  // namespace

bool is_picture(const std::string& text) {
  if (text.rfind(kImage, 0) == 0) return true;
  std::string name = text;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) {
    return name.size() > ending.size() &&
           name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  });
}

NpyArray picture_array(const Port& port, const std::string& text, const PictureArguments& arguments,
                       const std::string& what) {
  const Layout layout = layout_of(port, arguments.layout, what);
  const std::string format = format_of(port, layout, arguments, what);
  const int64_t channels = format == "Grayscale" ? 1 : 3;
  const Normalisation normalisation(port, arguments, static_cast<size_t>(channels), what);
  NpyArray image = read_picture(file_of(text), format, what);

  NpyArray out{form_of(port.type).descr, port.shape, {}};
  if (layout.has_batch && out.shape[0] < 0) out.shape[0] = 1;
  out.shape[layout.channel_axis] = channels;
  for (size_t i = 0; i < 2; ++i) {
    int64_t& wanted = out.shape[layout.height_axis + i];
    if (wanted < 0) wanted = image.shape[i];
  }
  out.data.resize(checked_bytes(port.type, out.shape, what));
  if (out.data.empty()) return out;
  const int64_t height = out.shape[layout.height_axis], width = out.shape[layout.height_axis + 1];
  if (image.shape[0] != height || image.shape[1] != width) {
    image = resize_image(image, height, width, what);
  }
  fill(image, layout, normalisation, form_of(port.type), out);
  return out;
}

}  // namespace ortc::tool

// SPDX-License-Identifier: MIT
// ImageDecoder: the bytes of an image file into [height, width, channels], by libort_c_extra.so.
//
// As ONNX has it, bytes that cannot be decoded give an image without pixels, [0, 0, channels]; a
// file of a kind that the library does not know, or with more pixels than kPixelsMax, is an error.
#include <array>
#include <new>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/extra/extra_library.h"

namespace ortc::cpu {
namespace {

// A few bytes can ask for any number of pixels. This is 512 MiB as RGB.
constexpr uint64_t kPixelsMax = (uint64_t{512} << 20) / 3;

// --- Prepare.

struct ImageParams {
  uint32_t record_bytes;
  uint32_t format;  // OrtcPixelFormat
};
static_assert(sizeof(ImageParams) == 8);

Status prepare_image(PrepareContext& ctx) {
  static_assert(kOrtcPixelRgb == 0 && kOrtcPixelBgr == 1 && kOrtcPixelGrayscale == 2);
  ASSIGN_OR_RETURN(const uint32_t format,
                   one_of(ctx.node(), "pixel_format", "RGB", {"RGB", "BGR", "Grayscale"}));
  ctx.set_params(ImageParams{sizeof(ImageParams), format});
  return Status::ok();
}

// --- Bind.

Status bind_image(BindContext& ctx) {
  const auto* params = ctx.params<ImageParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->format > kOrtcPixelGrayscale) {
    return invalid_graph("its params record names format ", params->format);
  }
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, mask_of(DType::kUint8)));
  if (ctx.input(0).rank == 1) return Status::ok();
  return invalid_argument("the input has shape ", dims_to_string(ctx.input(0).dims()),
                          ", expected the bytes of a file, [N]");
}

// --- Run.

// What the library writes to; not yet an output, since the file may turn out to be damaged.
struct Picture {
  Tensor tensor;
  Status status;

  Status make(size_t height, size_t width, size_t channels) {
    const Dims dims = {static_cast<int64_t>(height), static_cast<int64_t>(width),
                       static_cast<int64_t>(channels)};
    ASSIGN_OR_RETURN(tensor, Tensor::create(DType::kUint8, dims));
    return Status::ok();
  }

  // Called by C code, which no exception may cross.
  static uint8_t* allocate(void* state, size_t height, size_t width, size_t channels) {
    auto& picture = *static_cast<Picture*>(state);
    try {
      picture.status = picture.make(height, width, channels);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    return picture.status.is_ok() ? static_cast<uint8_t*>(picture.tensor.mutable_data()) : nullptr;
  }
};

Status run_image(RunContext& ctx) {
  const auto& params = ctx.params<ImageParams>();
  ASSIGN_OR_RETURN(const OrtcExtraTable* extra, extra_library());
  const ValueRef& x = ctx.input(0);
  Picture picture;
  const OrtcImageRequest request = {
      .bytes = x.as<uint8_t>(),
      .size = static_cast<size_t>(x.element_count()),
      .format = static_cast<int32_t>(params.format),
      .pixel_limit = kPixelsMax,
      .allocate = Picture::allocate,
      .state = &picture,
  };
  OrtcExtraMessage message;
  const OrtcExtraCode code = extra->image_decode(&request, &message);
  RETURN_IF_ERROR(std::move(picture.status));
  if (code == kOrtcExtraBadInput) {
    const int64_t channels = params.format == kOrtcPixelGrayscale ? 1 : 3;
    return ctx.allocate_output(0, DType::kUint8, std::array<int64_t, 3>{0, 0, channels});
  }
  RETURN_IF_ERROR(extra_status(code, message, "the image cannot be decoded"));
  return ctx.give_output(0, std::move(picture.tensor));
}

}  // namespace

KernelTable image_decoder_kernels() {
  static constexpr KernelRow rows[] = {
      {"ImageDecoder", "", 20, kLatestOpset, mask_of(DType::kUint8), "image_decoder", 1,
       kDataDependent, 0, prepare_image, bind_image, run_image},
  };
  return rows;
}

}  // namespace ortc::cpu

// SPDX-License-Identifier: MIT
// One model of one or two nodes for each step: see the header.
#include "tools/ortc/library/image_models.h"

#include "tools/ortc/library/api.h"
#include "tools/ortc/library/message_bytes.h"
#include "tools/ortc/values/elements.h"

namespace ortc::tool {
namespace {

using message::number;
using message::text;
using message::varint;

constexpr uint64_t kFloat32 = 1, kUint8 = 2, kInt64 = 7;

// AttributeProto: name 1, i 3, s 4, ints 8, type 20.
std::string text_attribute(const std::string& name, const std::string& value) {
  return text(5, text(1, name) + text(4, value) + number(20, 3));
}
std::string int_attribute(const std::string& name, uint64_t value) {
  return text(5, text(1, name) + number(3, value) + number(20, 2));
}

std::string node(const std::string& type, const std::vector<std::string>& inputs,
                 const std::string& output, const std::string& attributes) {
  std::string bytes;
  for (const std::string& input : inputs) bytes += text(1, input);
  return text(1, bytes + text(2, output) + text(4, type) + attributes);
}

// A value of a rank, all of whose sizes are open.
std::string value(const std::string& name, uint64_t type, int rank) {
  std::string shape;
  for (int i = 0; i < rank; ++i) shape += text(1, "");
  return text(1, name) + text(2, text(1, number(1, type) + text(2, shape)));
}

std::string model(const std::string& graph) {
  constexpr uint64_t kIrVersion = 9, kOpset = 20;
  return number(1, kIrVersion) + text(2, "ortc") + text(7, graph) +
         text(8, text(1, "") + number(2, kOpset));
}

NpyArray run_model(const std::string& bytes, const NpyArray& x, const std::string& what) {
  const Env env = make_env(/*verbose=*/false);
  const SessionOptions options = make<SessionOptions>(OrtCreateSessionOptions);
  const Session session =
      make<Session>(OrtCreateSessionFromArray, env.get(), static_cast<const void*>(bytes.data()),
                    bytes.size(), options.get());
  const Value in = value_from_array(x, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, what);
  const char *const input_name = "x", *const output_name = "y";
  const OrtValue* const inputs[] = {in.get()};
  OrtValue* out = nullptr;
  check(OrtRun(session.get(), nullptr, &input_name, inputs, 1, &output_name, 1, &out));
  const Value owner(out);
  return array_from_value(out);
}

}  // namespace

NpyArray decode_image(const std::vector<std::byte>& file, const std::string& format,
                      const std::string& what) {
  const std::string graph =
      node("ImageDecoder", {"x"}, "y", text_attribute("pixel_format", format)) + text(2, "decode") +
      text(11, value("x", kUint8, 1)) + text(12, value("y", kUint8, 3));
  return run_model(model(graph), {"|u1", {static_cast<int64_t>(file.size())}, file}, what);
}

NpyArray resize_image(const NpyArray& image, int64_t height, int64_t width,
                      const std::string& what) {
  // TensorProto: dims 1, data_type 2, int64_data 7 (packed), name 8.
  const std::string sizes =
      number(1, 2) + number(2, kInt64) +
      text(7, varint(static_cast<uint64_t>(height)) + varint(static_cast<uint64_t>(width))) +
      text(8, "sizes");
  const std::string axes =
      text(5, text(1, "axes") + text(8, varint(0) + varint(1)) + number(20, 7));
  const std::string graph = node("Cast", {"x"}, "numbers", int_attribute("to", kFloat32)) +
                            node("Resize", {"numbers", "", "", "sizes"}, "y",
                                 text_attribute("mode", "linear") + int_attribute("antialias", 1) +
                                     int_attribute("exclude_outside", 1) + axes) +
                            text(2, "resize") + text(5, sizes) + text(11, value("x", kUint8, 3)) +
                            text(12, value("y", kFloat32, 3));
  return run_model(model(graph), image, what);
}

}  // namespace ortc::tool

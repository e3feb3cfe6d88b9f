// SPDX-License-Identifier: MIT
// Kinds of files: see the header.
#include "core/proto/file_kind.h"

#include <algorithm>

#include "core/base/ascii.h"

namespace ortc {
namespace {

using namespace std::string_view_literals;

struct Kind {
  size_t offset;
  std::string_view mark;
  std::string_view name;
};

constexpr Kind kKinds[] = {
    {0, kContextMark, "an ortc context binary: load the model with the EPContext node beside it"},
    {0, kOldContextMark,
     "an ortc context binary of the format before 1.0: compile the source model again"},
    {0, "version https://git-lfs"sv,
     "a Git LFS pointer, not the file itself: fetch it with 'git lfs pull'"},
    {4, "ORTM"sv, "a model in ONNX Runtime's ORT format: convert it back or use its ONNX source"},
    {4, "TORT"sv, "a LoRA adapter: give it to a run, not to a session"},
    {4, "TFL3"sv, "a TensorFlow Lite model: convert it to ONNX"},
    {8, "{\""sv, "a safetensors file: weights alone, without a graph"},
    {0, "GGUF"sv, "a GGUF model: export it to ONNX"},
    {0, "\x89HDF\r\n"sv, "an HDF5 file, as Keras writes: export it to ONNX"},
    {0, "PK\3\4"sv, "a zip archive (PyTorch's .pt files are some, too)"},
    {0, "\x1f\x8b"sv, "a gzip archive: unpack it"},
    {0, "\x28\xb5\x2f\xfd"sv, "a zstd archive: unpack it"},
    {0, "BZh"sv, "a bzip2 archive: unpack it"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "an xz archive: unpack it"},
    {257, "ustar"sv, "a tar archive: unpack it"},
    {0, "\x93NUMPY"sv, "a NumPy array"},
    {0, "\x89PNG\r\n\x1a\n"sv, "a PNG image"},
    {0, "\xff\xd8\xff"sv, "a JPEG image"},
    {0, "GIF8"sv, "a GIF image"},
    {0, "%PDF-"sv, "a PDF document"},
    {0,
     "\x7f"
     "ELF"sv,
     "an ELF program or library"},
    {0, "#!"sv, "a script"},
};

// Of texts, without case and behind blanks.
constexpr Kind kTexts[] = {
    {0, "<!doctype html"sv, "a web page; was it downloaded without a login?"},
    {0, "<html"sv, "a web page; was it downloaded without a login?"},
    {0, "<?xml"sv, "an XML document"},
    {0, "ir_version:"sv, "an ONNX model as text: convert it to the binary form"},
    {0, "{"sv, "a JSON text"},
};

bool begins_with(std::string_view text, std::string_view lower_mark) {
  return text.size() >= lower_mark.size() &&
         std::equal(lower_mark.begin(), lower_mark.end(), text.begin(),
                    [](char mark, char c) { return mark == ascii_lower(c); });
}

}  // namespace

std::string_view file_kind(Bytes bytes) {
  std::string_view text = as_text(bytes);
  for (const Kind& kind : kKinds) {
    if (text.size() >= kind.offset && text.substr(kind.offset, kind.mark.size()) == kind.mark) {
      return kind.name;
    }
  }
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  for (const Kind& kind : kTexts) {
    if (begins_with(text, kind.mark)) return kind.name;
  }
  const Bytes head = bytes.first(std::min<size_t>(bytes.size(), 4096));
  if (std::all_of(head.begin(), head.end(), [](std::byte b) { return b == std::byte{0}; })) {
    return bytes.empty() ? "an empty file" : "a file of zeros, as a broken download leaves it";
  }
  return {};
}

}  // namespace ortc

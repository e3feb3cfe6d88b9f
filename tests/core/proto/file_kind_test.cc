// SPDX-License-Identifier: MIT
// What people hand over in place of a model.
#include "core/proto/file_kind.h"

#include "core/graph/model.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

bool is_called(std::string_view bytes, std::string_view part) {
  return file_kind(as_bytes(bytes)).find(part) != std::string_view::npos;
}

}  // namespace

TEST(file_kind, is_told_by_the_first_bytes) {
  CHECK(is_called("\x89PNG\r\n\x1a\n", "PNG image"));
  CHECK(is_called("PK\3\4\x14", "zip archive"));
  CHECK(is_called("version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"));
  CHECK(is_called("<!DOCTYPE html><html>", "web page"));
  CHECK(is_called("\xef\xbb\xbf\n  <HTML>", "web page"));
  CHECK(is_called("{\"error\":\"not found\"}", "JSON"));
  CHECK(is_called(std::string("\0\0\0\0ORTM", 8), "ORT format"));
  CHECK(is_called(std::string("\x10\0\0\0\0\0\0\0{\"w\":", 14), "safetensors"));
  CHECK(is_called(std::string(257, 'x') + "ustar", "tar archive"));
  CHECK(is_called(kContextMark, "context binary"));
  CHECK(is_called(kOldContextMark, "before 1.0"));
  CHECK(is_called(std::string(100, '\0'), "zeros"));
}

TEST(file_kind, says_nothing_of_models_and_of_what_it_does_not_know) {
  GraphBuilder g;
  g.output(g.node("Relu", {g.input("x", DType::kFloat32, {2})}, {"y"})[0]);
  CHECK(file_kind(as_bytes(g.model_bytes())).empty());
  CHECK(file_kind(as_bytes("\x08\x07something")).empty());
}

TEST(file_kind, stands_in_the_error_of_a_model_that_is_none) {
  const std::string path = temp_dir() + "/page.onnx";
  write_whole_file(path, "<!doctype html><title>Sign in</title>");
  const auto model = import_model_file(path, {});
  CHECK_CODE(model, Code::kInvalidProtobuf);
  CHECK(model.status().message().find("found a web page") != std::string::npos);
  CHECK(model.status().message().find("wire type") == std::string::npos);
}

// SPDX-License-Identifier: MIT
// Weights in files beside the model.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/platform/file_map.h"
#include "core/platform/path.h"
#include "core/platform/zstd.h"
#include "tests/core/graph/wire_model.h"

using namespace ortc;
using namespace ortc::wire;

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

void write_file(const std::string& path, const std::string& content) {
  std::filesystem::create_directories(path_folder(path));
  std::ofstream(path, std::ios::binary) << content;
}

std::string fresh_folder(const char* name) {
  const std::string folder = test::temp_dir() + "/" + name;
  std::filesystem::create_directories(folder);
  return folder;
}

std::string model_with(const std::vector<std::string>& tensors) {
  return model(graph({}, {}, {}, tensors));
}

// A model with one tensor of four floats, imported from `folder`, where w.bin holds 0 .. 1023.
Result<std::unique_ptr<Model>> import_from(const std::string& folder, const Entries& entries,
                                           int64_t dtype = 1) {
  std::string content;
  for (int i = 0; i < 1024; ++i) content += static_cast<char>(i);
  write_file(folder + "/w.bin", content);
  write_file(folder + "/m.onnx", model_with({tensor("w", dtype, {4}, external(entries))}));
  return import_model_file(folder + "/m.onnx", {});
}

const Constant& constant_of(const Model& model, const char* name = "w") {
  return *model.graph->find_value(name)->initializer;
}

}  // namespace

TEST(external_data, reads_a_range) {
  auto imported = import_from(fresh_folder("range"),
                              {{"location", "w.bin"}, {"offset", "16"}, {"length", "16"}});
  CHECK_OK(imported);
  const Constant& w = constant_of(**imported);
  CHECK_EQ(w.tensor.elements<uint8_t>()[0], 16);
  CHECK((*w.external == ExternalLocation{"w.bin", 16, 16}));
}

TEST(external_data, needs_neither_offset_nor_length) {
  auto imported =
      import_from(fresh_folder("plain"), {{"location", "./w.bin"}, {"checksum", "0123"}});
  CHECK_OK(imported);
  CHECK_EQ(constant_of(**imported).external->length, 16u);
  imported = import_from(fresh_folder("zero"), {{"location", "w.bin"}, {"length", "0"}});
  CHECK_OK(imported);  // as writers leave it out, too
  CHECK_EQ(constant_of(**imported).external->length, 16u);
}

TEST(external_data, copies_what_is_not_aligned) {
  auto imported = import_from(fresh_folder("unaligned"), {{"location", "w.bin"}, {"offset", "17"}});
  CHECK_OK(imported);
  const Tensor& tensor = constant_of(**imported).tensor;
  CHECK_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 4, 0u);
  CHECK_EQ(static_cast<int>(tensor.bytes()[0]), 17);
}

TEST(external_data, refuses_ranges_outside_of_the_file) {
  const std::string folder = fresh_folder("outside");
  auto status = import_from(folder, {{"location", "w.bin"}, {"offset", "1016"}}).status();
  CHECK_CODE(status, Code::kFail);
  CHECK(says(status, "'w'") && says(status, "'w.bin'") && says(status, "1016") &&
        says(status, "1024"));
  CHECK_CODE(import_from(folder, {{"location", "w.bin"}, {"offset", "18446744073709551615"}}),
             Code::kFail);
  CHECK_CODE(import_from(folder, {{"location", "w.bin"}, {"length", "12"}}), Code::kFail);
  CHECK_CODE(import_from(folder, {{"location", "w.bin"}, {"offset", "-1"}}), Code::kFail);
  CHECK_CODE(import_from(folder, {{"location", "w.bin"}, {"offset", "0x10"}}), Code::kFail);
  CHECK_CODE(import_from(folder, {{"location", "w.bin"}, {"offset", ""}}), Code::kFail);
  CHECK_CODE(import_from(folder, {{"location", "w.bin"}, {"colour", "red"}}), Code::kFail);
  CHECK_CODE(import_from(folder, {{"offset", "0"}}), Code::kFail);
  CHECK_CODE(import_from(folder, {{"location", "w.bin"}}, 8), Code::kFail);
  CHECK_CODE(import_from(folder, {{"location", "w.bin"}, {"compression", "lzma"}}),
             Code::kNotImplemented);
}

TEST(external_data, refuses_names_that_leave_the_folder) {
  const std::string folder = fresh_folder("escape");
  write_file(folder + "/secret.bin", std::string(64, 's'));
  const std::string inner = folder + "/inner";
  for (const char* name : {"../secret.bin", "/etc/passwd", "missing.bin", "", ".",
                           "a/../../secret.bin", "C:\\w.bin", "*/_ORT_MEM_ADDR_/*"}) {
    CHECK_CODE(import_from(inner, {{"location", name}}), Code::kFail);
  }
  CHECK_EQ(symlink("../secret.bin", (inner + "/link.bin").c_str()), 0);
  CHECK_CODE(import_from(inner, {{"location", "link.bin"}}), Code::kFail);
  CHECK_EQ(mkfifo((inner + "/pipe.bin").c_str(), 0600), 0);
  CHECK_CODE(import_from(inner, {{"location", "pipe.bin"}}), Code::kFail);
}

TEST(external_data, follows_links_beside_the_real_model) {
  // The layout of a download cache: links in snapshots/, files in blobs/.
  const std::string folder = fresh_folder("cache");
  std::filesystem::create_directories(folder + "/snapshots");
  write_file(folder + "/blobs/1",
             model_with({tensor("w", 1, {4}, external({{"location", "w.bin"}}))}));
  write_file(folder + "/blobs/2", std::string(16, '\0'));
  CHECK_EQ(symlink("../blobs/1", (folder + "/snapshots/m.onnx").c_str()), 0);
  CHECK_EQ(symlink("../blobs/2", (folder + "/snapshots/w.bin").c_str()), 0);
  CHECK_OK(import_model_file(folder + "/snapshots/m.onnx", {}));
}

TEST(external_data, maps_each_file_once) {
  const std::string folder = fresh_folder("once");
  write_file(folder + "/w.bin", std::string(64, '\0'));
  write_file(
      folder + "/m.onnx",
      model_with({tensor("a", 1, {4}, external({{"location", "w.bin"}})),
                  tensor("b", 1, {4}, external({{"location", "./w.bin"}, {"offset", "16"}}))}));
  auto imported = import_model_file(folder + "/m.onnx", {});
  CHECK_OK(imported);
  const auto* a = static_cast<const char*>(constant_of(**imported, "a").tensor.data());
  const auto* b = static_cast<const char*>(constant_of(**imported, "b").tensor.data());
  CHECK_EQ(b - a, 16);
}

TEST(external_data, is_found_in_a_folder_that_is_named) {
  const std::string folder = fresh_folder("named");
  write_file(folder + "/w.bin", std::string(16, '\0'));
  const std::string bytes = model_with({tensor("w", 1, {4}, external({{"location", "w.bin"}}))});
  ImportOptions options;
  options.external_data_folder = folder;
  CHECK_OK(import_model_bytes(Blob::from_string(bytes), options));
  options.access = Access::kRead;
  CHECK_OK(import_model_bytes(Blob::from_string(bytes), options));
  CHECK_CODE(import_model_bytes(Blob::from_string(bytes), {}), Code::kFail);
}

TEST(external_data, is_unpacked_when_compressed) {
  const std::string folder = fresh_folder("zstd");
  const std::string content(4096, 'z');
  const std::string frame = *zstd_compress(as_bytes(content), 3);
  write_file(folder + "/w.bin", frame);
  auto with_length = [&](size_t length) {
    write_file(folder + "/m.onnx", model_with({tensor("w", 2, {4096},
                                                      external({{"location", "w.bin"},
                                                                {"length", str_cat(length)},
                                                                {"compression", "zstd"}}))}));
    return import_model_file(folder + "/m.onnx", {});
  };
  auto imported = with_length(frame.size());
  CHECK_OK(imported);
  CHECK_EQ(as_text(constant_of(**imported).tensor.bytes()), content);
  CHECK(constant_of(**imported).external == nullptr);
  CHECK(!with_length(frame.size() - 1).is_ok());
}

static bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// As with frames of contexts, by what the frame says of itself.
TEST(external_data, compressed_for_another_shape_is_refused_with_both_sizes) {
  const std::string folder = fresh_folder("claims");
  const std::string frame = *zstd_compress(as_bytes(std::string(4096, 'z')), 3);
  write_file(folder + "/w.bin", frame);
  for (const int64_t size : {4095, 4097, 1 << 30}) {
    write_file(folder + "/m.onnx", model_with({tensor("w", 2, {size},
                                                      external({{"location", "w.bin"},
                                                                {"length", str_cat(frame.size())},
                                                                {"compression", "zstd"}}))}));
    const auto imported = import_model_file(folder + "/m.onnx", {});
    CHECK_CODE(imported, Code::kInvalidGraph);
    CHECK(has_text(imported.status().message(),
                   str_cat("'w.bin' at offset 0: zstd: expected a frame that holds ", size,
                           " bytes, found one that says 4096")));
  }
}

TEST(external_data, one_frame_of_several_tensors_is_decoded_once) {
  const std::string folder = fresh_folder("tied");
  const std::string content(4096, 'z'), frame = *zstd_compress(as_bytes(content), 3);
  write_file(folder + "/w.bin", "ab" + frame);
  const auto place = external({{"location", "w.bin"},
                               {"offset", "2"},
                               {"length", str_cat(frame.size())},
                               {"compression", "zstd"}});
  write_file(folder + "/m.onnx",
             model_with({tensor("w", 2, {4096}, place), tensor("v", 2, {64, 64}, place)}));
  ThreadPool pool({.thread_count = 2});
  for (ThreadPool* threads : {&pool, static_cast<ThreadPool*>(nullptr)}) {
    ImportOptions options;
    options.pool = threads;
    const auto imported = import_model_file(folder + "/m.onnx", options);
    CHECK_OK(imported);
    CHECK_EQ(as_text(constant_of(**imported).tensor.bytes()), content);
    CHECK(constant_of(**imported, "v").tensor.data() == constant_of(**imported).tensor.data());
  }
}

TEST(external_data, decompression_stops_when_those_who_watch_stop_it) {
  const std::string folder = fresh_folder("stopped");
  const std::string frame = *zstd_compress(as_bytes(std::string(4096, 'z')), 3);
  write_file(folder + "/w.bin", frame);
  const std::string model = model_with({tensor(
      "w", 2, {4096},
      external(
          {{"location", "w.bin"}, {"length", str_cat(frame.size())}, {"compression", "zstd"}}))});
  ThreadPool pool({.thread_count = 2});
  ImportOptions options;
  options.external_data_folder = folder;
  options.pool = &pool;
  options.work = Work(nullptr, [] { return make_status(Code::kModelLoadCanceled, "stopped"); });
  CHECK_CODE(import_model_bytes(Blob::from_string(model), options), Code::kModelLoadCanceled);
}

TEST(external_data, another_compression_is_refused_by_name) {
  const std::string folder = fresh_folder("gzip");
  write_file(folder + "/w.bin", std::string(64, 'z'));
  write_file(folder + "/m.onnx",
             model_with({tensor(
                 "w", 2, {4096},
                 external({{"location", "w.bin"}, {"length", "64"}, {"compression", "gzip"}}))}));
  const auto imported = import_model_file(folder + "/m.onnx", {});
  CHECK_CODE(imported, Code::kNotImplemented);
  CHECK(has_text(imported.status().message(), "compression 'gzip', expected 'zstd'"));
}

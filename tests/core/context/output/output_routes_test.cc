// SPDX-License-Identifier: MIT
// Compiling on every route, to a file, to memory and to a stream: nothing of anybody else's is
// lost, and what was written together is read together. What does not end: whole_sets_test.cc.
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "core/context/external_initializers.h"
#include "core/context/source_identity.h"
#include "core/graph/export.h"
#include "core/platform/file_map.h"
#include "core/platform/file_store.h"
#include "tests/core/context/output/output_routes_testing.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

namespace {

// The same network with its weights in a file of its own.
std::string put_external_network(const std::string& folder, const std::string& name,
                                 const std::string& weights, unsigned seed = 1) {
  auto model = import_model_bytes(Blob::from_string(small_network(80, seed)), ImportOptions{});
  CHECK_OK(model);
  ExternalInitializers external(weights, 64);
  external.collect(*(*model)->graph);
  ExportOptions exporting;
  exporting.place_initializer = [&](const Graph&, const Value& value) {
    return external.place(value);
  };
  auto file = StagedFile::create(folder, weights);
  CHECK_OK(file);
  CHECK_OK(external.write_to(**file, Hash128{}));
  CHECK_OK((*file)->sync_and_close());
  CHECK_OK(rename_in_folder(folder, (*file)->staged_name(), weights));
  (*file)->release();
  std::string text;
  CHECK_OK(export_model(**model, exporting, [&](Bytes bytes) {
    text += as_text(bytes);
    return Status::ok();
  }));
  put_file(folder + "/" + name, text);
  return folder + "/" + name;
}

// "large.onnx": products, one behind the other; each weight begins with another number, and is a
// hole for the rest.
std::string put_large_network(const std::string& folder, int64_t count, int64_t bytes_each) {
  const auto width = static_cast<int64_t>(std::sqrt(static_cast<double>(bytes_each) / 4));
  const int64_t size = width * width * 4;
  wire::Texts nodes, tensors;
  std::string value = "x";
  fs::remove(folder + "/w.data");
  put_file(folder + "/w.data", "");
  fs::resize_file(folder + "/w.data", static_cast<uintmax_t>(count * size));
  std::fstream weights(folder + "/w.data", std::ios::in | std::ios::out | std::ios::binary);
  for (int64_t i = 0; i < count; ++i) {
    const std::string result = i + 1 == count ? "y" : str_cat("m", i);
    nodes.push_back(wire::node("MatMul", {value, str_cat("w", i)}, {result}));
    tensors.push_back(wire::tensor(
        str_cat("w", i), 1, {width, width},
        wire::external(
            {{"location", "w.data"}, {"offset", str_cat(i * size)}, {"length", str_cat(size)}})));
    weights.seekp(i * size).put(static_cast<char>(i + 1));
    value = result;
  }
  CHECK(weights.good());
  weights.close();
  put_file(folder + "/large.onnx",
           wire::model(wire::graph(nodes, {wire::value("x", 1, {1, width})},
                                   {wire::value("y", 1, {1, width})}, tensors)));
  return folder + "/large.onnx";
}

// What is read of mapped files becomes resident.
int64_t peak_resident_bytes() {
  rusage usage;
  CHECK_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  return usage.ru_maxrss * 1024;
}

// Whether anything of the stage was done.
struct CompileWatch {
  bool has_compiled = false;
  double begin = -1;

  MakingLimits limits() {
    MakingLimits limits;
    limits.progress = [this](std::string_view stage, std::string_view, double fraction) {
      if (stage != "compile") return Status::ok();
      if (begin < 0) begin = fraction;
      has_compiled |= fraction > begin;
      return Status::ok();
    };
    return limits;
  }
};

}  // namespace

TEST(output_routes, never_write_over_the_source_or_its_weights) {
  const std::string folder = next_folder();
  const std::string source = put_external_network(folder, "s.onnx", "w.onnx.data");
  const std::string weights = get_file(folder + "/w.onnx.data"), model = get_file(source);
  check_refused(compile(source, folder + "/o.onnx", "w.onnx.data"), "the source model reads it");
  check_refused(compile(source, source), "it is the source model");
  std::string out;
  check_refused(compile_to_stream(source, folder, &out, "w.onnx.data"), "the source model reads");
  CHECK(out.empty());
  // Weights that happen to be called as the binary would be.
  const std::string other = put_external_network(folder, "e.onnx", "e_aot.bin");
  const std::string kept = get_file(folder + "/e_aot.bin");
  check_refused(compile(other, folder + "/e_ctx.onnx"), "the source model reads it");
  CHECK(get_file(folder + "/w.onnx.data") == weights);
  CHECK(get_file(source) == model);
  CHECK(get_file(folder + "/e_aot.bin") == kept);
  CHECK_EQ(names_in(folder).size(), 4u);
}

TEST(output_routes, never_write_over_the_initializers_of_another_model) {
  const std::string folder = next_folder();
  CHECK_OK(compile(put_network(folder, "a.onnx"), folder + "/a_ctx.onnx", "w.bin"));
  const auto before = result_of(load(folder + "/a_ctx.onnx"));
  const std::string second = put_network(folder, "b.onnx", 9);
  check_refused(compile(second, folder + "/b_ctx.onnx", "w.bin"), "a_ctx.onnx");
  CHECK(same_bits(result_of(load(folder + "/a_ctx.onnx")), before));
  // The set itself may be written again.
  CHECK_OK(compile(second, folder + "/a_ctx.onnx", "w.bin"));
  CHECK(!same_bits(result_of(load(folder + "/a_ctx.onnx")), before));
}

TEST(output_routes, never_stream_a_model_whose_binary_is_another_models) {
  const std::string folder = next_folder();
  CHECK_OK(compile(put_network(folder), folder + "/m_ctx.onnx"));
  const auto before = result_of(load(folder + "/m_ctx.onnx"));
  std::string out;
  const std::string second = put_network(folder, "b.onnx", 9);
  check_refused(compile_to_stream(second, folder, &out), "m_ctx.onnx");
  check_refused(compile_to_stream(second, folder, &out, {}, false, kErrorIfOutputExists),
                "exists already");
  CHECK(out.empty());
  CHECK(same_bits(result_of(load(folder + "/m_ctx.onnx")), before));
}

TEST(output_routes, to_memory_need_no_folder_for_an_embedded_context) {
  const std::string folder = next_folder();
  const std::string source = put_network(folder);
  CHECK_EQ(setenv("TMPDIR", (folder + "/none").c_str(), 1), 0);
  std::string out;
  CHECK_OK(compile_to_stream(source, "", &out, {}, /*embed=*/true));
  CHECK_EQ(unsetenv("TMPDIR"), 0);
  CHECK_EQ(names_in(folder).size(), 1u);
  const auto environment = quiet_environment();
  CHECK(same_bits(result_of(Session::create(environment, memory_source(out),
                                            options_with(*environment, {"AOT"}))),
                  result_of(load(source))));
}

TEST(output_routes, to_memory_refuse_a_binary_without_a_folder_before_they_compile) {
  const auto environment = quiet_environment();
  CompileOptions options = options_for(environment, memory_source(small_network()));
  options.output_stream = ModelStream{};
  CompileWatch watch;
  const auto report = compile_to_output(environment, options, watch.limits());
  CHECK_CODE(report, Code::kInvalidArgument);
  CHECK(!watch.has_compiled);
}

// As ONNX Runtime has it: where the settings say, else beside the source.
TEST(output_routes, to_memory_put_the_binary_where_the_model_would_be) {
  const std::string folder = next_folder(), other = next_folder();
  const auto environment = quiet_environment();
  CompileOptions options = options_for(environment, file_source(put_network(folder)));
  std::string out;
  options.output_stream = ModelStream{nullptr, [&](Bytes piece) {
                                        out += as_text(piece);
                                        return Status::ok();
                                      }};
  options.external_initializers = "w.bin";
  const auto expected = result_of(load(folder + "/m.onnx"));
  CHECK_OK(compile_to_output(environment, options));
  CHECK((names_in(folder) == Names{"m.onnx", "m_aot.bin", "w.bin"}));
  CHECK(same_bits(result_of(load_from_memory(out, folder)), expected));

  out.clear();
  CHECK_OK(options.session.set("ep.context_file_path", other + "/x_ctx.onnx"));
  options.input = memory_source(get_file(folder + "/m.onnx"));
  CHECK_OK(compile_to_output(environment, options));
  CHECK((names_in(other) == Names{"w.bin", "x_aot.bin"}));
  CHECK(same_bits(result_of(load_from_memory(out, other)), expected));
}

// What another model reads stays, as it does when the model goes to a file.
TEST(output_routes, to_memory_replace_no_binary_of_another_model_beside_the_source) {
  const std::string folder = next_folder();
  const std::string source = put_network(folder);
  CHECK_OK(compile(source, folder + "/m_ctx.onnx"));
  const std::string before = get_file(folder + "/m_aot.bin");
  const auto environment = quiet_environment();
  CompileOptions options = options_for(environment, file_source(source));
  options.output_stream = ModelStream{nullptr, [](Bytes) { return Status::ok(); }};
  check_refused(compile_to_output(environment, options).status(), "m_ctx.onnx");
  CHECK_EQ(get_file(folder + "/m_aot.bin"), before);
}

TEST(output_routes, to_memory_from_memory_have_no_folder_for_initializers_either) {
  const auto environment = quiet_environment();
  CompileOptions options = options_for(environment, memory_source(small_network()));
  options.output_stream = ModelStream{};
  options.external_initializers = "w.bin";
  options.embed = true;
  const auto report = compile_to_output(environment, options);
  CHECK_CODE(report, Code::kInvalidArgument);
  check_says(report.status().message(), "no folder for the file of external initializers 'w.bin'");
}

// Sparse files as weights.
TEST(output_routes, refuse_a_model_beyond_2_gigabytes_before_they_compile) {
  const std::string folder = next_folder();
  const auto environment = quiet_environment();
  for (const int64_t count : {int64_t{1}, int64_t{10}}) {
    CompileOptions options = options_for(
        environment, file_source(put_large_network(folder, count, 2'500'000'000 / count)));
    options.output_path = folder + "/large_ctx.onnx";
    options.embed = true;
    const int64_t resident_before = peak_resident_bytes();
    CompileWatch watch;
    const auto report = compile_to_output(environment, options, watch.limits());
    check_refused(report.status(), "no embed mode");
    check_refused(report.status(), "external file");
    CHECK(!watch.has_compiled);
    // Initializers in a file do not help: these are the context's.
    options.external_initializers = "w.bin";
    check_refused(compile_to_output(environment, options).status(), "no embed mode");
    // The same without a provider that would take the weights out of the model.
    options.session.providers.clear();
    options.external_initializers.clear();
    options.embed = false;
    check_refused(compile_to_output(environment, options).status(), "external file");
    CHECK(peak_resident_bytes() - resident_before < int64_t{64} << 20);
    CHECK_EQ(names_in(folder).size(), 2u);
  }
}

TEST(output_routes, put_initializers_into_a_folder_beneath) {
  const std::string folder = next_folder();
  const std::string source = put_network(folder);
  CHECK_OK(compile(source, folder + "/m_ctx.onnx", "deep/er/w.bin"));
  CHECK(fs::exists(folder + "/deep/er/w.bin"));
  const auto made = result_of(load(folder + "/m_ctx.onnx"));
  std::string out;
  fs::remove(folder + "/m_ctx.onnx");
  CHECK_OK(compile_to_stream(source, folder, &out, "deep/er/w.bin"));
  CHECK(same_bits(result_of(load_from_memory(out, folder)), made));
}

TEST(output_routes, make_models_that_know_their_initializers_again) {
  const std::string folder = next_folder(), other = next_folder();
  CHECK_OK(compile(put_network(folder), folder + "/m_ctx.onnx", "w.bin"));
  CHECK_OK(compile(put_network(other, "m.onnx", 9), other + "/m_ctx.onnx", "w.bin"));
  const std::string mine = get_file(folder + "/w.bin"), theirs = get_file(other + "/w.bin");
  CHECK_EQ(mine.size(), theirs.size());
  const auto verify = [&] {
    auto model = import_model_file(folder + "/m_ctx.onnx", ImportOptions{});
    CHECK_OK(model);
    auto files = ExternalFiles::of_model(folder + "/m_ctx.onnx", "", Access::kRead);
    return verify_external_initializers(**model, files);
  };
  CHECK_OK(verify());
  put_file(folder + "/w.bin", theirs);
  CHECK_CODE(load(folder + "/m_ctx.onnx"), Code::kInvalidGraph);
  CHECK(has_text(load(folder + "/m_ctx.onnx").status().message(), "generation"));
  put_file(folder + "/w.bin", mine + "more");
  CHECK(has_text(load(folder + "/m_ctx.onnx").status().message(),
                 str_cat("expected a file of ", mine.size(), " bytes, found ", mine.size() + 4)));
  std::string flipped = mine;
  flipped[3] = static_cast<char>(flipped[3] ^ 1);
  put_file(folder + "/w.bin", flipped);
  CHECK_OK(load(folder + "/m_ctx.onnx"));  // no byte of a tensor is read
  CHECK_CODE(verify(), Code::kInvalidGraph);
  put_file(folder + "/w.bin", mine);
  CHECK_OK(load(folder + "/m_ctx.onnx"));
}

TEST(output_routes, make_models_that_remember_their_source) {
  const std::string folder = next_folder();
  const std::string source = put_external_network(folder, "s.onnx", "w.data");
  CHECK_OK(compile(source, folder + "/s_ctx.onnx"));
  const auto model = import_model_file(folder + "/s_ctx.onnx", ImportOptions{}).value();
  const auto then = SourceIdentity::read(*model);
  CHECK(then.has_value());
  CHECK_EQ(then->name, "s.onnx");
  CHECK(then->hash == hash128(as_bytes(get_file(source))));
  CHECK_EQ(then->external_data_size, get_file(folder + "/w.data").size());
  const auto difference = [&] {
    const auto now = SourceIdentity::of_file(source);
    CHECK_OK(now);
    return then->difference(*now);
  };
  CHECK_EQ(difference(), "");
  put_file(folder + "/w.data", "shorter");
  CHECK(has_text(difference(), "external data have changed"));
  std::string text = get_file(source);
  text.back() = static_cast<char>(text.back() ^ 1);
  put_file(source, text);
  CHECK(has_text(difference(), "its bytes are not the same"));
  put_file(source, text + "x");
  CHECK(has_text(difference(), str_cat("now ", text.size() + 1)));
}

TEST(output_routes, share_one_map_of_external_weights_among_sessions) {
  const std::string folder = next_folder();
  const std::string source = put_external_network(folder, "s.onnx", "w.data");
  const auto maps_of = [](const std::string& path) {
    int count = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) count += has_text(line, path);
    return count;
  };
  const size_t files_before = FileStore::of_process().file_count();
  const auto read = [&] { return import_model_file(source, ImportOptions{}).value(); };
  const auto weights = [](const Model& model) {
    return model.graph->find_value("w1")->initializer->tensor.data();
  };
  const auto first = read(), second = read();
  CHECK_EQ(weights(*first), weights(*second));
  CHECK_EQ(FileStore::of_process().file_count(), files_before + 1);
  CHECK_EQ(maps_of(folder + "/w.data"), 1);
  // A file that takes its place is another one.
  fs::rename(folder + "/w.data", folder + "/old.data");
  put_external_network(folder, "s.onnx", "w.data", 5);
  const auto third = read();
  CHECK(weights(*third) != weights(*first));
  CHECK_EQ(FileStore::of_process().file_count(), files_before + 2);
}

TEST(output_routes, make_sets_that_load_through_links_into_a_cache) {
  const std::string folder = next_folder(), blobs = folder + "/blobs", snapshot = folder + "/snap";
  fs::create_directory(blobs);
  fs::create_directory(snapshot);
  CHECK_OK(compile(put_network(folder), folder + "/m_ctx.onnx", "w.bin"));
  const auto expected = result_of(load(folder + "/m_ctx.onnx"));
  for (const char* name : {"m_ctx.onnx", "m_aot.bin", "w.bin"}) {
    fs::rename(folder + "/" + name, blobs + "/" + std::string(name) + "-hash");
    fs::create_symlink("../blobs/" + std::string(name) + "-hash", snapshot + "/" + name);
  }
  CHECK(same_bits(result_of(load(snapshot + "/m_ctx.onnx")), expected));
  // Only the model is linked: its files are beside the one it leads to.
  const std::string lone = next_folder(), real = next_folder();
  CHECK_OK(compile(folder + "/m.onnx", real + "/m_ctx.onnx", "w.bin"));
  fs::create_symlink(real + "/m_ctx.onnx", lone + "/link.onnx");
  CHECK(same_bits(result_of(load(lone + "/link.onnx")), expected));
  // A binary elsewhere stays out of reach.
  fs::remove(snapshot + "/m_aot.bin");
  fs::create_symlink(real + "/m_aot.bin", snapshot + "/m_aot.bin");
  CHECK_CODE(load(snapshot + "/m_ctx.onnx"), Code::kInvalidGraph);
}

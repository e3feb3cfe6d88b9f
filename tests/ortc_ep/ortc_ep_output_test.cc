// SPDX-License-Identifier: MIT
// The binaries that libortc_ep.so writes: which models of a group they belong to, and which
// generation they are of.
#include <unistd.h>

#include "ort_c/ort_api.h"
#include "providers/ortc_ep/context_output.h"
#include "tests/ortc_ep/ep_models.h"
#include "tests/ortc_ep/host_runtime.h"

using namespace ortc;
using namespace ortc::ort_ep;
using namespace ortc::test;

namespace {

ContextFile::Place place_in(const std::string& folder, const std::string& model) {
  ContextFile::Place place;
  place.model_path = folder + model;
  place.file_name = "a_aot.bin";
  return place;
}

ContextBinaryWriter::Options writer_options() {
  ContextBinaryWriter::Options options;
  options.file_name = "a_aot.bin";
  options.provider = "AotExecutionProvider";
  options.target = "x86-64-v2";
  return options;
}

std::string generation_of(const std::string& made_with, bool is_shared) {
  static int count = 0;
  auto place = place_in(fresh_folder(str_cat("generation_", count++)), "a_ctx.onnx");
  place.made_with = made_with;
  return ContextFile::create(place, writer_options(), is_shared).value()->generation().value();
}

// Two networks with one weight.
void write_network(const std::string& path, const std::string& activation) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {-1, 64});
  const ValueId product = g.node("MatMul", {x, g.random_floats("w", {64, 64}, 5)}, {"p"})[0];
  g.output(g.node(activation, {product}, {"y"})[0]);
  write_whole_file(path, g.model_bytes());
}

}  // namespace

TEST(ortc_ep_output, refuses_a_function_of_the_program_for_the_context_of_a_group) {
  const std::string folder = fresh_folder("function");
  ContextGroup group;
  CHECK_OK(group.join(place_in(folder, "a_ctx.onnx"), writer_options()));
  auto other = place_in(folder, "b_ctx.onnx");
  other.write = [](const std::string&, Bytes) { return Status::ok(); };
  CHECK_CODE(group.join(other, writer_options()), Code::kNotImplemented);
  ContextGroup first;
  CHECK_CODE(first.join(other, writer_options()), Code::kNotImplemented);
  CHECK_OK(first.publish());
}

TEST(ortc_ep_output, gives_a_group_another_generation_for_other_options) {
  for (const bool is_shared : {false, true}) {
    CHECK_EQ(generation_of("weights=model", is_shared), generation_of("weights=model", is_shared));
  }
  CHECK(generation_of("weights=model", true) != generation_of("weights=int4", true));
}

TEST(ortc_ep_output, takes_no_binary_that_was_made_with_other_options) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("options_", host->label()));
    write_network(folder + "m.onnx", "Relu");
    const std::string plain = folder + host->binary("plain"), output = folder + "plain_ctx.onnx";
    CHECK(host->compile(folder + "m.onnx", output, false).is_ok());
    CHECK(host->compile(folder + "m.onnx", folder + "small_ctx.onnx", false, {{"weights", "int4"}})
              .is_ok());
    const std::string own = read_whole_file(plain);
    write_whole_file(plain, read_whole_file(folder + host->binary("small")));
    CHECK(host->load(output, host->options()).told.has(ORT_INVALID_GRAPH, "generation"));
    write_whole_file(plain, own);
    CHECK(host->load(output, host->options()).told.is_ok());
  }
}

TEST(ortc_ep_output, replaces_all_of_a_group_that_is_compiled_again_in_place) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("group_", host->label()));
    write_network(folder + "a.onnx", "Relu");
    write_network(folder + "b.onnx", "Tanh");
    const Tensor x = floats({2, 64}, 3);
    for (int round = 0; round < 2; ++round) {
      for (const std::string name : {"a", "b"}) {
        KeyValues entries = {{"ep.share_ep_contexts", "1"}};
        if (name == "b") entries["ep.stop_share_ep_contexts"] = "1";
        CHECK(host->compile(folder + name + ".onnx", folder + name + "_ctx.onnx", false, entries)
                  .is_ok());
      }
      for (const std::string name : {"a", "b"}) {
        const auto session = host->load(folder + name + "_ctx.onnx", host->options());
        CHECK(same_bits(host->run(session, {x}),
                        expected_of(read_whole_file(folder + name + ".onnx"), {x})));
      }
    }
  }
}

TEST(ortc_ep_output, keeps_the_binary_of_a_group_whose_last_model_fails) {
  for (const auto& host : host_runtimes()) {
    const std::string folder = fresh_folder(str_cat("kept_", host->label()));
    const std::string binary = folder + host->binary("a");
    write_network(folder + "a.onnx", "Relu");
    write_network(folder + "b.onnx", "Tanh");
    write_whole_file(folder + "broken.onnx", std::string(100, '\xff'));
    const auto compile = [&](const std::string& source, const std::string& output, bool is_last) {
      KeyValues entries = {{"ep.share_ep_contexts", "1"}};
      if (is_last) entries["ep.stop_share_ep_contexts"] = "1";
      return host->compile(folder + source + ".onnx", output, false, entries);
    };
    const std::string a = folder + "a_ctx.onnx", b = folder + "b_ctx.onnx";
    CHECK(compile("a", a, true).is_ok());
    const std::string bytes = read_whole_file(binary);
    CHECK(compile("b", a, false).is_ok());
    CHECK(compile("broken", b, true).code != ORT_OK);
    CHECK(read_whole_file(binary) == bytes);
    if (host->is_ort()) {  // which has written the other model
      CHECK(compile("a", b, true).is_ok());
      CHECK(read_whole_file(binary) != bytes);
      CHECK(host->load(b, host->options()).told.is_ok());
    } else {
      const std::string other = fresh_folder("kept_elsewhere");
      CHECK(compile("a", other + "a_ctx.onnx", false).is_ok());
      CHECK(compile("b", other + "b_ctx.onnx", true).is_ok());
    }
    CHECK(host->load(a, host->options()).told.is_ok());
  }
}

TEST(ortc_ep_output, replaces_no_binary_that_a_model_outside_of_the_group_reads) {
  const std::string folder = fresh_folder("stranger");
  const HostRuntime& host = *host_runtimes().front();
  write_network(folder + "m.onnx", "Relu");
  CHECK(host.compile(folder + "m.onnx", folder + "a_ctx.onnx", false).is_ok());
  write_whole_file(folder + "kept.onnx", read_whole_file(folder + "a_ctx.onnx"));
  ContextBinaryWriter::Options options = writer_options();
  options.file_name = host.binary("a");
  const auto place_of = [&](const std::string& model) {
    auto place = place_in(folder, model);
    place.file_name = options.file_name;
    return place;
  };
  ContextGroup group;
  for (const char* model : {"a_ctx.onnx", "b_ctx.onnx"}) {
    CHECK_OK(group.join(place_of(model), options));
  }
  CHECK_CODE(group.publish(), Code::kInvalidArgument);
  for (const bool replaces : {false, true}) {  // any model of the group may say so
    auto place = place_of(replaces ? "b_ctx.onnx" : "a_ctx.onnx");
    place.replace_shared = replaces;
    CHECK_OK(group.join(place, options));
  }
  CHECK_OK(group.publish());
}

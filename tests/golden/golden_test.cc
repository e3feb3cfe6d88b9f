// SPDX-License-Identifier: MIT
// Contexts of every released version load in this one and give the numbers they gave; broken ones
// are refused with what is wrong. tests/golden/make_golden.py writes those of the current version:
// with ORTC_WRITE_GOLDENS set, this program adds the compressed and the broken files.
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "core/context/binary_reader.h"
#include "core/context/binary_writer.h"
#include "core/context/inspect/inspect.h"
#include "core/platform/target_list.h"
#include "tests/fuzz/seal_context.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

const char* const kCases[] = {"branches", "bytes", "image", "text"};

fs::path golden_folder() { return fs::path(source_dir()) / "tests/golden"; }

std::vector<fs::path> versions() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(golden_folder())) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<Tensor> run_golden(const fs::path& model, const Tensor& input) {
  const auto environment = quiet_environment();
  const auto session = Session::create(environment, file_source(model.string()),
                                       options_with(*environment, {"AOT"}));
  CHECK_OK(session);
  return run_all(**session, {input});
}

// What was compiled for more than this processor has is refused.
bool is_refused_here(const fs::path& model) {
  const auto environment = quiet_environment();
  const auto session = Session::create(environment, file_source(model.string()),
                                       options_with(*environment, {"AOT"}));
  if (session.is_ok()) return false;
  CHECK_CODE(session, Code::kFail);
  CHECK(session.status().message().find("which this machine") != std::string::npos);
  return true;
}

// Of kSeveralTargets.
bool has_one_of_several_here() {
  return host_architecture() == Architecture::kAarch64 || host_isa() >= Isa::kAvx2;
}

std::string inspected(const fs::path& file) {
  const auto environment = quiet_environment();
  const auto json =
      inspect_file(file.string(), {.details = true, .verify_data = true}, environment->providers());
  CHECK_OK(json);
  return *json;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A context binary with one thing wrong. `sealed`: its checksums are right all the same.
struct Wound {
  const char* name;
  const char* message;
  bool sealed;
  void (*make)(std::string& bytes);
};

ContextHeader& header_of(std::string& bytes) {
  return *reinterpret_cast<ContextHeader*>(bytes.data());
}
MetadataHeader& metadata_of(std::string& bytes) {
  return *reinterpret_cast<MetadataHeader*>(bytes.data() + header_of(bytes).metadata_offset);
}
ContextTensorRecord& first_tensor_of(std::string& bytes) {
  return *reinterpret_cast<ContextTensorRecord*>(bytes.data() + header_of(bytes).metadata_offset +
                                                 metadata_of(bytes).tensors.offset);
}

constexpr Wound kWounds[] = {
    {"truncated", "bytes, found", false, [](std::string& b) { b.resize(b.size() - 64); }},
    {"cut_within_the_first_page", "expected at least 4096 bytes", false,
     [](std::string& b) { b.resize(1000); }},
    {"flipped_bit_in_the_header", "first page is damaged", false,
     [](std::string& b) { b[150] ^= 4; }},
    {"flipped_bit_in_the_metadata", "metadata are damaged", false,
     [](std::string& b) { b[4096 + 100] ^= 4; }},
    {"converted_line_ends", "transferred as text", false,
     [](std::string& b) { b.erase(b.find('\r'), 1); }},
    {"format_before_1.0", "compile the model again", false,
     [](std::string& b) { b.replace(0, 8, kOldContextMark); }},
    {"next_major_version", "format 2.0", true, [](std::string& b) { header_of(b).major = 2; }},
    {"needs_several_targets", "has no list of them", true,
     [](std::string& b) { header_of(b).required_features = 1 << 1; }},
    {"needs_signature", "it needs 'signature'", true,
     [](std::string& b) { header_of(b).required_features = 1 << 2; }},
    {"needs_encryption", "it needs 'encryption'", true,
     [](std::string& b) { header_of(b).required_features = 1 << 3; }},
    {"needs_weights_elsewhere", "it needs 'weights-elsewhere'", true,
     [](std::string& b) { header_of(b).required_features = 1 << 4; }},
    {"needs_an_unknown_feature", "it needs feature 40", true,
     [](std::string& b) { header_of(b).required_features = uint64_t{1} << 40; }},
    {"tensor_beyond_the_end", "lies outside the file", true,
     [](std::string& b) {
       first_tensor_of(b).offset = b.size();
       first_tensor_of(b).size = 64;
       first_tensor_of(b).stored_size = 64;
     }},
    {"tensor_of_an_unknown_codec", "its codec is 9", true,
     [](std::string& b) { first_tensor_of(b).codec = 9; }},
    {"frame_that_promises_too_much", "cannot give", true,
     [](std::string& b) {
       header_of(b).required_features = 1;
       first_tensor_of(b).codec = 1;
       first_tensor_of(b).size = uint64_t{1} << 50;
     }},
    {"more_graphs_in_the_header", "counts 9 graphs", true,
     [](std::string& b) { header_of(b).graph_count = 9; }},
    {"kernels_of_another_fingerprint", "fingerprint", true,
     [](std::string& b) { header_of(b).fingerprint.low ^= 1; }},
};

void write_broken(const fs::path& folder) {
  fs::create_directories(folder / "broken");
  const std::string whole = read_whole_file((folder / "branches_external_aot.bin").string());
  for (const Wound& wound : kWounds) {
    std::string bytes = whole;
    wound.make(bytes);
    if (wound.sealed) fuzz::seal_context(bytes);
    write_whole_file((folder / "broken" / (std::string(wound.name) + ".bin")).string(), bytes);
  }
}

constexpr char kSeveralTargets[] = "x86-64-v3;x86-64-v4;aarch64";

// The same graphs and the same generation, so that the same model goes with it, but for what it
// says of its target.
void write_again(const fs::path& folder, const std::string& name, const std::string& subfolder,
                 const std::string& target, int zstd_level) {
  fs::create_directories(folder / subfolder);
  const std::string file = name + "_external_aot.bin";
  const auto plain =
      ContextBinary::open(Blob::from_string(read_whole_file((folder / file).string())), file);
  CHECK_OK(plain);
  ContextBinaryWriter::Options options;
  options.embed = true;
  options.provider = (*plain)->header().provider;
  options.target = target.empty() ? (*plain)->header().target : target;
  options.zstd_level = zstd_level;
  ContextBinaryWriter writer(options);
  for (const std::string& graph_name : (*plain)->graph_names()) {
    const auto graph = (*plain)->graph(graph_name);
    CHECK_OK(graph);
    PlanImage image{graph->plan_image, {}};
    for (const Blob& bytes : graph->tensors) {
      image.tensors.push_back(Tensor::view(DType::kUint8, {static_cast<int64_t>(bytes.size())},
                                           bytes.bytes(), bytes.owner())
                                  .value());
    }
    CHECK_OK(writer.add_plan(graph_name, image));
  }
  const auto bytes = writer.cache_context();
  CHECK_OK(bytes);
  writer.set_generation((*plain)->header().generation);
  write_whole_file((folder / subfolder / file).string(), std::string(bytes->text()));
  std::string model = read_whole_file((folder / (name + "_external.onnx")).string());
  if (!target.empty()) {
    const size_t at = model.find("ep_compatibility_info.");
    CHECK(at != std::string::npos);
    model[at] = 'x';  // the binary says it
  }
  write_whole_file((folder / subfolder / (name + "_external.onnx")).string(), model);
}

// Before all tests, in the order of the file.
TEST(golden, are_completed_when_they_are_written) {
  const char* version = getenv("ORTC_WRITE_GOLDENS");
  if (version == nullptr) return;
  for (const char* name : kCases) {
    write_again(golden_folder() / version, name, "compressed", "", 19);
    write_again(golden_folder() / version, name, "several_targets", kSeveralTargets, 0);
  }
  write_broken(golden_folder() / version);
}

TEST(golden, every_version_loads_and_gives_its_numbers) {
  CHECK(!versions().empty());
  for (const fs::path& folder : versions()) {
    for (const std::string name : kCases) {
      const Tensor input = read_npy((folder / (name + ".x.npy")).string());
      const std::vector<Tensor> expected = {read_npy((folder / (name + ".y.npy")).string())};
      const fs::path several = folder / "several_targets" / (name + "_external.onnx");
      if (has_one_of_several_here()) {
        CHECK(all_near(run_golden(several, input), expected, 1e-4, 1e-5));
      }
      if (is_refused_here(folder / (name + "_external.onnx"))) continue;
      const auto external = run_golden(folder / (name + "_external.onnx"), input);
      CHECK(all_near(external, expected, 1e-4, 1e-5));
      CHECK(same_bits(external, run_golden(folder / (name + "_embedded.onnx"), input)));
      CHECK(same_bits(external,
                      run_golden(folder / "compressed" / (name + "_external.onnx"), input)));
    }
  }
}

TEST(golden, every_version_is_described) {
  for (const fs::path& folder : versions()) {
    for (const std::string name : kCases) {
      for (const char* file : {"_external.onnx", "_external_aot.bin", "_embedded.onnx"}) {
        const std::string text = inspected(folder / (name + file));
        CHECK(contains(text, "\"verdict\":\"optimal\"") ||
              contains(text, "\"verdict\":\"prefer_recompilation\"") ||
              contains(text, "which this machine"));
      }
      const std::string compressed =
          inspected(folder / "compressed" / (name + "_external_aot.bin"));
      CHECK(contains(compressed, "\"requires\":\"'zstd'\""));
      CHECK(contains(compressed, "\"data_verified\":true"));
      const std::string several =
          inspected(folder / "several_targets" / (name + "_external_aot.bin"));
      CHECK(contains(several, "\"requires\":\"'several-targets'\""));
      CHECK(contains(several, "\"targets\":[\"x86-64-v3\",\"x86-64-v4\",\"aarch64\"]"));
      CHECK(contains(several, "\"data_verified\":true"));
    }
  }
}

TEST(golden, sources_still_compile_to_the_same_numbers) {
  for (const fs::path& folder : versions()) {
    for (const std::string name : kCases) {
      const Tensor input = read_npy((folder / (name + ".x.npy")).string());
      const std::vector<Tensor> expected = {read_npy((folder / (name + ".y.npy")).string())};
      CHECK(all_near(run_golden(folder / (name + ".onnx"), input), expected, 1e-4, 1e-5));
    }
  }
}

TEST(golden, broken_ones_are_refused_with_what_is_wrong) {
  for (const fs::path& folder : versions()) {
    for (const Wound& wound : kWounds) {
      const fs::path file = folder / "broken" / (std::string(wound.name) + ".bin");
      const auto opened =
          ContextBinary::open(Blob::from_string(read_whole_file(file.string())), wound.name);
      CHECK_CODE(opened, Code::kInvalidGraph);
      if (!contains(opened.status().message(), wound.message)) {
        check_failed(__FILE__, __LINE__, opened.status().message());
      }
      CHECK(contains(inspected(file), "\"verdict\":\"broken\""));
    }
  }
}

}  // namespace

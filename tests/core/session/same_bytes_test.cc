// SPDX-License-Identifier: MIT
// Everything a compile writes, byte for byte, a hundred times with one thread and with two: the
// model, the binary, the initializers in a file, plain and compressed, and the model that embeds
// all. tools/check.sh large does the same with a model of real size, ORTC_SAME_BYTES_MODEL.
#include <cstdlib>
#include <set>

#include "core/base/hash.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/session_support.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int kCompilations = 100;

std::string source_path() {
  if (const char* given = std::getenv("ORTC_SAME_BYTES_MODEL")) return given;
  static const std::string path = [] {
    const std::string made = temp_dir() + "/m.onnx";
    put_file(made, small_network(40));
    return made;
  }();
  return path;
}

// Adds stay on the CPU provider, so that there are initializers for a file of their own.
Hash128 hash_of_compilation(int threads, bool embed, const char* compression) {
  const std::string folder = fresh_folder("out");
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}, threads));
  CHECK_OK(options.session.set("ep.aot.excluded_operators", "Add"));
  CHECK_OK(options.session.set("ep.context_compression", compression));
  CHECK_OK(options.session.set("ep.context_external_initializers_compression", compression));
  options.input = file_source(source_path());
  options.output_path = folder + "/m_ctx.onnx";
  options.embed = embed;
  if (!embed) {
    options.external_initializers = "w.bin";
    options.external_threshold = 64;
  }
  CHECK_OK(compile_to_output(environment, options));
  Hasher hasher;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename());
  }
  CHECK_EQ(names.size(), embed ? 1u : 3u);
  for (const std::string& name : names) hasher.add(name).add(get_file(folder + "/" + name));
  return hasher.finish();
}

void check_one_hash(bool embed, const char* compression) {
  std::set<std::string> hashes;
  for (int i = 0; i < kCompilations; ++i) {
    hashes.insert(hash_of_compilation(1 + i % 2, embed, compression).hex());
  }
  CHECK_EQ(hashes.size(), 1u);
}

}  // namespace

TEST(same_bytes, in_files) { check_one_hash(/*embed=*/false, "none"); }

TEST(same_bytes, in_compressed_files) { check_one_hash(/*embed=*/false, "zstd:3"); }

TEST(same_bytes, embedded) { check_one_hash(/*embed=*/true, "none"); }

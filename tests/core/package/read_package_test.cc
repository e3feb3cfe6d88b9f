// SPDX-License-Identifier: MIT
// Reading packages: what a manifest says, and manifests that somebody crafted.
#include <unistd.h>

#include "core/package/json_tree.h"
#include "core/package/package.h"
#include "tests/core/package/package_files.h"

using namespace ortc;
using namespace ortc::test;

namespace {

const std::string kDigits(64, 'a');

// The one variant of a package that can be read.
struct OneVariant {
  std::shared_ptr<const Package> package;
  const PackageVariant& variant;
  explicit OneVariant(const PackageFiles& files)
      : package(read_package(files.root()).value()),
        variant(package->components.at(0).variants.at(0)) {}
};

struct Hostile {
  const char* how;
  std::string manifest;
  Code code;
  const char* words;
};

void check_refused(const Hostile& row) {
  static PackageFiles files("hostile");
  files.manifest(row.manifest);
  const auto read = read_package(files.root());
  const auto complain = [&](const std::string& what) {
    check_failed(__FILE__, __LINE__, str_cat(row.how, ": ", what));
  };
  if (read.is_ok()) complain("it was taken");
  if (read.status().code() != row.code) complain(read.status().to_string());
  if (read.status().message().find(row.words) == std::string::npos) {
    complain(str_cat("expected '", row.words, "', found: ", read.status().message()));
  }
}

std::string nested(size_t depth) {
  return R"({"schema_version":"1.0","components":{},"additional_metadata":)" +
         std::string(depth, '[') + std::string(depth, ']') + "}";
}

}  // namespace

TEST(read_package, gives_what_the_manifest_says) {
  PackageFiles files("whole");
  files.folder("m/a")
      .folder("shared_assets/sha256-" + kDigits)
      .manifest(manifest_of(
          R"("v":{"variant_directory":"m/a","ep":"E","device":"cpu","compatibility_string":"c",)"
          R"("executor_info":{"ort":{"model_file":"model.onnx","session_options":{"k":"v"},)"
          R"("provider_options":{"p":"q"}},"other":{}}},"w":{})",
          R"("package_name":"n","description":"d","package_version":"2",)"));
  const auto read = read_package(files.root());
  CHECK(read.is_ok());
  const Package& package = **read;
  CHECK_EQ(package.name, "n");
  CHECK_EQ(package.version, "2");
  CHECK_EQ(package.description, "d");
  CHECK_EQ(package.schema_major, 1);
  CHECK_EQ(package.assets.size(), size_t{1});
  CHECK_EQ(package.assets[0].uri, "sha256:" + kDigits);
  const PackageVariant& variant = package.components.at(0).variants.at(0);
  CHECK_EQ(*variant.provider, "E");
  CHECK_EQ(*variant.device, "cpu");
  CHECK_EQ(*variant.compatibility, "c");
  CHECK_EQ(variant.folder, files.path("m/a"));
  CHECK_EQ(variant.model_path, files.path("m/a/model.onnx"));
  CHECK_EQ(variant.session_options, (OrderedOptions{{"k", "v"}}));
  CHECK_EQ(variant.provider_options, (OrderedOptions{{"p", "q"}}));
  const PackageVariant& bare = package.components[0].variants.at(1);
  CHECK(!bare.provider && bare.folder.empty() && bare.model_path.empty());
}

TEST(read_package, reads_components_and_executors_from_files_of_their_own) {
  PackageFiles files("external");
  files.file("dec/component.json",
             R"({"component_name":"x","variants":{"v":{"executor_info":{"ort":"info.json"}}}})");
  files.file("dec/v/info.json", R"({"model_file":"m.onnx"})");
  files.manifest(R"({"schema_version":1,"components":{"decoder":"dec"}})");
  const OneVariant one(files);
  CHECK_EQ(one.package->components[0].name, "decoder");
  CHECK_EQ(one.variant.model_path, files.path("dec/v/m.onnx"));
}

TEST(read_package, resolves_options_that_are_paths) {
  PackageFiles files("options");
  files.folder("v/weights").folder("shared_assets/sha256-" + kDigits);
  const std::string key = "session.model_external_initializers_file_folder_path";
  files.manifest(manifest_of(R"("v":{"executor_info":{"ort":{"session_options":{")" + key +
                             R"(":"weights","ep.context_file_path":"sha256:)" + kDigits +
                             R"(/c.onnx"}}}})"));
  const OneVariant one(files);
  CHECK_EQ(one.variant.session_options.at(0).second, files.path("v/weights"));
  CHECK_EQ(one.variant.session_options.at(1).second,
           files.path("shared_assets/sha256-" + kDigits + "/c.onnx"));
}

TEST(read_package, takes_unknown_members_of_a_later_minor_version_only) {
  PackageFiles files("minor");
  files.manifest(R"({"schema_version":"1.7","components":{},"new":1})");
  CHECK(read_package(files.root()).is_ok());
  files.manifest(R"({"schema_version":"1.0","components":{},"new":1})");
  CHECK_EQ(read_package(files.root()).status().code(), Code::kInvalidGraph);
}

TEST(read_package, lets_only_an_installed_package_look_outside) {
  PackageFiles files("layouts");
  const std::string outside = path_folder(files.root());
  const std::string variant = R"("v":{"variant_directory":")" + outside + R"("})";
  files.manifest(manifest_of(variant, R"("layout":"installed",)"));
  CHECK_EQ(OneVariant(files).variant.folder, outside);
  files.manifest(manifest_of(variant));
  CHECK_EQ(read_package(files.root()).status().code(), Code::kInvalidGraph);
}

TEST(read_package, follows_no_link_out_of_a_portable_package) {
  PackageFiles files("links");
  CHECK_EQ(symlink("..", files.path("up").c_str()), 0);
  files.manifest(manifest_of(R"("v":{"variant_directory":"up"})"));
  const auto folder = read_package(files.root());
  CHECK_EQ(folder.status().code(), Code::kInvalidGraph);
  CHECK(folder.status().message().find("leads out of the package") != std::string::npos);
  // Nor is what lies behind one an asset.
  CHECK_EQ(symlink("..", files.path("shared_assets").c_str()), 0);
  files.manifest(manifest_of(R"("v":{"executor_info":{"ort":{"model_file":"up/x.onnx"}}})"));
  CHECK_EQ(read_package(files.root()).status().code(), Code::kInvalidGraph);
}

TEST(read_package, says_what_is_not_there) {
  CHECK_EQ(read_package("/nowhere/at/all").status().code(), Code::kNoSuchFile);
  PackageFiles files("nothing");
  CHECK_EQ(read_package(files.root()).status().code(), Code::kNoSuchFile);
  files.file("f", "x");
  CHECK_EQ(read_package(files.path("f")).status().code(), Code::kInvalidArgument);
}

TEST(read_package, refuses_what_was_crafted) {
  const std::string long_text(kJsonBytesMax + 1, ' ');
  const std::string head = R"({"schema_version":"1.0","components":)";
  const Hostile rows[] = {
      {"no text", "", Code::kInvalidGraph, "no JSON"},
      {"half a text", R"({"schema_version")", Code::kInvalidGraph, "line 1"},
      {"the place", "{\n\n\"a\" 1}", Code::kInvalidGraph, "line 3"},
      {"bytes that are not UTF-8", "{\"\xff\":1}", Code::kInvalidGraph, "no JSON"},
      {"an array", "[]", Code::kInvalidGraph, "it is an array, expected an object"},
      {"no version", R"({"components":{}})", Code::kInvalidGraph, "'schema_version' is missing"},
      {"no number", R"({"schema_version":"x"})", Code::kInvalidGraph, "is 'x', expected"},
      {"three numbers", R"({"schema_version":"1.0.0"})", Code::kInvalidGraph, "<major>.<minor>"},
      {"a fraction", R"({"schema_version":1.5})", Code::kInvalidGraph, "a number"},
      {"a number beyond all", R"({"schema_version":"99999999999999999999"})", Code::kInvalidGraph,
       "<major>.<minor>"},
      {"another version", R"({"schema_version":"2.0"})", Code::kNotImplemented, "reads 1.x"},
      {"no components", R"({"schema_version":"1.0"})", Code::kInvalidGraph, "'components'"},
      {"components of another kind", head + "[]}", Code::kInvalidGraph, "an array"},
      {"a component of another kind", head + R"({"m":3}})", Code::kInvalidGraph,
       "component 'm': it is a number"},
      {"no variants", head + R"({"m":{}}})", Code::kInvalidGraph, "'variants' is missing"},
      {"an unknown member", head + R"({},"typo":1})", Code::kInvalidGraph, "'typo'"},
      {"a member twice", R"({"schema_version":"1.0","schema_version":"1.0"})", Code::kInvalidGraph,
       "'schema_version' twice"},
      {"a layout", head + R"({},"layout":"loose"})", Code::kInvalidGraph, "'loose'"},
      {"a zero byte", head + R"({"a\u0000b":{"variants":{}}}})", Code::kInvalidGraph, "zero byte"},
      {"too deep", nested(64), Code::kInvalidGraph, "nested more than 64"},
      {"far too deep", nested(1'000'000), Code::kInvalidGraph, "nested more than 64"},
      {"too long", long_text, Code::kInvalidGraph, "bytes, expected at most"},
      {"a component that is not there", head + R"({"m":"gone"}})", Code::kInvalidGraph,
       "is not there"},
      {"a component outside", head + R"({"m":"../x"}})", Code::kInvalidGraph, "'..'"},
      {"an absolute component", head + R"({"m":"/etc"}})", Code::kInvalidGraph, "is absolute"},
      {"a drive", head + R"({"m":"C:\\x"}})", Code::kInvalidGraph, "is absolute"},
      {"a folder outside", manifest_of(R"("v":{"variant_directory":"a/../.."})"),
       Code::kInvalidGraph, "variant 'v': 'variant_directory': 'a/../..'"},
      {"a folder that is not there", manifest_of(R"("v":{"variant_directory":"a"})"),
       Code::kInvalidGraph, "is not there"},
      {"a variant whose name climbs", manifest_of(R"("../v":{})"), Code::kInvalidGraph, "'..'"},
      {"a model outside",
       manifest_of(R"("v":{"executor_info":{"ort":{"model_file":"../../m.onnx"}}})"),
       Code::kInvalidGraph, "'model_file'"},
      {"a model of another kind", manifest_of(R"("v":{"executor_info":{"ort":{"model_file":[]}}})"),
       Code::kInvalidGraph, "'model_file' is an array, expected a text"},
      {"an asset that is not there",
       manifest_of(R"("v":{"executor_info":{"ort":{"model_file":"sha256:)" + kDigits + R"("}}})"),
       Code::kInvalidGraph, "no shared asset"},
      {"an option of another kind",
       manifest_of(R"("v":{"executor_info":{"ort":{"session_options":{"k":1}}}})"),
       Code::kInvalidGraph, "'session_options': 'k' is a number"},
      {"an executor of another kind", manifest_of(R"("v":{"executor_info":{"x":1}})"),
       Code::kInvalidGraph, "'executor_info': 'x'"},
      {"an asset's name", manifest_of("", R"("shared_assets":{"sha256:12":"x"},)"),
       Code::kInvalidGraph, "64 hexadecimal digits"},
      {"an asset outside",
       manifest_of("", R"("shared_assets":{"sha256:)" + kDigits + R"(":"/etc"},)"),
       Code::kInvalidGraph, "is absolute"},
      {"the tail of an asset climbs",
       manifest_of(
           R"("v":{"executor_info":{"ort":{"model_file":"sha256:)" + kDigits + R"(/../m.onnx"}}})",
           R"("shared_assets":{"sha256:)" + kDigits + R"(":"assets"},)"),
       Code::kInvalidGraph, "'..'"},
  };
  for (const Hostile& row : rows) check_refused(row);
}

TEST(json, bounds_the_number_of_values) {
  std::string text = "[";
  for (size_t i = 0; i < kJsonValuesMax; ++i) text += "1,";
  text += "1]";
  const auto tree = parse_json(as_bytes(text));
  CHECK_EQ(tree.status().code(), Code::kInvalidGraph);
  CHECK(tree.status().message().find("values") != std::string::npos);
}

TEST(read_package, a_file_counts_as_often_as_it_is_named) {
  PackageFiles files("again");
  const std::string body = R"({"model_file":"m.onnx"})";
  std::string variants;
  for (const char* name : {"a", "b", "c"}) {
    files.file("e/ort.json", body);
    variants += str_cat(variants.empty() ? "" : ",", "\"", name,
                        R"(":{"variant_directory":"e","executor_info":{"ort":"ort.json"}})");
  }
  files.manifest(manifest_of(variants));
  CHECK_EQ(read_package(files.root()).value()->components.at(0).variants.size(), size_t{3});
  files.file("e/ort.json", body + std::string(3 << 20, ' '));
  const auto read = read_package(files.root());
  CHECK_EQ(read.status().code(), Code::kInvalidGraph);
  CHECK(read.status().message().find("with 'e/ort.json' the package has more than") !=
        std::string::npos);
}

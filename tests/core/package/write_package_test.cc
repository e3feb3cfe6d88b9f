// SPDX-License-Identifier: MIT
// Writing packages: what is read again is what was given, and nothing appears of what fails.
#include "core/package/write_package.h"

#include "core/graph/export.h"
#include "core/package/verify_package.h"
#include "tests/core/package/package_files.h"
#include "tests/support/graph_builder.h"

using namespace ortc;
using namespace ortc::test;

namespace {

VariantSource variant_of(const std::string& name) {
  VariantSource variant;
  variant.component = "m";
  variant.variant = name;
  variant.model = source_dir() + "/tests/data/matmul.onnx";
  variant.provider = "E";
  return variant;
}

// A model with one weight in the file `name`.
std::string model_with_weight_in(const std::string& name) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, 8});
  g.output(g.node("MatMul", {x, g.random_floats("w", {8, 8}, 1)}, {"y"})[0]);
  Model model;
  model.graph = g.shared();
  model.opsets = g.graph().opsets();
  ExportOptions options;
  options.place_initializer = [&](const Graph&, const Value&) {
    return Result(std::optional(ExternalLocation{name, 0, 256}));
  };
  std::string bytes;
  CHECK_OK(export_model(model, options, [&](Bytes piece) {
    bytes.append(as_text(piece));
    return Status::ok();
  }));
  return bytes;
}

}  // namespace

TEST(write_package, is_read_as_it_was_given) {
  PackageFiles files("written");
  files.file("tokens/sub/t.txt", "a");
  PackageSource source;
  source.name = "n";
  source.description = "a \"text\"\n";
  source.variants = {variant_of("b"), variant_of("a")};
  source.variants[1].device = "cpu";
  source.variants[1].compatibility = "c;d";
  source.variants[1].session_options = {{"k", "v"}, {"j", "w"}};
  source.variants[1].provider_options = {{"p", "q"}};
  source.asset_folders = {files.path("tokens")};
  CHECK(write_package(source, files.path("pkg"), false).is_ok());

  const auto read = read_package(files.path("pkg"));
  CHECK(read.is_ok());
  const Package& package = **read;
  CHECK_EQ(package.name, source.name);
  CHECK_EQ(package.description, source.description);
  const PackageComponent& component = package.components.at(0);
  CHECK_EQ(component.variants.at(0).name, "b");
  const PackageVariant& variant = component.variants.at(1);
  CHECK_EQ(variant.name, "a");
  CHECK_EQ(*variant.device, "cpu");
  CHECK_EQ(*variant.compatibility, "c;d");
  CHECK_EQ(variant.session_options, source.variants[1].session_options);
  CHECK_EQ(variant.provider_options, source.variants[1].provider_options);
  CHECK_EQ(variant.model_path, files.path("pkg/m/a/matmul.onnx"));
  CHECK(path_exists(variant.model_path));
  CHECK_EQ(package.assets.size(), size_t{1});
  CHECK(path_exists(package.assets[0].path + "/sub/t.txt"));
  CHECK_EQ(package.file_hashes.size(), size_t{2});
  CHECK(verify_package(package).find("\"verdict\":\"sound\"") != std::string::npos);
}

TEST(write_package, gives_the_same_bytes_again) {
  PackageFiles files("again");
  PackageSource source;
  source.variants = {variant_of("a")};
  CHECK(write_package(source, files.path("one"), false).is_ok());
  CHECK(write_package(source, files.path("two"), true).is_ok());
  std::ifstream one(files.path("one/manifest.json")), two(files.path("two/manifest.json"));
  const std::string first(std::istreambuf_iterator<char>(one), {});
  CHECK(!first.empty());
  CHECK_EQ(first, std::string(std::istreambuf_iterator<char>(two), {}));
}

TEST(write_package, takes_weights_whose_name_begins_with_the_folder_itself) {
  PackageFiles files("here");
  files.file("w.data", std::string(256, '\0')).file("m.onnx", model_with_weight_in("./w.data"));
  PackageSource source;
  source.variants = {variant_of("a")};
  source.variants[0].model = files.path("m.onnx");
  CHECK_OK(write_package(source, files.path("pkg"), false));
  CHECK(path_exists(files.path("pkg/m/a/w.data")));
  const auto read = read_package(files.path("pkg"));
  CHECK_OK(read);
  CHECK(verify_package(**read).find("\"verdict\":\"sound\"") != std::string::npos);
}

TEST(write_package, names_the_model_and_the_file_that_cannot_be_in_a_package) {
  PackageFiles files("detour");
  files.folder("sub").file("w.data", std::string(256, '\0'));
  PackageSource source;
  source.variants = {variant_of("a")};
  source.variants[0].model = files.path("m.onnx");
  for (const char* name : {"sub/../w.data", "gone.data"}) {
    files.file("m.onnx", model_with_weight_in(name));
    const auto told = write_package(source, files.path("pkg"), false);
    CHECK(!told.is_ok());
    const std::string text = told.status().to_string();
    CHECK(text.find("m.onnx' reads the file") != std::string::npos);
    CHECK(text.find(name) != std::string::npos);
  }
}

TEST(write_package, refuses_names_that_are_no_folders) {
  for (const char* name :
       {"", ".", "..", "a/b", ".hidden", "a b", "shared_assets", "manifest.json"}) {
    CHECK_EQ(check_package_name("variant", name).code(), Code::kInvalidArgument);
  }
  CHECK(check_package_name("variant", "x86-64-v4-avx512vnni_1.0").is_ok());
  CHECK(!check_package_name("variant", std::string(129, 'a')).is_ok());
}

TEST(write_package, leaves_nothing_of_what_fails) {
  PackageFiles files("fails");
  PackageSource source;
  CHECK_EQ(write_package(source, files.path("pkg"), false).status().code(), Code::kInvalidArgument);
  source.variants = {variant_of("a"), variant_of("a")};
  CHECK_EQ(write_package(source, files.path("pkg"), false).status().code(), Code::kInvalidArgument);
  source.variants[1] = variant_of("b");
  source.variants[1].model = files.path("gone.onnx");
  const auto gone = write_package(source, files.path("pkg"), false);
  CHECK_EQ(gone.status().code(), Code::kNoSuchFile);
  CHECK(gone.status().message().find("variant 'b' of component 'm'") != std::string::npos);
  source.variants.pop_back();
  source.asset_folders = {files.path("no_folder")};
  CHECK_EQ(write_package(source, files.path("pkg"), false).status().code(), Code::kNoSuchFile);
  CHECK(list_folder(files.root()).value().empty());
}

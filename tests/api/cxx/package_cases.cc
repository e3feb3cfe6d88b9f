// SPDX-License-Identifier: MIT
// ort_c/cxx: model packages, written, looked into and run.
#include <filesystem>
#include <fstream>

#include "tests/api/cxx/cxx_testing.h"

using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

// A package whose component "net" has matmul.onnx as "any" and compiled.
struct Written {
  Ort::Env env;
  Ort::SessionOptions aot = compiling_options();
  const fs::path folder = fs::path(temp_dir()) / "cxx_package";
  const fs::path root = folder / "pkg";
  std::string asset;

  Written() {
    fs::remove_all(folder);
    fs::create_directories(folder / "tokens");
    std::ofstream(folder / "tokens" / "t.txt") << "a";
    Ort::ModelCompilationOptions options(env, aot);
    options.SetInputModelPath(data("matmul.onnx")).SetOutputModelPath(folder / "m_ctx.onnx");
    Ort::ThrowOnError(Ort::CompileModel(env, options));
    Ort::KeyValuePairs info;
    info.Add("package_name", "pair");
    Ort::ModelPackageWriter writer(info);
    writer.AddVariant("net", "any", data("matmul.onnx"))
        .AddVariant("net", "compiled", folder / "m_ctx.onnx");
    asset = writer.AddSharedAsset(folder / "tokens");
    CHECK(has(writer.Write(root), "net/compiled/m_ctx.onnx"));
  }
};

void check_runs(const Ort::Session& session) {
  std::vector<float> ones(4, 1);
  Ort::Outputs outputs = session.run({{"x", Ort::Value::CreateTensor<float>(ones, {1, 4})}});
  CHECK_EQ(outputs["y"].GetTensorSpan<float>()[2], 26.0f);
}

}  // namespace

TEST(cxx_package, tells_what_it_has) {
  const Written of;
  Ort::ModelPackageContext package(of.root);
  CHECK_EQ(package.GetSchemaVersion(), 1);
  CHECK_EQ(package.GetComponentCount(), 1u);
  CHECK_EQ(package.GetComponentNames().at(0), "net");
  CHECK_EQ(package.GetVariantCount("net"), 2u);
  CHECK_EQ(package.GetVariantNames("net").at(1), "compiled");
  CHECK_EQ(std::string(package.GetVariantEpName("net", "compiled")), "AotExecutionProvider");
  CHECK(fs::exists(package.ResolveStringRef(nullptr, of.asset + "/t.txt")));
  CHECK(has(package.ResolveStringRef((of.root / "net").c_str(), "later.bin", false),
            "net/later.bin"));
  CHECK(has(package.VerifyJson(), "\"verdict\":\"sound\""));
  CHECK(!has(package.DescribeJson(), "\"selected\":\""));
  const Ort::ModelPackageOptions wanted(of.env, of.aot.GetConst());
  CHECK(has(package.DescribeJson(wanted), "\"selected\":\"compiled\""));
}

TEST(cxx_package, runs_the_variant_of_the_provider_when_it_is_gone_itself) {
  const Written of;
  const Ort::SessionOptions defaults;
  Ort::ModelPackageComponentContext plain(nullptr), compiled(nullptr);
  {
    const Ort::ModelPackageContext package(of.root);
    plain = package.SelectComponent("net", {of.env, defaults.GetConst()});
    compiled = package.SelectComponent("net", {of.env, of.aot.GetConst()});
  }
  CHECK_EQ(plain.GetSelectedVariantName(), "any");
  CHECK_EQ(compiled.GetSelectedVariantName(), "compiled");
  CHECK(has(compiled.GetSelectedVariantFolderPath(), "net/compiled"));
  check_runs(plain.CreateSession(of.env));
  check_runs(compiled.CreateSession(of.env, of.aot.GetConst()));
}

TEST(cxx_package, says_what_is_wrong) {
  const Written of;
  CHECK_THROWS(Ort::ModelPackageContext("nothing"), ORT_NO_SUCHFILE, "nothing");
  Ort::ModelPackageContext package(of.root);
  const Ort::ModelPackageOptions wanted(of.env, of.aot.GetConst());
  CHECK_THROWS(package.SelectComponent("other", wanted), ORT_INVALID_ARGUMENT, "it has 'net'");
  CHECK_THROWS(package.SelectComponent("net", Ort::ModelPackageOptions(nullptr)),
               ORT_INVALID_ARGUMENT, "options");
  CHECK_THROWS(package.ResolveStringRef("", "../x"), ORT_INVALID_ARGUMENT, "'..'");
  CHECK_THROWS(package.GetVariantEpName("net", "x"), ORT_INVALID_ARGUMENT, "it has 'any'");
  Ort::ModelPackageWriter writer;
  CHECK_THROWS(writer.Write(of.folder / "none"), ORT_INVALID_ARGUMENT, "needs a variant");
  CHECK_THROWS(writer.AddVariant("net", "x", "nothing.onnx"), ORT_NO_SUCHFILE, "nothing");
  CHECK_THROWS(writer.AddSharedAsset("nothing"), ORT_NO_SUCHFILE, "nothing");
  writer.AddVariant("net", "any", data("matmul.onnx"));
  CHECK_THROWS(writer.Write(of.root), ORT_FAIL, "exists already");
  CHECK_THROWS(Ort::ModelPackageContext(nullptr).GetComponentCount(), ORT_INVALID_ARGUMENT, "ctx");
}

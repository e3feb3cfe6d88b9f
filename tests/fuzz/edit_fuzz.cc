// SPDX-License-Identifier: MIT
// Fuzz target: what is done to compiled models without a session, for any files. An input is a
// model, perhaps with its binary behind a separator, as for inspect_fuzz. What an edit has written
// must open again.
#include "core/context/edit/edit_source.h"
#include "core/context/edit/edits.h"
#include "core/context/edit/expose_values.h"
#include "core/context/inspect/diff.h"
#include "core/session/session.h"
#include "tests/fuzz/fuzz_checks.h"
#include "tests/fuzz/seal_context.h"

using namespace ortc;
using ortc::fuzz::require;

namespace {

constexpr std::string_view kSeparator = "\n--binary--\n";

const ProviderRegistry& providers() {
  static const ProviderRegistry registry(built_in_providers());
  return registry;
}

EditOutput output_in(const fuzz::ScratchFolder& scratch, ContextForm form) {
  EditOutput output;
  output.path = (scratch.path() / "out" / "e_ctx.onnx").string();
  output.form = form;
  output.overwrite = true;
  return output;
}

void check(const Result<EditReport>& report, const EditOutput& output) {
  if (!report.is_ok()) return require(!report.status().message().empty());
  require(!report->files.empty());
  const auto again = EditSource::open(output.path, providers());
  require(again.is_ok());
}

void edit(const fuzz::ScratchFolder& scratch, const std::string& path) {
  const std::vector<std::string> twice = {path, path};
  for (const ContextForm form : {ContextForm::kEmbedded, ContextForm::kFiles}) {
    const EditOutput output = output_in(scratch, form);
    check(pack_model(path, output, providers()), output);
  }
  const EditOutput output = output_in(scratch, ContextForm::kAsItWas);
  check(merge_models(twice, {}, output, providers()), output);
  check(merge_models(twice, std::vector<std::string>{"1.y=2.x"}, output, providers()), output);
  check(prefix_model(path, "p_", output, providers()), output);
  auto source = EditSource::open(path, providers());
  if (source.is_ok()) {
    std::string node;
    const Status named = for_context_nodes(*source->model->graph, [&](Node& found) {
      node = found.name();
      return Status::ok();
    });
    require(named.is_ok());
    check(extract_context(path, node, output, providers()), output);
  }
  const auto difference = diff_files(path, path, providers());
  require(!difference.is_ok() || difference->find("\"equal\":true") != std::string::npos);
  const auto exposed = expose_values(path);
  require(exposed.is_ok() || !exposed.status().message().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path() / "out");
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find(kSeparator), input.size());
  std::string binary(input.substr(std::min(end + kSeparator.size(), input.size())));
  fuzz::seal_context(binary);
  scratch.write("m_aot.bin", binary);
  std::string model(input.substr(0, end));
  edit(scratch, scratch.write("m_ctx.onnx", model));
  fuzz::seal_context(model);
  edit(scratch, scratch.write("m_ctx.onnx", model));
  return 0;
}

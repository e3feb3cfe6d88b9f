// SPDX-License-Identifier: MIT
// Texts of ep_weight_sharing_ctx_gen: one table of options makes help and man page.
#include "tools/ep_weight_sharing_ctx_gen/texts.h"

#include "ort_c/env.h"
#include "tools/ortc/command_line/help.h"

namespace ortc::sharing_tool {
namespace {

constexpr const char* kName = "ep_weight_sharing_ctx_gen";
constexpr const char* kUsage = "[options] MODEL.onnx[,MODEL.onnx...]";
constexpr const char* kPurpose = "compile models into one context binary that they share";
constexpr const char* kAbout =
    "N models make N + 1 files beside their sources: a MODEL_ctx.onnx for each, and a context "
    "binary "
    "with the name of the first, which holds equal weights once. They appear together, with the "
    "last model, or not at all. Models must lie in one folder.";
constexpr const char* kElsewhere =
    "'ortc compile --share' does the same, and has an output folder, progress and reports.";
constexpr const char* kExample =
    "ep_weight_sharing_ctx_gen -e aot -i \"target|x86-64-v3\" ./model1.onnx,./model2.onnx";
constexpr const char* kExitCodes = "0 done, 1 failure, 255 wrong arguments, 130 stopped by Ctrl-C.";

const std::vector<tool::OptionGrammar>& options() {
  static const std::vector<tool::OptionGrammar> all = {
      {"-e", "NAME", "Execution provider that compiles (default aot)", {}},
      {"-i", "\"K|V K|V\"", "Options of the execution provider", {}},
      {"-C", "\"K|V K|V\"", "Session config entries; ep.context_file_path is ignored", {}},
      {"-p", "FILE.json", "A library of execution providers: not taken here", {}},
      {"-v", "", "Say what happens, on stderr", {}},
      {"-h, --help", "", "Explain this", {}},
      {"--man", "", "Print the man page", {}}};
  return all;
}

}  // namespace

std::string help_text() {
  std::string text = std::string("Usage: ") + kName + " " + kUsage + "\n\n" + kAbout + "\n\n";
  for (const tool::OptionGrammar& option : options()) {
    std::string left = "  " + option.names + (option.value.empty() ? "" : " " + option.value);
    left.resize(std::max<size_t>(left.size() + 1, 20), ' ');
    text += left + option.text + "\n";
  }
  return text + "\nExample:\n  " + kExample + "\n\n" + kElsewhere + "\nExit codes: " + kExitCodes +
         "\n";
}

std::string man_text() {
  return std::string(".TH EP_WEIGHT_SHARING_CTX_GEN 1 \"\" \"ortc ") + OrtGetVersionString() +
         "\"\n.SH NAME\n" + kName + " \\- " + tool::roff(kPurpose) + "\n.SH SYNOPSIS\n.B " + kName +
         "\n" + tool::roff(kUsage) + "\n.SH DESCRIPTION\n" + tool::roff(kAbout) + "\n.PP\n" +
         tool::roff(kElsewhere) + "\n.SH OPTIONS\n" + tool::man_options(options()) +
         ".SH EXAMPLE\n.nf\n    " + tool::roff(kExample) + "\n.fi\n.SH EXIT STATUS\n" +
         tool::roff(kExitCodes) + "\n.SH SEE ALSO\n.BR ortc (1)\n";
}

}  // namespace ortc::sharing_tool

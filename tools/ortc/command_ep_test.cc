// SPDX-License-Identifier: MIT
// ortc ep-test: whether a library of execution providers does what the runtime relies on.

#include <cstdio>
#include <filesystem>

#include "tools/ortc/commands.h"
#include "tools/ortc/ep_test/check.h"
#include "tools/ortc/ep_test/report.h"
#include "tools/ortc/library/model_files.h"
#include "tools/ortc/output/scratch_folder.h"
#include "tools/ortc/output/staged_file.h"
#include "tools/ortc/output/targets.h"
#include "tools/ortc/signals.h"

namespace ortc::tool {
namespace {

// The library as dlopen() finds it: a plain name would be looked for in the system's folders.
EpTestArguments with_whole_path(EpTestArguments arguments) {
  if (!std::filesystem::exists(arguments.library)) {
    throw ToolError(kExitFailure, "NO_SUCHFILE", "'" + arguments.library + "' is not there");
  }
  arguments.library = std::filesystem::absolute(arguments.library).string();
  return arguments;
}

}  // namespace

int command_ep_test(const EpTestArguments& arguments) {
  const EpTestArguments asked = with_whole_path(arguments);
  std::vector<std::string> read = {asked.library};
  if (!asked.model.empty()) {
    check_model_is_there(asked.model);
    read.push_back(asked.model);
  }
  check_targets({{"--html", asked.html}}, read);
  const ScratchFolder scratch;
  std::vector<Answered> answers;
  bool has_devices = true;
  for (const Check& check : all_checks(asked, scratch.path())) {
    const bool is_asked = has_devices || check.group == "library";
    answers.push_back({check.group, check.name,
                       is_asked ? ask_in_process(check, arguments.seconds)
                                : not_applicable("the library offers no device")});
    throw_if_cancelled();  // what a killed process did not answer says nothing
    if (check.name == kOffersDevices) {
      has_devices = answers.back().finding.verdict == CheckVerdict::kPassed;
    }
    if (!arguments.json && !is_left_out(answers.back())) {
      std::printf("%s\n", answer_line(answers.back()).c_str());
      std::fflush(stdout);
    }
  }
  const Json report = report_json(arguments.library, answers);
  if (!arguments.html.empty()) {
    StagedFile file(arguments.html);
    file.write(report_html(report));
    file.finish();
  }
  if (arguments.json) {
    std::printf("%s\n", report.dump().c_str());
  } else {
    std::printf("%s\n", summary_line(report).c_str());
  }
  return report.count("failed") == 0 ? kExitOk : kExitFailure;
}

}  // namespace ortc::tool

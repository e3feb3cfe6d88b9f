// SPDX-License-Identifier: MIT
// ortc ep-test: whether a library of execution providers does what the runtime relies on.

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "tools/ortc/commands.h"
#include "tools/ortc/ep_test/check.h"
#include "tools/ortc/ep_test/report.h"
#include "tools/ortc/output/staged_file.h"
#include "tools/ortc/signals.h"

namespace ortc::tool {
namespace {

// A folder that goes with the object.
class Scratch {
 public:
  Scratch() {
    std::string path = (std::filesystem::temp_directory_path() / "ortc_ep_test_XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw failure("no folder can be made: " + path);
    path_ = path;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

int command_ep_test(const EpTestArguments& arguments) {
  if (!std::filesystem::exists(arguments.library)) {
    throw ToolError(kExitFailure, "NO_SUCHFILE", "'" + arguments.library + "' is not there");
  }
  const Scratch scratch;
  std::vector<Answered> answers;
  bool has_devices = true;
  for (const Check& check : all_checks(arguments, scratch.path())) {
    throw_if_cancelled();
    const bool is_asked = has_devices || check.group == "library";
    answers.push_back({check.group, check.name,
                       is_asked ? ask_in_process(check, arguments.seconds)
                                : not_applicable("the library offers no device")});
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

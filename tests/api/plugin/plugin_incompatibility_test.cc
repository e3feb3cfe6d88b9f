// SPDX-License-Identifier: MIT
// Providers that say why they do not serve hardware.
#include "core/api/env/device_handles.h"
#include "tests/api/plugin/faulty_answers.h"

using namespace ortc;
using namespace ortc::test;

namespace {

struct Answer {
  uint32_t reasons = 0;
  int32_t error_code = 0;
  std::string notes;
};

Outcome ask(const Env& env, const char* ep, const OrtHardwareDevice* hardware, Answer* answer) {
  OrtDeviceEpIncompatibilityDetails* details = nullptr;
  Outcome outcome(OrtGetHardwareDeviceEpIncompatibilityDetails(env.get(), ep, hardware, &details));
  if (outcome.code != ORT_OK) {
    CHECK(details == nullptr);
    return outcome;
  }
  const char* notes = nullptr;
  CHECK(Outcome(OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask(details, &answer->reasons))
            .is_ok());
  CHECK(Outcome(OrtDeviceEpIncompatibilityDetails_GetErrorCode(details, &answer->error_code))
            .is_ok());
  CHECK(Outcome(OrtDeviceEpIncompatibilityDetails_GetNotes(details, &notes)).is_ok());
  answer->notes = notes != nullptr ? notes : "(none)";
  OrtReleaseDeviceEpIncompatibilityDetails(details);
  return outcome;
}

const OrtHardwareDevice* processor_of(const Env& env) {
  return OrtEpDevice_Device(devices_of(env, "CPUExecutionProvider")[0]);
}

OrtHardwareDevice graphics_card() {
  auto card = std::make_shared<HardwareDevice>();
  card->type = DeviceType::kGpu;
  card->metadata["is_virtual"] = "0";
  return OrtHardwareDevice(std::move(card));
}

}  // namespace

TEST(plugin_incompatibility, own_providers_serve_the_processor_and_nothing_else) {
  const Env env = quiet_env();
  const OrtHardwareDevice card = graphics_card();
  for (const char* ep : {"CPUExecutionProvider", "AotExecutionProvider", "AOT"}) {
    Answer answer;
    CHECK(ask(env, ep, processor_of(env), &answer).is_ok());
    CHECK_EQ(answer.reasons, 0u);
    CHECK_EQ(answer.notes, std::string("(none)"));
    CHECK(ask(env, ep, &card, &answer).is_ok());
    CHECK_EQ(answer.reasons, 2u);
    CHECK_EQ(answer.error_code, 0);
    CHECK(answer.notes.find("ExecutionProvider serves no such hardware") != std::string::npos);
  }
}

TEST(plugin_incompatibility, a_target_that_the_processor_has_not_is_a_reason) {
  OrtKeyValuePairs* entries = nullptr;
  OrtCreateKeyValuePairs(&entries);
  OrtAddKeyValuePair(entries, "allow_virtual_devices", "1");
  OrtEnvCreationOptions creation{};
  creation.version = ORTC_ORT_API_VERSION;
  creation.logging_severity_level = ORT_LOGGING_LEVEL_FATAL;
  creation.log_id = "test";
  creation.config_entries = entries;
  OrtEnv* made = nullptr;
  CHECK(Outcome(OrtCreateEnvWithOptions(&creation, &made)).is_ok());
  const Env env(made);
  OrtReleaseKeyValuePairs(entries);
  int served = 0, refused = 0;
  for (const OrtEpDevice* device : devices_of(env, "AotExecutionProvider")) {
    Answer answer;
    CHECK(ask(env, "AOT", OrtEpDevice_Device(device), &answer).is_ok());
    CHECK(answer.reasons == 0 || (answer.reasons == 2 && answer.notes.size() > 10));
    ++(answer.reasons == 0 ? served : refused);
  }
  // No processor runs both x86-64 and aarch64.
  CHECK(served > 0 && refused > 0);
}

TEST(plugin_incompatibility, a_library_says_it_in_its_own_words) {
  const Env env = env_with_answers("");
  Answer answer;
  CHECK(ask(env, kDeviceEp, processor_of(env), &answer).is_ok());
  CHECK_EQ(answer.reasons, 0x80000001u);
  CHECK_EQ(answer.error_code, -17);
  CHECK_EQ(answer.notes, std::string("the driver is of last year"));
  CHECK(ask(env, kDeviceEp, OrtEpDevice_Device(device_of(env)), &answer).is_ok());
  CHECK_EQ(answer.reasons, 0u);
  set_answers("details_without_notes");
  CHECK(ask(env, kDeviceEp, processor_of(env), &answer).is_ok());
  CHECK_EQ(answer.notes, std::string("(none)"));
}

TEST(plugin_incompatibility, a_library_that_cannot_say_is_believed_to_serve_it) {
  for (const char* fault : {"details_silence", "version_23"}) {
    const Env env = env_with_answers(fault);
    Answer answer;
    CHECK(ask(env, kDeviceEp, processor_of(env), &answer).is_ok());
    CHECK_EQ(answer.reasons, 0u);
  }
}

TEST(plugin_incompatibility, failures_arrive_with_code_and_text) {
  const struct {
    const char* name;
    int code;
    const char* text;
  } kFaults[] = {
      {"details_error", ORT_NOT_FOUND, "GetHardwareDeviceIncompatibilityDetails: cannot tell"},
      {"details_throw", ORT_EP_FAIL, "it threw: thrown in place of details"},
      {"details_not_utf8", ORT_EP_FAIL, "'notes' gave a text that is not UTF-8"}};
  for (const auto& fault : kFaults) {
    const Env env = env_with_answers(fault.name);
    Answer answer;
    CHECK(ask(env, kDeviceEp, processor_of(env), &answer).has(fault.code, fault.text));
  }
  const Env env = quiet_env();
  Answer answer;
  CHECK(ask(env, "", processor_of(env), &answer).has(ORT_INVALID_ARGUMENT, "'ep_name'"));
  CHECK(ask(env, kDeviceEp, processor_of(env), &answer)
            .has(ORT_INVALID_ARGUMENT, "No valid factory found for execution provider"));
}

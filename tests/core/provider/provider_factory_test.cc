// SPDX-License-Identifier: MIT
// What a provider says that has no opinion of its own.
#include "core/provider/provider_factory.h"

#include "core/provider/registry.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

// Its verdict of "2" is Compatibility(2).
class Judge final : public ProviderFactory {
 public:
  std::string_view name() const override { return "Judge"; }
  std::string_view vendor() const override { return "testers"; }
  std::string_view version() const override { return "1.0.0"; }
  std::vector<DeviceOffer> devices(
      std::span<const std::shared_ptr<const HardwareDevice>>) const override {
    return {};
  }
  Status check_options(const KeyValues&) const override { return Status::ok(); }
  Result<std::unique_ptr<ExecutionProvider>> make(const KeyValues&, const Logger&) const override {
    return not_implemented("a provider");
  }
  Result<Compatibility> judge_for(std::span<const std::shared_ptr<const EpDevice>> devices,
                                  std::string_view info, std::string*) const override {
    CHECK_EQ(devices.size(), 1u);
    if (info == "broken") return fail("cannot judge");
    return static_cast<Compatibility>(info.front() - '0');
  }
};

KeyValues one(const char* info) { return {{"num_models", "1"}, {"0.ep_compatibility_info", info}}; }

Result<std::optional<size_t>> choose(const std::vector<KeyValues>& candidates) {
  return Judge().choose_candidate(std::make_shared<const EpDevice>(), candidates, nullptr);
}

}  // namespace

TEST(provider_factory, chooses_the_first_candidate_with_the_best_verdict) {
  CHECK_EQ(choose({one("3"), one("2"), one("1"), one("1")}).value(), std::optional<size_t>(2));
  CHECK_EQ(choose({one("0"), one("3"), one("2")}).value(), std::optional<size_t>(2));
}

TEST(provider_factory, chooses_nothing_where_no_candidate_runs) {
  CHECK_EQ(choose({one("0"), one("3")}).value(), std::optional<size_t>());
  CHECK_EQ(choose({}).value(), std::optional<size_t>());
}

TEST(provider_factory, a_candidate_is_as_good_as_its_worst_model) {
  KeyValues two = one("1");
  two["num_models"] = "2";
  two["1.ep_compatibility_info"] = "2";
  CHECK_EQ(choose({two, one("1")}).value(), std::optional<size_t>(1));
  CHECK_EQ(choose({two, one("2")}).value(), std::optional<size_t>(0));
}

TEST(provider_factory, refuses_candidates_that_do_not_say_what_they_are) {
  CHECK_CODE(choose({KeyValues()}), Code::kInvalidArgument);
  CHECK_CODE(choose({{{"num_models", "1"}}}), Code::kInvalidArgument);
  for (const char* count : {"", "0", "-1", "2x", "2", "99999999999999999999"}) {
    KeyValues candidate = one("1");
    candidate["num_models"] = count;
    CHECK_CODE(choose({candidate}), Code::kInvalidArgument);
  }
}

TEST(provider_factory, a_verdict_that_fails_is_a_failure_of_the_choice) {
  CHECK_CODE(choose({one("1"), one("broken")}), Code::kFail);
}

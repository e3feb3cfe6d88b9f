// SPDX-License-Identifier: MIT
// Which variant is selected, with providers that say what the test wants.
#include "core/package/select_variant.h"

#include "tests/support/test.h"

using namespace ortc;

namespace {

// Its compatibility texts are verdicts: "optimal", "old", "no", "error".
class SayingFactory final : public ProviderFactory {
 public:
  explicit SayingFactory(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::string_view vendor() const override { return "test"; }
  std::string_view version() const override { return "1.0.0"; }
  std::vector<DeviceOffer> devices(
      std::span<const std::shared_ptr<const HardwareDevice>>) const override {
    return {};
  }
  Status check_options(const KeyValues&) const override { return {}; }
  Result<std::unique_ptr<ExecutionProvider>> make(const KeyValues&, const Logger&) const override {
    return not_implemented("it only judges");
  }
  Result<Compatibility> judge_for(std::span<const std::shared_ptr<const EpDevice>>,
                                  std::string_view info, std::string* reason) const override {
    if (info == "error") return fail("a fault of its own");
    *reason = str_cat("it is ", info);
    if (info == "optimal") return Compatibility::kOptimal;
    if (info == "old") return Compatibility::kPreferRecompilation;
    return info == "no" ? Compatibility::kUnsupported : Compatibility::kNotApplicable;
  }
  Result<std::optional<size_t>> choose_candidate(const std::shared_ptr<const EpDevice>&,
                                                 std::span<const KeyValues> candidates,
                                                 const SessionOptions*) const override {
    seen = {candidates.begin(), candidates.end()};
    if (is_faulty) return make_status(Code::kEpFail, "it fell over");
    return choice;
  }

  std::optional<size_t> choice;
  bool is_faulty = false;
  mutable std::vector<KeyValues> seen;

 private:
  std::string name_;
};

struct Row {
  std::string name, provider, compatibility, device;
};

PackageComponent component_of(const std::vector<Row>& rows) {
  PackageComponent component{"m", {}};
  for (const Row& row : rows) {
    PackageVariant variant;
    variant.name = row.name;
    if (!row.provider.empty()) variant.provider = row.provider;
    if (!row.compatibility.empty()) variant.compatibility = row.compatibility;
    if (!row.device.empty()) variant.device = row.device;
    component.variants.push_back(variant);
  }
  return component;
}

PackageProvider provider_of(const std::shared_ptr<SayingFactory>& factory,
                            DeviceType type = DeviceType::kCpu) {
  auto hardware = std::make_shared<HardwareDevice>();
  hardware->type = type;
  auto device = std::make_shared<EpDevice>();
  device->hardware = hardware;
  return {factory, {device}};
}

// The name of the variant, "" for none.
std::string selected(const std::vector<Row>& rows, const std::vector<PackageProvider>& providers) {
  const PackageComponent component = component_of(rows);
  const Selection selection = select_variant(component, providers, nullptr);
  return selection.variant ? component.variants[*selection.variant].name : "";
}

const auto kFirst = std::make_shared<SayingFactory>("First");
const auto kSecond = std::make_shared<SayingFactory>("Second");

}  // namespace

TEST(select_variant, takes_the_most_points) {
  const std::vector<PackageProvider> providers = {provider_of(kFirst)};
  CHECK_EQ(
      selected({{"n", "First", "", ""}, {"p", "First", "old", ""}, {"o", "First", "optimal", ""}},
               providers),
      "o");
  CHECK_EQ(selected({{"n", "First", "unheard", ""}, {"p", "First", "old", ""}}, providers), "p");
}

TEST(select_variant, takes_the_first_of_equals) {
  const std::vector<PackageProvider> providers = {provider_of(kFirst)};
  for (int i = 0; i < 5; ++i) {
    CHECK_EQ(selected({{"a", "First", "", ""}, {"b", "First", "", ""}}, providers), "a");
    CHECK_EQ(selected({{"b", "First", "optimal", ""}, {"a", "First", "optimal", ""}}, providers),
             "b");
  }
}

TEST(select_variant, rejects_what_cannot_run_and_says_why) {
  const PackageComponent component = component_of({{"x", "First", "no", ""},
                                                   {"y", "First", "error", ""},
                                                   {"z", "Third", "optimal", ""},
                                                   {"g", "First", "optimal", "gpu"},
                                                   {"u", "", "", ""}});
  const std::vector<PackageProvider> providers = {provider_of(kFirst)};
  const Selection selection = select_variant(component, providers, nullptr);
  CHECK(!selection.variant);
  const Status status = no_variant(component, selection, providers);
  for (const char* words :
       {"No suitable model variant found for the configured execution providers", "'x': it is no",
        "'y': First cannot judge it: a fault of its own", "'z': its execution provider Third",
        "'g': it is for a device 'gpu'", "'u': it names no execution provider"}) {
    CHECK(status.message().find(words) != std::string::npos);
  }
}

TEST(select_variant, asks_the_providers_in_their_order) {
  const std::vector<PackageProvider> providers = {provider_of(kFirst), provider_of(kSecond)};
  CHECK_EQ(selected({{"s", "Second", "optimal", ""}, {"f", "First", "", ""}}, providers), "f");
  CHECK_EQ(selected({{"s", "Second", "optimal", ""}, {"f", "First", "no", ""}}, providers), "s");
}

TEST(select_variant, looks_at_the_kind_of_device_without_case) {
  const std::vector<Row> rows = {{"npu", "First", "", "NPU"}, {"cpu", "First", "", "CPU"}};
  CHECK_EQ(selected(rows, {provider_of(kFirst, DeviceType::kCpu)}), "cpu");
  CHECK_EQ(selected(rows, {provider_of(kFirst, DeviceType::kNpu)}), "npu");
  CHECK_EQ(selected(rows, {provider_of(kFirst, DeviceType::kGpu)}), "");
  CHECK_EQ(selected({{"odd", "First", "", "abacus"}}, {provider_of(kFirst)}), "");
}

TEST(select_variant, lets_the_provider_choose_among_what_it_can_run) {
  const auto chooser = std::make_shared<SayingFactory>("First");
  const std::vector<Row> rows = {{"a", "First", "optimal", ""},
                                 {"no", "First", "no", ""},
                                 {"b", "First", "old", ""},
                                 {"c", "First", "optimal", ""}};
  chooser->choice = 1;
  CHECK_EQ(selected(rows, {provider_of(chooser)}), "b");
  CHECK_EQ(chooser->seen.size(), size_t{3});
  CHECK_EQ(chooser->seen[1], (KeyValues{{"num_models", "1"}, {"0.ep_compatibility_info", "old"}}));
  // No opinion, and one that is none.
  chooser->choice = std::nullopt;
  CHECK_EQ(selected(rows, {provider_of(chooser)}), "a");
  chooser->choice = 3;
  CHECK_EQ(selected(rows, {provider_of(chooser)}), "a");
  chooser->is_faulty = true;
  const PackageComponent component = component_of(rows);
  const std::vector<PackageProvider> providers = {provider_of(chooser)};
  const Selection selection = select_variant(component, providers, nullptr);
  CHECK(!selection.variant);
  const Status status = no_variant(component, selection, providers);
  CHECK_EQ(status.code(), Code::kEpFail);
  CHECK(status.message().find("component 'm': it fell over") != std::string::npos);
}

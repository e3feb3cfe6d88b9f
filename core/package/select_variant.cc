// SPDX-License-Identifier: MIT
// Selecting variants: see the header.
#include "core/package/select_variant.h"

#include <algorithm>

#include "core/base/ascii.h"

namespace ortc {
namespace {

constexpr int kPoints[] = {0, 100, 50};  // by Compatibility; what is unsupported has none

std::string_view device_text(DeviceType type) {
  switch (type) {
    case DeviceType::kCpu:
      return "cpu";
    case DeviceType::kGpu:
      return "gpu";
    case DeviceType::kNpu:
      return "npu";
    default:
      return "";
  }
}

bool is_called(const ProviderFactory& factory, std::string_view name) {
  const auto aliases = factory.aliases();
  return factory.name() == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end();
}

// The devices that a variant may use: all, or the first of the kind that it names.
EpDevices devices_for(const PackageVariant& variant, const PackageProvider& provider) {
  if (variant.device.value_or("").empty()) return provider.devices;
  const std::string kind = ascii_lower(*variant.device);
  for (const auto& device : provider.devices) {
    if (device_text(device->hardware->type) == kind) return {device};
  }
  return {};
}

VariantVerdict judge_with(const PackageVariant& variant, const PackageProvider& provider) {
  VariantVerdict verdict;
  const EpDevices devices = devices_for(variant, provider);
  if (devices.empty() && !variant.device.value_or("").empty()) {
    verdict.reason = str_cat("it is for a device '", *variant.device, "', and ",
                             provider.factory->name(), " has none here");
    return verdict;
  }
  if (!variant.compatibility.value_or("").empty()) {
    const auto judged =
        provider.factory->judge_for(devices, *variant.compatibility, &verdict.reason);
    if (!judged.is_ok()) {
      verdict.reason =
          str_cat(provider.factory->name(), " cannot judge it: ", judged.status().message());
      return verdict;
    }
    verdict.compatibility = *judged;
  }
  const auto at = static_cast<size_t>(verdict.compatibility);
  if (at < std::size(kPoints)) verdict.points = kPoints[at];
  return verdict;
}

VariantVerdict judge(const PackageVariant& variant, std::span<const PackageProvider> providers) {
  VariantVerdict verdict;
  if (!variant.provider) {
    verdict.reason = "it names no execution provider";
    return verdict;
  }
  for (size_t i = 0; i < providers.size(); ++i) {
    if (!is_called(*providers[i].factory, *variant.provider)) continue;
    verdict = judge_with(variant, providers[i]);
    verdict.provider = i;
    return verdict;
  }
  verdict.reason = str_cat("its execution provider ", *variant.provider, " was not chosen");
  return verdict;
}

// The most points, the first of equals; of the variants that the provider takes.
std::optional<size_t> most_points(const Selection& selection, size_t provider) {
  std::optional<size_t> best;
  for (size_t i = 0; i < selection.verdicts.size(); ++i) {
    const VariantVerdict& verdict = selection.verdicts[i];
    if (verdict.provider != provider || !verdict.points) continue;
    if (!best || *verdict.points > *selection.verdicts[*best].points) best = i;
  }
  return best;
}

// The provider's own choice among what was compiled for it and is not rejected; nothing when it has
// none, or nothing to choose from.
Result<std::optional<size_t>> own_choice(const PackageComponent& component,
                                         const Selection& selection, size_t provider,
                                         const PackageProvider& chosen,
                                         const SessionOptions* session_options) {
  std::vector<KeyValues> candidates;
  std::vector<size_t> variants;
  std::shared_ptr<const EpDevice> device;
  for (size_t i = 0; i < component.variants.size(); ++i) {
    const VariantVerdict& verdict = selection.verdicts[i];
    const PackageVariant& variant = component.variants[i];
    if (verdict.provider != provider || !verdict.points.value_or(0)) continue;
    const EpDevices devices = devices_for(variant, chosen);
    const bool is_of_another = device != nullptr && device != devices.front();
    if (devices.empty() || is_of_another) return std::optional<size_t>();
    device = devices.front();
    candidates.push_back(
        {{"num_models", "1"}, {"0.ep_compatibility_info", *variant.compatibility}});
    variants.push_back(i);
  }
  if (candidates.size() < 2) return std::optional<size_t>();
  ASSIGN_OR_RETURN(const std::optional<size_t> choice,
                   chosen.factory->choose_candidate(device, candidates, session_options));
  if (!choice || *choice >= variants.size()) return std::optional<size_t>();
  return std::optional<size_t>(variants[*choice]);
}

}  // namespace

Selection select_variant(const PackageComponent& component,
                         std::span<const PackageProvider> providers,
                         const SessionOptions* session_options) {
  Selection selection;
  for (const PackageVariant& variant : component.variants) {
    selection.verdicts.push_back(judge(variant, providers));
  }
  for (size_t i = 0; i < providers.size() && !selection.variant; ++i) {
    auto choice = own_choice(component, selection, i, providers[i], session_options);
    if (!choice.is_ok()) {
      selection.fault = std::move(choice).status();
      break;
    }
    selection.variant = *choice;
    if (!selection.variant) selection.variant = most_points(selection, i);
  }
  return selection;
}

Status no_variant(const PackageComponent& component, const Selection& selection,
                  std::span<const PackageProvider> providers) {
  if (!selection.fault.is_ok()) {
    Status fault = selection.fault;
    return std::move(
        fault.note(str_cat("selecting a variant of component '", component.name, "'")));
  }
  std::string names;
  for (const PackageProvider& provider : providers) {
    names += str_cat(names.empty() ? "" : ", ", provider.factory->name());
  }
  std::string reasons;
  for (size_t i = 0; i < component.variants.size(); ++i) {
    reasons += str_cat(reasons.empty() ? ": '" : "; '", component.variants[i].name,
                       "': ", selection.verdicts[i].reason);
  }
  if (component.variants.empty()) reasons = ": it has no variants";
  return fail("No suitable model variant found for the configured execution providers (", names,
              ") in component '", component.name, "'", reasons);
}

}  // namespace ortc

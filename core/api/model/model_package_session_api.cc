// SPDX-License-Identifier: MIT
// ort_c/model_package.h: which variant of a component runs, and its session.
#include <algorithm>

#include "core/api/guard.h"
#include "core/api/model/model_package_handle.h"
#include "core/api/session/append_provider.h"
#include "core/api/session/create_session.h"
#include "core/api/session/resolve_options.h"

namespace ortc::api {
namespace {

// What a provider may use that was chosen by name: all that is real.
EpDevices devices_of(const ProviderFactory& factory, const ProviderRegistry& registry) {
  EpDevices devices;
  for (const auto& device : registry.devices()) {
    const auto entry = device->hardware->metadata.find("is_virtual");
    const bool is_virtual = entry != device->hardware->metadata.end() && entry->second == "1";
    if (device->factory.get() == &factory && !is_virtual) devices.push_back(device);
  }
  return devices;
}

void add_wanted(OrtModelPackageOptions& wanted, std::shared_ptr<const ProviderFactory> factory,
                const EpDevices& chosen, const ProviderRegistry& registry) {
  EpDevices devices = chosen.empty() ? devices_of(*factory, registry) : chosen;
  wanted.providers.push_back({std::move(factory), std::move(devices)});
  wanted.chosen_devices.push_back(chosen);
}

// The provider of the variant goes first, unless the program has it already or leaves the choice to
// a policy, which chooses it again.
Status add_provider_of(const OrtModelPackageComponentContext& context, OrtSessionOptions& options) {
  const bool by_policy = options.chosen.empty() && options.has_policy;
  const auto is_it = [&](const ChosenProvider& one) {
    return one.name == context.provider->name();
  };
  if (by_policy || context.provider->role() == ProviderRole::kRest ||
      std::any_of(options.chosen.begin(), options.chosen.end(), is_it)) {
    return {};
  }
  const std::vector<ChosenProvider> others = std::move(options.chosen);
  options.chosen.clear();
  RETURN_IF_ERROR(choose_provider(options, context.provider, context.devices));
  options.chosen.insert(options.chosen.end(), others.begin(), others.end());
  return {};
}

// All that the package says.
Result<OrtSessionOptions> options_of_package(const OrtModelPackageComponentContext& context,
                                             UnknownKeys unknown) {
  OrtSessionOptions options;
  for (const auto& [key, value] : context.variant->session_options) {
    RETURN_IF_ERROR(check_writes_nothing(key, value));
    RETURN_IF_ERROR(set_session_entry(options.options, key, value, unknown));
  }
  // ONNX Runtime gives its CPU provider none.
  if (context.provider->role() != ProviderRole::kRest || unknown == UnknownKeys::kRefuse) {
    const std::string prefix = option_prefixes(*context.provider).front();
    for (const auto& [key, value] : context.variant->provider_options) {
      RETURN_IF_ERROR(
          set_session_entry(options.options, str_cat("ep.", prefix, ".", key), value, unknown));
    }
  }
  RETURN_IF_ERROR(add_provider_of(context, options));
  return options;
}

// What the program says, with the places that only the package knows.
Result<OrtSessionOptions> options_of_program(const OrtModelPackageComponentContext& context,
                                             const OrtSessionOptions& given, UnknownKeys unknown) {
  OrtSessionOptions options = given;
  for (const auto& [key, value] : context.variant->session_options) {
    if (!is_path_option(key) || options.options.config.contains(canonical_key(key))) continue;
    RETURN_IF_ERROR(set_session_entry(options.options, key, value, unknown));
  }
  RETURN_IF_ERROR(add_provider_of(context, options));
  return options;
}

}  // namespace

Status create_package_session(const OrtEnv* env, const OrtModelPackageComponentContext* context,
                              const OrtSessionOptions* session_options, UnknownKeys unknown,
                              OrtSession** session) {
  ORTC_OUT(session);
  ORTC_NEEDED(env);
  ORTC_NEEDED(context);
  const PackageVariant& variant = *context->variant;
  if (variant.model_file.empty()) {
    return fail("variant '", variant.name, "' of component '", context->component,
                "' names no model: its executor_info[\"ort\"] has no 'model_file'");
  }
  // The folder may have changed since it was read.
  ASSIGN_OR_RETURN(const std::string path,
                   context->package->resolve(variant.folder, variant.model_file, MustExist::kYes));
  auto options = session_options == nullptr
                     ? options_of_package(*context, unknown)
                     : options_of_program(*context, *session_options, unknown);
  RETURN_IF_ERROR_WHILE(std::move(options).status(), "variant '", variant.name, "' of component '",
                        context->component, "'");
  ASSIGN_OR_RETURN(const ModelSource source, file_source(path.c_str()));
  return create_session(*env, source, &*options, nullptr, session);
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateModelPackageOptionsFromSessionOptions(const OrtEnv* env,
                                                          const OrtSessionOptions* session_options,
                                                          OrtModelPackageOptions** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(session_options);
    // Which model it will be is what the providers decide.
    ASSIGN_OR_RETURN(ortc::SessionOptions resolved,
                     api::resolve_options(session_options, *env->shared, ModelSource()));
    const ProviderRegistry& registry = env->shared->environment->providers();
    const auto rest = registry.find(registry.default_provider().name());
    auto wanted = std::make_unique<OrtModelPackageOptions>();
    bool has_rest = resolved.disable_cpu_fallback;
    for (const ProviderChoice& choice : resolved.providers) {
      api::add_wanted(*wanted, choice.factory, choice.devices, registry);
      has_rest = has_rest || choice.factory == rest;
    }
    if (!has_rest) api::add_wanted(*wanted, rest, {}, registry);
    wanted->session_options = std::make_shared<const ortc::SessionOptions>(std::move(resolved));
    *out = wanted.release();
    return {};
  });
}

void OrtReleaseModelPackageOptions(OrtModelPackageOptions* input) { delete input; }

OrtStatus* OrtModelPackage_SelectComponent(const OrtModelPackageContext* context,
                                           const char* component_name,
                                           const OrtModelPackageOptions* options,
                                           OrtModelPackageComponentContext** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(context);
    ORTC_NEEDED(component_name);
    ORTC_NEEDED(options);
    ASSIGN_OR_RETURN(const PackageComponent* component,
                     context->package->component(component_name));
    const Selection selection =
        select_variant(*component, options->providers, options->session_options.get());
    if (!selection.variant) return no_variant(*component, selection, options->providers);
    const size_t provider = *selection.verdicts[*selection.variant].provider;
    *out = new OrtModelPackageComponentContext{
        context->package, component->name, &component->variants[*selection.variant],
        options->providers[provider].factory, options->chosen_devices[provider]};
    return {};
  });
}

void OrtReleaseModelPackageComponentContext(OrtModelPackageComponentContext* input) {
  delete input;
}

OrtStatus* OrtModelPackageComponent_GetSelectedVariantName(
    const OrtModelPackageComponentContext* ctx, const char** out_name) {
  return guard([&]() -> Status {
    ORTC_OUT(out_name);
    ORTC_NEEDED(ctx);
    *out_name = ctx->variant->name.c_str();
    return {};
  });
}

OrtStatus* OrtModelPackageComponent_GetSelectedVariantFolderPath(
    const OrtModelPackageComponentContext* ctx, const char** folder_path) {
  return guard([&]() -> Status {
    ORTC_OUT(folder_path);
    ORTC_NEEDED(ctx);
    *folder_path = ctx->variant->folder.c_str();
    return {};
  });
}

OrtStatus* OrtModelPackage_CreateSession(const OrtEnv* env,
                                         OrtModelPackageComponentContext* context,
                                         const OrtSessionOptions* session_options,
                                         OrtSession** session) {
  return guard([&]() -> Status {
    return api::create_package_session(env, context, session_options, api::UnknownKeys::kRefuse,
                                       session);
  });
}

}  // extern "C"

// SPDX-License-Identifier: MIT
// Model packages: one folder with a model in several variants, each for an execution provider and
// what it was compiled for. The library takes the variant that is best on this machine.
//
//   OrtModelPackageContext* package = NULL;
//   OrtModelPackageOptions* wanted = NULL;
//   OrtModelPackageComponentContext* component = NULL;
//   OrtCreateModelPackageContext("phi", &package);
//   OrtCreateModelPackageOptionsFromSessionOptions(env, options, &wanted);
//   OrtModelPackage_SelectComponent(package, "decoder", wanted, &component);
//   OrtModelPackage_CreateSession(env, component, NULL, &session);
//
// A package has components, logical models, and each of those has variants. docs/model-packages.md
// has the format, which is ONNX Runtime's; its programs find the same functions by name, by
// GetExperimentalFunction() of its table.
//
// A package is not trusted: it is bounded, and with the layout "portable", which is the default,
// all that it names lies beneath its folder. With the layout "installed" it may name any file of
// the machine. No package has a session write: options with which it would are refused. The models
// in it are as trusted as other models.
//
// The three handles need nothing of each other once they are made and may be released in any order.
// Texts that they give live as long as they do, unless a function says otherwise.
#pragma once

#include "ort_c/context.h"
#include "ort_c/session.h"
#include "ort_c/session_options.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a package: its manifest, its components and their variants. No model is opened.
///
/// `package_root`  The folder that has manifest.json; UTF-8.
/// `out`           A new object; give it back with OrtReleaseModelPackageContext(). NULL after a
///                 failure.
///
/// Fails with NO_SUCHFILE without folder or manifest, INVALID_ARGUMENT, INVALID_GRAPH (what is
/// wrong, and where), or NOT_IMPLEMENTED for a format of a later major version. Thread-safe. Reads
/// files. Since 1.0.
ORTC_API OrtStatus* OrtCreateModelPackageContext(const char* package_root,
                                                 OrtModelPackageContext** out);

/// Gives a package back.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseModelPackageContext(OrtModelPackageContext* input);

/// Notes the execution providers and devices that session options choose, in their order: the
/// default provider comes after them, unless `session.disable_cpu_ep_fallback` = "1".
///
/// `env`              Borrowed; may be released before the new object.
/// `session_options`  Borrowed for this call.
/// `out`              A new object; give it back with OrtReleaseModelPackageOptions(). NULL after a
///                    failure.
///
/// Fails as OrtCreateSession() for options that no session can have. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateModelPackageOptionsFromSessionOptions(
    const OrtEnv* env, const OrtSessionOptions* session_options, OrtModelPackageOptions** out);

/// Gives options for packages back.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseModelPackageOptions(OrtModelPackageOptions* input);

/// Tells the major version of the format in which a package is written.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_GetSchemaVersion(const OrtModelPackageContext* ctx,
                                                     int64_t* out_version);

/// Counts the components of a package.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_GetComponentCount(const OrtModelPackageContext* ctx,
                                                      size_t* out_count);

/// Gives the names of all components, in the order of the manifest.
///
/// `out_names`  An array of the package, as are its texts. NULL when there are none, and after a
///              failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_GetComponentNames(const OrtModelPackageContext* ctx,
                                                      const char* const** out_names,
                                                      size_t* out_count);

/// Counts the variants of a component.
///
/// Fails with INVALID_ARGUMENT; for an unknown component it names those there are. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_GetVariantCount(const OrtModelPackageContext* ctx,
                                                    const char* component_name, size_t* out_count);

/// Gives the names of all variants of a component, in the order of the manifest.
///
/// `out_variant_names`  An array of the package, as are its texts. NULL when there are none, and
///                      after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_GetVariantNames(const OrtModelPackageContext* ctx,
                                                    const char* component_name,
                                                    const char* const** out_variant_names,
                                                    size_t* out_count);

/// Tells for which execution provider a variant is.
///
/// `out_ep`  A text of the package; NULL when the variant names none, and after a failure. May be
///           NULL: then only the names are checked.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_GetVariantEpName(const OrtModelPackageContext* ctx,
                                                     const char* component_name,
                                                     const char* variant_name, const char** out_ep);

/// Finds what a text in a package means: "sha256:<digits>" the folder of a shared asset,
/// "sha256:<digits>/<name>" something in it, anything else a path seen from `base_dir`.
///
/// `base_dir`    The folder from which relative paths are seen; NULL for that of the package.
/// `must_exist`  Not 0: what is not there is a failure.
/// `out_path`    A real path. It lives until the next call for this package. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT for what a package of its layout must not name, NOT_FOUND for an
/// asset it does not have, or NO_SUCHFILE. Thread-safe, but the text is that of the last call.
/// Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_ResolveStringRef(const OrtModelPackageContext* ctx,
                                                     const char* base_dir, const char* input,
                                                     int must_exist, const char** out_path);

/// Selects a variant of a component. The first provider that takes any is asked which; a variant
/// that it cannot run is left out, and among equals the first of the manifest is taken.
///
/// `context`  Borrowed for this call.
/// `options`  Borrowed for this call.
/// `out`      A new object; give it back with OrtReleaseModelPackageComponentContext(). NULL after
///            a failure.
///
/// Fails with INVALID_ARGUMENT for an unknown component, and with FAIL when no provider takes any
/// variant, with the reason of each. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_SelectComponent(const OrtModelPackageContext* context,
                                                    const char* component_name,
                                                    const OrtModelPackageOptions* options,
                                                    OrtModelPackageComponentContext** out);

/// Gives a selected component back. Sessions made from it stay.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseModelPackageComponentContext(OrtModelPackageComponentContext* input);

/// Tells the name of the variant that was selected.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelPackageComponent_GetSelectedVariantName(
    const OrtModelPackageComponentContext* ctx, const char** out_name);

/// Tells the folder of the variant that was selected, as a real path. Empty when it has none.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelPackageComponent_GetSelectedVariantFolderPath(
    const OrtModelPackageComponentContext* ctx, const char** folder_path);

/// Makes a session of the selected variant's model, with the provider that it was selected for.
///
/// `env`              Borrowed.
/// `context`          Borrowed for this call.
/// `session_options`  NULL: the options that the package has for the variant and its provider. Not
///                    NULL: these, and of the package's only those that name places in it
///                    (`session.model_external_initializers_file_folder_path`,
///                    `ep.context_file_path`, `ep.context_source_model_path`), where these have
///                    none. Borrowed for this call.
/// `session`          A new object; give it back with OrtReleaseSession(). NULL after a failure.
///
/// Fails as OrtCreateSession() and OrtAddSessionConfigEntry(), with FAIL when the variant names no
/// model, and with INVALID_ARGUMENT when an option of the package would have the session write
/// files (an optimised or compiled model, a profile, a cache). Thread-safe. Reads files. Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_CreateSession(const OrtEnv* env,
                                                  OrtModelPackageComponentContext* context,
                                                  const OrtSessionOptions* session_options,
                                                  OrtSession** session);

/// Describes a package as JSON: components, variants and shared assets; with options what is said
/// of each variant here, and which is selected.
///
/// `options`  Borrowed for this call. NULL: nothing is judged.
/// `out`      A new object; give it back with OrtReleaseInspection(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_Describe(const OrtModelPackageContext* ctx,
                                             const OrtModelPackageOptions* options,
                                             OrtInspection** out);

/// Compares everything in a package that has a hash with it, and says so as JSON: `verdict`,
/// "sound" or "broken", and `items`. Shared assets have one by their names, other files where
/// the writer of the package noted it.
///
/// `out`  A new object; give it back with OrtReleaseInspection(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT; a broken package is reported, not an error. Thread-safe. Reads all
/// files. Since 1.0.
ORTC_API OrtStatus* OrtModelPackage_Verify(const OrtModelPackageContext* ctx, OrtInspection** out);

#ifdef __cplusplus
}  // extern "C"
#endif

// SPDX-License-Identifier: MIT
// Writing model packages (model_package.h): models that are there already become variants of
// components.
//
//   OrtModelPackageWriter* writer = NULL;
//   OrtCreateModelPackageWriter(NULL, &writer);
//   OrtModelPackageWriter_AddVariant(writer, "decoder", "v3", "v3_ctx.onnx", NULL);
//   OrtModelPackageWriter_AddVariant(writer, "decoder", "any", "m.onnx", NULL);
//   OrtModelPackageWriter_Write(writer, "phi", 0, NULL);
//   OrtReleaseModelPackageWriter(writer);
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/context.h"
#include "ort_c/key_values.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bits for OrtModelPackageWriter_Write().
typedef enum OrtModelPackageWriteFlags {
  OrtModelPackageWriteFlags_NONE = 0,
  OrtModelPackageWriteFlags_LINK_FILES = 1,  // a second name in place of a copy, where that can be
} OrtModelPackageWriteFlags;

/// Begins a package without variants.
///
/// `info`  `package_name`, `package_version` and `description`, each as it likes. Borrowed for this
///         call. NULL: none of them.
/// `out`   A new object; give it back with OrtReleaseModelPackageWriter(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT for another key. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateModelPackageWriter(const OrtKeyValuePairs* info,
                                                OrtModelPackageWriter** out);

/// Adds a model as a variant of a component. Nothing is copied before the package is written.
///
/// `component_name`, `variant_name`  Up to 128 letters, digits, '.', '_' and '-'. Components and
///                                   variants keep the order in which they come.
/// `model_path`  The model, compiled or not; the files that it names are found beside it. UTF-8.
/// `settings`    Borrowed for this call; NULL: none. `ep`, `device` ("cpu", "gpu" or "npu") and
///               `compatibility_string` say what the variant is for; without `ep` a model that this
///               library compiled is for the provider that did, with what it says of that, and one
///               that is not compiled for the default provider. `session_options.<key>` and
///               `provider_options.<key>` are options that its sessions get.
///
/// Fails with INVALID_ARGUMENT, NO_SUCHFILE, or as OrtGetCompatibilityInfoFromModel(). One thread
/// at a time. Reads the model's outermost fields. Since 1.0.
ORTC_API OrtStatus* OrtModelPackageWriter_AddVariant(OrtModelPackageWriter* writer,
                                                     const char* component_name,
                                                     const char* variant_name,
                                                     const char* model_path,
                                                     const OrtKeyValuePairs* settings);

/// Adds a folder that variants share, as a tokenizer's. It is stored once, under a name that says
/// what is in it.
///
/// `folder`     Files and folders, no links. UTF-8.
/// `allocator`  Borrowed. Gives the memory of the text.
/// `out_uri`    "sha256:" and 64 digits, zero-terminated: how settings and programs refer to it;
///              give it back with OrtAllocatorFree(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, INVALID_GRAPH or NO_SUCHFILE. One thread at a time. Reads the
/// files. Since 1.0.
ORTC_API OrtStatus* OrtModelPackageWriter_AddSharedAsset(OrtModelPackageWriter* writer,
                                                         const char* folder,
                                                         OrtAllocator* allocator, char** out_uri);

/// Writes the package: everything at once, or nothing. External data that several variants have
/// alike, of models that are not compiled, are stored once as a shared asset.
///
/// `package_root`  A folder that is not there yet. UTF-8.
/// `flags`         Bits of OrtModelPackageWriteFlags. A file that got a second name must not be
///                 changed in place afterwards.
/// `out`           A JSON report of the files; give it back with OrtReleaseInspection(). May be
///                 NULL. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, FAIL when something stands there or a file cannot be read or
/// written, or NO_SUCHFILE. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelPackageWriter_Write(const OrtModelPackageWriter* writer,
                                                const char* package_root, uint32_t flags,
                                                OrtInspection** out);

/// Gives a writer back. What it wrote stays.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseModelPackageWriter(OrtModelPackageWriter* input);

#ifdef __cplusplus
}  // extern "C"
#endif

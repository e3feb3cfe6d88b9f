// SPDX-License-Identifier: MIT
// Sharing groups: several models, compiled into one context binary that holds equal weights once.
//
//   OrtSharingGroup* group = NULL;
//   OrtCreateSharingGroup(env, &group);
//   OrtSharingGroup_Add(group, prefill);   // compile options, as for OrtCompileModel()
//   OrtSharingGroup_Add(group, decode);
//   OrtSharingGroup_Commit(group);         // prefill_ctx.onnx, decode_ctx.onnx, prefill_aot.bin
//   OrtReleaseSharingGroup(group);
//
// N models make N + 1 files, all in one folder; the binary has the name of the first model. They
// appear together at the commit: until then, and after any failure, the folder is as it was.
// Excepted are files that a provider's library writes by itself: they are there when their model
// was compiled. Of a group with a handle a library writes such files for each model; weights it
// shares among models with `ep.share_ep_contexts` only.
//
// Sessions and compiles become members too when their options name the group, by
// OrtSessionOptionsSetSharingGroup(), or when they have the config entry `ep.share_ep_contexts` =
// "1": those share a group of their environment, which the one with `ep.stop_share_ep_contexts` =
// "1" publishes.
//
// Members may be compiled by several threads at once; what the binary holds follows the order in
// which they began. A model that fails fails the group. A model cannot be a member with its context
// inside (embed mode 1), in another folder, or compiled for another target: INVALID_ARGUMENT. One
// that goes to a stream is written when the group is published, by the call that publishes it; one
// that goes to a buffer can only be the last.
//
// Sessions of compiled models need none of this: all that open the same binary share it.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/model_compiler.h"
#include "ort_c/session_options.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a group without members.
///
/// `env`  Borrowed; may be released before the group.
/// `out`  A new object; give it back with OrtReleaseSharingGroup(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSharingGroup(const OrtEnv* env, OrtSharingGroup** out);

/// Makes sessions and compiles with these options members of a group, when they write a compiled
/// model. Compile options made from them are members too.
///
/// `options`  Borrowed.
/// `group`    Borrowed; may be released before the options. NULL: of none any more.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtSessionOptionsSetSharingGroup(OrtSessionOptions* options,
                                                     OrtSharingGroup* group);

/// Compiles a model as a member, as OrtCompileModel() does; its files appear at the commit.
///
/// `options`  Borrowed for this call. Memory that it names as input may go when the call returns;
///            functions that write the model are called until the group is published.
///
/// Fails as OrtCompileModel(), and with FAIL when the group was published or given up before.
/// Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSharingGroup_Add(OrtSharingGroup* group,
                                        const OrtModelCompilationOptions* options);

/// Publishes the files of all members, or none.
///
/// Fails with FAIL while a member is being compiled, for a group that was published or given up
/// (the message says why), when a file is in the way or cannot be written. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSharingGroup_Commit(OrtSharingGroup* group);

/// Gives the group up: nothing is written, and members that are being compiled fail. Does nothing
/// once the group is published.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSharingGroup_Abort(OrtSharingGroup* group);

/// Describes the group as a JSON object: its state, members, the files that were written with their
/// sizes in bytes, bytes of all tensors so far and of those stored.
///
/// Members may be added in later releases; none changes its meaning.
///
/// `allocator`  Borrowed. Gives the memory of the text.
/// `out`        Zero-terminated; give it back with OrtAllocatorFree(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSharingGroup_GetReportJson(const OrtSharingGroup* group,
                                                  OrtAllocator* allocator, char** out);

/// Gives a group back. One that was not published is given up, unless options or members of it are
/// still there.
///
/// `group`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseSharingGroup(OrtSharingGroup* group);

#ifdef __cplusplus
}  // extern "C"
#endif

// SPDX-License-Identifier: MIT
// ort_c: the C interface of ortc, an independent ONNX runtime. This header includes all others.
//
// The shape of a program. Make an environment (OrtCreateEnv), options (OrtCreateSessionOptions),
// and a session from a model file (OrtCreateSession). Make input values, call OrtRun() as often as
// you like, read the outputs, release everything. To start faster, compile the model once
// (OrtCompileModel) and give sessions the compiled file: it is mapped, not worked on.
//
// Names. Functions, types, enumerators, config keys and error codes that ONNX Runtime has carry its
// names and values; its table entry X is the function OrtX here. What ortc adds has int32_t where
// ONNX Runtime would have bool.
//
// Lifecycle. OrtCreateX makes a new object, OrtReleaseX ends it; OrtReleaseX(NULL) does nothing.
// Objects keep what they need of others, so they may be released in any order. Options are copied
// where they are used.
//
// Ownership. Parameters are borrowed for the call and texts are copied, unless a comment says
// otherwise. A `const char*` or `const` object that a function gives is borrowed: it lives as long
// as the object it came from. A `char**` or array filled through an OrtAllocator is the caller's:
// give it back with OrtAllocatorFree() of that allocator. The memory under a tensor made with
// OrtCreateTensorWithDataAsOrtValue() stays the caller's.
//
// Texts and paths are UTF-8 on every system and end in zero.
//
// Errors. A function that can fail returns OrtStatus*: NULL for success, else an object with a code
// and a message; release it. Out parameters are NULL or zero after a failure. A NULL where an
// object or an out parameter is needed is INVALID_ARGUMENT, not a crash. Nothing throws, aborts or
// exits.
//
// Threads. A call that takes an object as `const` may run at the same time as other such calls on
// it; a call that takes it without `const` needs the object for itself. Exceptions: any number of
// threads may call OrtRun() on one session and use one allocator, and OrtRunOptionsSetTerminate()
// may come at any time. Different objects never get in each other's way.
//
// Callbacks come with a `state` pointer, may be called from any thread, never while the library
// holds a lock, and return a status: code and message reach the caller unchanged. They must not
// throw.
//
// The process. The library registers no signal handlers and no exit work, has no static
// constructors, writes nothing to stdout, and stderr only without a logger of yours. It may exit
// while threads are inside the library: they go on until it is gone. It may fork: a child may
// release what it inherited, and use it, with threads of its own. What another thread was using at
// the fork (a session that ran, an environment in which one was made) it may only release.
//
// Memory. When it runs out, calls fail with a status, release what they had made, and may be tried
// again.
//
// Versions. OrtGetVersionString() tells the release, as "1.2.3". Within one major number functions,
// values and struct members are only added. Each comment ends with the release it appeared in.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/config_keys.h"
#include "ort_c/container.h"
#include "ort_c/context.h"
#include "ort_c/context_cache.h"
#include "ort_c/custom_op.h"
#include "ort_c/devices.h"
#include "ort_c/env.h"
#include "ort_c/ep_assignment.h"
#include "ort_c/ep_plugin.h"
#include "ort_c/graph.h"
#include "ort_c/interop.h"
#include "ort_c/io_binding.h"
#include "ort_c/kernel_context.h"
#include "ort_c/kernel_info.h"
#include "ort_c/key_values.h"
#include "ort_c/logger.h"
#include "ort_c/lora.h"
#include "ort_c/metadata_keys.h"
#include "ort_c/model_compiler.h"
#include "ort_c/model_editor.h"
#include "ort_c/model_metadata.h"
#include "ort_c/model_package.h"
#include "ort_c/model_package_writer.h"
#include "ort_c/op_attr.h"
#include "ort_c/ort_api.h"
#include "ort_c/prepacked_weights.h"
#include "ort_c/run_options.h"
#include "ort_c/session.h"
#include "ort_c/session_options.h"
#include "ort_c/shared_allocators.h"
#include "ort_c/sharing_group.h"
#include "ort_c/sparse_tensor.h"
#include "ort_c/status.h"
#include "ort_c/sync_stream.h"
#include "ort_c/threading.h"
#include "ort_c/type_info.h"
#include "ort_c/types.h"
#include "ort_c/value.h"
#include "ort_c/value_info.h"

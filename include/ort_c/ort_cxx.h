// SPDX-License-Identifier: MIT
// ort_cxx: the C++ interface of ortc, over the functions of ort_c.h. Headers only; C++17, and
// std::span from C++20 on.
//
//   Ort::Env env;
//   Ort::Session session(env, "m_ctx.onnx", Ort::SessionOptions());
//   std::vector<float> numbers(8);
//   Ort::Value x = Ort::Value::CreateTensor<float>(numbers, {1, 8});
//   Ort::Outputs outputs = session.run({{"x", x}});
//   for (float v : outputs["y"].GetTensorSpan<float>()) std::printf("%g ", v);
//
// Names. Classes and members that ONNX Runtime's C++ users know have those names; programs written
// for its header compile with ort_c/onnxruntime_cxx_api.h. What ortc adds stands beside them.
//
// Ownership. Each object owns one C object and gives it back at its end. Objects only move, and
// hold nullptr afterwards; Class(nullptr) makes such an object. Any object converts to the pointer
// it holds, borrowed; release() hands it over. ConstX and UnownedX look at objects that something
// else owns, which their comments name; they are copied freely.
//
// Errors. A call that fails throws Ort::Exception, with code and text; bad arguments, objects that
// hold nullptr included, are failures, not crashes. Functions called TryX, and those that return a
// Status, tell instead of throwing. With ORT_NO_EXCEPTIONS, or exceptions switched off in the
// compiler, a failure that would be thrown ends the program with its message.
//
// Threads, texts and life times are those of ort_c.h: const methods may run at the same time,
// others need the object for themselves; any number of threads may run one session. Texts and paths
// are UTF-8; paths may be std::filesystem::path.
#pragma once

#include "ort_c/cxx/api.h"
#include "ort_c/cxx/base.h"
#include "ort_c/cxx/compile.h"
#include "ort_c/cxx/compile_functions.h"
#include "ort_c/cxx/context_cache.h"
#include "ort_c/cxx/context_files.h"
#include "ort_c/cxx/custom_op.h"
#include "ort_c/cxx/devices.h"
#include "ort_c/cxx/env.h"
#include "ort_c/cxx/ep_context_config.h"
#include "ort_c/cxx/exception.h"
#include "ort_c/cxx/external_initializer.h"
#include "ort_c/cxx/float16.h"
#include "ort_c/cxx/graph.h"
#include "ort_c/cxx/graph_values.h"
#include "ort_c/cxx/interop.h"
#include "ort_c/cxx/io_binding.h"
#include "ort_c/cxx/kernel.h"
#include "ort_c/cxx/key_values.h"
#include "ort_c/cxx/memory.h"
#include "ort_c/cxx/mode.h"
#include "ort_c/cxx/model_compiler.h"
#include "ort_c/cxx/model_metadata.h"
#include "ort_c/cxx/model_package.h"
#include "ort_c/cxx/model_package_writer.h"
#include "ort_c/cxx/progress.h"
#include "ort_c/cxx/run_options.h"
#include "ort_c/cxx/session.h"
#include "ort_c/cxx/session_options.h"
#include "ort_c/cxx/shape_inference.h"
#include "ort_c/cxx/sharing_group.h"
#include "ort_c/cxx/sparse_value.h"
#include "ort_c/cxx/status.h"
#include "ort_c/cxx/text.h"
#include "ort_c/cxx/type_info.h"
#include "ort_c/cxx/value.h"

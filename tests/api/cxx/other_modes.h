// SPDX-License-Identifier: MIT
// Files of the same program that include ort_cxx.h in another mode, and C++17.
#pragma once

// no_exceptions.cc: C++17, -fno-exceptions.
float run_without_exceptions(const char* model);
const char* failure_without_exceptions(const char* model);
void end_without_exceptions(const char* model);
// given_table.cc: C++17, ORT_API_MANUAL_INIT.
float run_with_given_table(const void* api_base, const char* model);
// onnxruntime_program.cc: as ONNX Runtime's users write programs.
float run_onnxruntime_program(const char* model);

// SPDX-License-Identifier: MIT
// All handles but those of graphs.
#pragma once

#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/env/logger_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/env/threading_options_handle.h"
#include "core/api/model/model_compiler_handle.h"
#include "core/api/model/model_metadata_handle.h"
#include "core/api/session/ep_assignment_handles.h"
#include "core/api/session/lora_handle.h"
#include "core/api/session/run_options_handle.h"
#include "core/api/session/session_handle.h"
#include "core/api/session/session_options_handle.h"
#include "core/api/value/type_info_handles.h"
#include "core/api/value/value_handle.h"

// SPDX-License-Identifier: MIT
// Made by tools/generate_functions.py, do not edit.
#pragma once

#include "../../../cpu_provider_factory.h"

# SPDX-License-Identifier: MIT
"""The parts of tools/generate_functions.py."""

# SPDX-License-Identifier: MIT
"""The benchmark beside ONNX Runtime; bench/README.md describes it."""

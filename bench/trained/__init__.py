# SPDX-License-Identifier: MIT
"""Networks that somebody trained and uses, beside ONNX Runtime."""

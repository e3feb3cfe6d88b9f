# SPDX-License-Identifier: MIT
"""One operator at a time beside ONNX Runtime, at sizes of real networks and at sizes of chance."""

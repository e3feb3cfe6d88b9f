# SPDX-License-Identifier: MIT
"""The models of generate_models.py, one module each; builder.py is what they share."""

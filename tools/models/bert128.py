# SPDX-License-Identifier: MIT
"""BERT-base with a batch of one and 128 tokens (small: 16); see bert.py."""

from models import bert


def build(folder, small, shape):
    return bert.build(folder, small, shape, fixed=16 if small else 128)

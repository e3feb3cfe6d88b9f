# SPDX-License-Identifier: MIT
"""BERT-base with a batch of one and 512 tokens (small: 32); see bert.py."""

from models import bert


def build(folder, small, shape):
    return bert.build(folder, small, shape, fixed=32 if small else 512)

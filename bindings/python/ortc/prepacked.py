# SPDX-License-Identifier: MIT
"""Weights that sessions share in memory."""

from ortc._core.handles import Handle, Native, create
from ortc._native import lib


class PrepackedWeightsContainer(Native):
    """Sessions made with one container keep equal packed weights once. Several may be made with it
    at the same time; each keeps the weights it uses."""

    __slots__ = ()

    def __init__(self) -> None:
        self._handle = Handle(create(lib.OrtCreatePrepackedWeightsContainer),
                              lib.OrtReleasePrepackedWeightsContainer)

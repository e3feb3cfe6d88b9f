# SPDX-License-Identifier: MIT
"""What a model says about itself."""

import ctypes
from dataclasses import dataclass, field
from typing import Any, Dict

from ortc._core.handles import default_allocator, encode, get_int64, pointers_at, take_text, taken
from ortc._native import lib

# What a model without a version has.
NO_VERSION = (1 << 63) - 1


@dataclass(frozen=True)
class ModelMetadata:
    """Texts are empty when the model has none; `version` is 2**63 - 1 then."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: Dict[str, str] = field(default_factory=dict)


def _keys(address: int) -> "list[str]":
    keys, count = ctypes.c_void_p(), ctypes.c_int64()
    lib.OrtModelMetadataGetCustomMetadataMapKeys(address, default_allocator(), ctypes.byref(keys),
                                                 ctypes.byref(count))
    try:
        return [taken(key) or "" for key in pointers_at(keys.value, count.value)]
    finally:
        lib.OrtAllocatorFree(default_allocator(), keys)


def taken_metadata(address: int) -> ModelMetadata:
    """Reads a new object of the library, which ends here."""
    def text(function: Any, *arguments: Any) -> str:
        return take_text(function, address, default_allocator(), *arguments) or ""

    try:
        return ModelMetadata(
            text(lib.OrtModelMetadataGetProducerName), text(lib.OrtModelMetadataGetGraphName),
            text(lib.OrtModelMetadataGetDomain), text(lib.OrtModelMetadataGetDescription),
            text(lib.OrtModelMetadataGetGraphDescription),
            get_int64(lib.OrtModelMetadataGetVersion, address),
            {key: text(lib.OrtModelMetadataLookupCustomMetadataMap, encode(key))
             for key in _keys(address)})
    finally:
        lib.OrtReleaseModelMetadata(address)

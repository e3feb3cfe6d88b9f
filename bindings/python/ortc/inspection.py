# SPDX-License-Identifier: MIT
"""Models and context binaries seen from outside, and compiled models changed without compiling.

Reports are parsed JSON; new members may appear in later releases. What changes files writes all of
its output or none, and never replaces the models that it reads.
"""

import ctypes
import json
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from ortc._core.callbacks import forget, progress, register
from ortc._core.handles import (Path, create, default_allocator, encode, encode_path, fitting,
                                get_text, texts)
from ortc._native import lib
from ortc.cancel import CancelToken
from ortc.enums import OrtEditFlags, OrtInspectFlags
from ortc.errors import ModelLoadCanceled
from ortc.session_options import ProgressFunction

Report = Dict[str, Any]


def taken_report(address: int) -> Report:
    """Reads a new report of the library, which ends here."""
    try:
        report: Report = json.loads(get_text(lib.OrtInspection_GetJson, address))
        return report
    finally:
        lib.OrtReleaseInspection(address)


def inspect(path: Path, flags: int = OrtInspectFlags.NONE) -> Report:
    """Describes a model, compiled or not, or a context binary. Nothing is run; weights are read
    only with OrtInspectFlags.VERIFY_DATA."""
    return taken_report(create(lib.OrtInspectFile, encode_path(path),
                               fitting("flags", flags, signed=False)))


def diff(first: Path, second: Path) -> Report:
    """What is different in two models or two context binaries; `report["equal"]` sums it up."""
    return taken_report(create(lib.OrtDiffFiles, encode_path(first), encode_path(second)))


def expose_values(model: Path) -> bytes:
    """A model that also gives every tensor of its main graph, to compare two step by step."""
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    lib.OrtExposeModelValues(encode_path(model), default_allocator(), ctypes.byref(data),
                             ctypes.byref(size))
    try:
        return ctypes.string_at(data.value or 0, size.value)
    finally:
        lib.OrtAllocatorFree(default_allocator(), data)


def _edit(call: Callable[[Any, int], int], on_progress: Optional[ProgressFunction],
          cancel: Optional[CancelToken]) -> Report:
    """Calls a function that changes models; it learns of cancels through its progress."""
    def heard(stage: str, detail: str, fraction: float) -> None:
        if cancel is not None and cancel.cancelled and stage != "done":
            raise ModelLoadCanceled("cancelled")
        if on_progress is not None:
            on_progress(stage, detail, fraction)

    number = register(heard)
    try:
        return taken_report(call(progress, number))
    finally:
        forget(number)


def pack(model: Path, output: Path, flags: int = OrtEditFlags.NONE, *,
         on_progress: Optional[ProgressFunction] = None,
         cancel: Optional[CancelToken] = None) -> Report:
    """Puts everything that a compiled model needs into it; with OrtEditFlags.EXTERNAL its contexts
    go to files beside the output."""
    bits = fitting("flags", flags, signed=False)
    return _edit(lambda function, state: create(
        lib.OrtPackModel, encode_path(model), encode_path(output), bits, function, state),
        on_progress, cancel)


def merge(models: Sequence[Path], output: Path, connections: Sequence[Tuple[str, str]] = (),
          flags: int = OrtEditFlags.NONE, *, on_progress: Optional[ProgressFunction] = None,
          cancel: Optional[CancelToken] = None) -> Report:
    """Makes one model of several, side by side or one feeding the other: `connections` are pairs of
    an output and an input, as ("encoder.y", "decoder.x")."""
    paths = (ctypes.c_char_p * len(models))(*[encode_path(model) for model in models])
    pairs, count = texts(f"{output_name}={input_name}" for output_name, input_name in connections)
    bits = fitting("flags", flags, signed=False)
    return _edit(lambda function, state: create(
        lib.OrtMergeModels, paths, len(models), pairs, count, encode_path(output), bits, function,
        state), on_progress, cancel)


def extract(model: Path, node_name: str, output: Path, flags: int = OrtEditFlags.NONE, *,
            on_progress: Optional[ProgressFunction] = None,
            cancel: Optional[CancelToken] = None) -> Report:
    """Makes a model of one EPContext node."""
    bits = fitting("flags", flags, signed=False)
    return _edit(lambda function, state: create(
        lib.OrtExtractContext, encode_path(model), encode(node_name), encode_path(output), bits,
        function, state), on_progress, cancel)


def prefix(model: Path, text: str, output: Path, flags: int = OrtEditFlags.NONE, *,
           on_progress: Optional[ProgressFunction] = None,
           cancel: Optional[CancelToken] = None) -> Report:
    """Puts a prefix in front of the names of EPContext nodes and of their graphs."""
    bits = fitting("flags", flags, signed=False)
    return _edit(lambda function, state: create(
        lib.OrtPrefixModel, encode_path(model), encode(text), encode_path(output), bits, function,
        state), on_progress, cancel)

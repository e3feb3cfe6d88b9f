# SPDX-License-Identifier: MIT
"""What a compile is to do, as the library's object."""

import ctypes
from typing import Any, List, Tuple, Union

from ortc._core.callbacks import Registration
from ortc._core.handles import (Handle, Native, Path, create, default_allocator, encode,
                                encode_path, fitting, fitting_size)
from ortc._core.loading import as_bytes
from ortc._native import lib
from ortc.context_data import ContextDataWriter, write_buffer, write_context_data
from ortc.env import Env
from ortc.external_initializer import GetInitializerLocation, locate_initializer
from ortc.model_editor import Model
from ortc.session_options import SessionOptions


class ModelCompilationOptions(Native):
    """Where a compile reads, where it writes, and how. Made from session options, which are copied;
    the graph optimisation level starts at ORT_DISABLE_ALL."""

    def __init__(self, session_options: SessionOptions, env: Env):
        # Functions and memory that the library uses until the last compile is done.
        self._keeps: List[Any] = [session_options]
        self._handle = Handle(create(lib.OrtCreateModelCompilationOptionsFromSessionOptions,
                                     env._native, session_options._native),
                              lib.OrtReleaseModelCompilationOptions, self._keeps)

    def _keep(self, thing: Any) -> Any:
        self._keeps.append(thing)
        return thing

    def set_input(self, model: Union[Path, bytearray, memoryview, Model]) -> None:
        """Takes the model from a file, from bytes, or from the model editor."""
        data = as_bytes(model)
        if isinstance(model, Model):
            self._keep(model)
            lib.OrtModelCompilationOptions_SetInputModel(self._native, model._native)
        elif data is not None:
            self._keep(data)
            lib.OrtModelCompilationOptions_SetInputModelFromBuffer(self._native, data, len(data))
        else:
            lib.OrtModelCompilationOptions_SetInputModelPath(self._native, encode_path(model))

    # Where the compiled model goes; the last one counts.

    def set_output_path(self, path: Path) -> None:
        lib.OrtModelCompilationOptions_SetOutputModelPath(self._native, encode_path(path))

    def set_output_buffer(self) -> "OutputBuffer":
        """To memory, which the result shows after the compile."""
        buffer = OutputBuffer()
        lib.OrtModelCompilationOptions_SetOutputModelBuffer(
            self._native, default_allocator(), ctypes.byref(buffer.data),
            ctypes.byref(buffer.size))
        self._keep(buffer)
        return buffer

    def set_output_function(self, write: Any) -> None:
        """To a function, in pieces of at most 1 MiB."""
        lib.OrtModelCompilationOptions_SetOutputModelWriteFunc(
            self._native, write_buffer, self._keep(Registration(write)).number)

    # How.

    def set_embed(self, embed: bool) -> None:
        lib.OrtModelCompilationOptions_SetEpContextEmbedMode(self._native, embed)

    def set_external_initializers(self, path: Path, threshold: int) -> None:
        lib.OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
            self._native, encode_path(path),
            fitting_size("external_initializers_size_threshold", threshold))

    def set_external_initializers_buffer(self, name: Path, threshold: int) -> "OutputBuffer":
        """To memory, which the result shows after the compile; the model calls it by the name."""
        buffer = OutputBuffer()
        lib.OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
            self._native, encode_path(name), fitting_size("size_threshold", threshold),
            default_allocator(), ctypes.byref(buffer.data), ctypes.byref(buffer.size))
        self._keep(buffer)
        return buffer

    def set_external_initializers_alignment(self, alignment: int, minimum_size: int) -> None:
        lib.OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment(
            self._native, fitting_size("alignment", alignment),
            fitting_size("minimum size", minimum_size))

    def set_initializer_location(self, function: GetInitializerLocation) -> None:
        lib.OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
            self._native, locate_initializer, self._keep(Registration(function)).number)

    def set_context_data_writer(self, write: ContextDataWriter) -> None:
        lib.OrtModelCompilationOptions_SetEpContextDataWriteFunc(
            self._native, write_context_data, self._keep(Registration(write)).number)

    def set_context_binary_information(self, information: Tuple[Path, str]) -> None:
        folder, name = information
        lib.OrtModelCompilationOptions_SetEpContextBinaryInformation(
            self._native, encode_path(folder), encode(name))

    def set_flags(self, flags: int) -> None:
        lib.OrtModelCompilationOptions_SetFlags(
            self._native, fitting("flags", flags, signed=False))

    def set_level(self, level: int) -> None:
        lib.OrtModelCompilationOptions_SetGraphOptimizationLevel(
            self._native, fitting("graph_optimization_level", level))

    def set_weightless(self, weightless: bool) -> None:
        lib.OrtModelCompilationOptions_SetWeightlessEnabled(self._native, weightless)


class OutputBuffer:
    """Memory that a compile fills."""

    def __init__(self) -> None:
        self.data, self.size = ctypes.c_void_p(), ctypes.c_size_t()

    def take(self) -> bytes:
        """A copy of the bytes, which go back to the library."""
        if not self.data.value:
            return b""
        try:
            return ctypes.string_at(self.data.value, self.size.value)
        finally:
            self.free()

    def free(self) -> None:
        if self.data.value:
            lib.OrtAllocatorFree(default_allocator(), self.data)
            self.data.value = None

    def __del__(self) -> None:
        self.free()


def make_options(compiler: Any) -> ModelCompilationOptions:
    """The options of a ModelCompiler, without an output."""
    options = ModelCompilationOptions(compiler.session_options, compiler.env)
    options.set_input(compiler.model)
    if compiler.embed:
        options.set_embed(True)
    if compiler.external_initializers is not None:
        options.set_external_initializers(*compiler.external_initializers)
    if compiler.external_initializers_alignment is not None:
        options.set_external_initializers_alignment(*compiler.external_initializers_alignment)
    if compiler.flags:
        options.set_flags(compiler.flags)
    if compiler.level:
        options.set_level(compiler.level)
    if compiler.get_initializer_location is not None:
        options.set_initializer_location(compiler.get_initializer_location)
    if compiler.context_data_writer is not None:
        options.set_context_data_writer(compiler.context_data_writer)
    if compiler.context_binary_information is not None:
        options.set_context_binary_information(compiler.context_binary_information)
    if compiler.weightless is not None:
        options.set_weightless(compiler.weightless)
    return options

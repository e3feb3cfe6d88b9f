# SPDX-License-Identifier: MIT
"""Compiling models ahead of time: to models whose compiled parts are EPContext nodes, with their
data in a context binary beside the model or inside."""

import json
from typing import Any, Callable, Dict, Optional, Tuple, Union

from ortc._core import at_exit, interrupt
from ortc._core.callbacks import set_progress
from ortc._core.handles import (Handle, Path, create, decode, encode_path, fitting_size, get_text)
from ortc._core.loading import as_bytes
from ortc._native import lib
from ortc.cancel import CancelToken
from ortc.compile_options import ModelCompilationOptions, make_options
from ortc.context_data import ContextDataWriter
from ortc.enums import GraphOptimizationLevel, OrtCompileApiFlags
from ortc.env import Env, default_env
from ortc.errors import InvalidArgument, ModelLoadCanceled, NoSuchFile, NotFound
from ortc.external_initializer import GetInitializerLocation
from ortc.model_editor import Model
from ortc.session_options import ProgressFunction, SessionOptions

Report = Dict[str, Any]


class ModelCompiler:
    """Compiles a model: a file, its bytes, or one of the model editor.

    The parameters down to `get_initializer_location_func` are ONNX Runtime's. `on_progress(stage,
    detail, fraction)` hears how far a compile is; what it raises stops it. `cancel` and Ctrl-C stop
    it too, and a `deadline` in seconds, which is not negative. `context_data_writer(name, data)`
    takes context binaries in place of files. `context_binary_information`, a folder and a model's
    name, says where they go when the model itself goes to memory.
    `external_initializers_alignment`, an alignment and a size, says where initializers of at least
    that size begin, apart from the model. Files appear when all is done, or not at all.
    """

    def __init__(self, sess_options: SessionOptions,
                 input_model_path_or_bytes: Union[Path, bytearray, memoryview, Model],
                 embed_compiled_data_into_model: bool = False,
                 external_initializers_file_path: Optional[Path] = None,
                 external_initializers_size_threshold: int = 1024,
                 flags: int = OrtCompileApiFlags.NONE,
                 graph_optimization_level: int = GraphOptimizationLevel.ORT_DISABLE_ALL,
                 get_initializer_location_func: Optional[GetInitializerLocation] = None, *,
                 on_progress: Optional[ProgressFunction] = None,
                 cancel: Optional[CancelToken] = None, deadline: Optional[float] = None,
                 context_data_writer: Optional[ContextDataWriter] = None,
                 context_binary_information: Optional[Tuple[Path, str]] = None,
                 weightless: Optional[bool] = None,
                 external_initializers_alignment: Optional[Tuple[int, int]] = None,
                 env: Optional[Env] = None):
        self.session_options = sess_options.copy()
        self.model = _checked(input_model_path_or_bytes)
        self.embed = embed_compiled_data_into_model
        self.external_initializers: Optional[Tuple[Path, int]] = None
        if external_initializers_file_path is not None:
            if get_initializer_location_func is not None:
                raise InvalidArgument("initializers go to one file, or where a function says: "
                                      "not both")
            self.external_initializers = (external_initializers_file_path,
                                          external_initializers_size_threshold)
        self.flags = flags
        self.level = graph_optimization_level
        self.get_initializer_location = get_initializer_location_func
        self.on_progress = on_progress
        self.cancel_token = cancel
        self.deadline = deadline
        self.context_data_writer = context_data_writer
        self.context_binary_information = context_binary_information
        self.weightless = weightless
        self.external_initializers_alignment = external_initializers_alignment
        self.env = env or default_env()
        self._report_json = ""

    def compile_to_file(self, output_model_path: Optional[Path] = None) -> None:
        """Compiles to a file; by default the input's path with `_ctx.onnx` for its extension."""
        options = make_options(self)
        if output_model_path is not None:
            options.set_output_path(output_model_path)
        self._compile(options)

    def compile_to_bytes(self) -> bytes:
        """Compiles to the bytes of a model."""
        options = make_options(self)
        buffer = options.set_output_buffer()
        self._compile(options)
        return buffer.take()

    def compile_to_bytes_and_initializers(self, file_name: Path, size_threshold: int = 1024
                                          ) -> Tuple[bytes, bytes]:
        """Compiles to the bytes of a model, and one block of those initializers that have at least
        so many bytes. The model calls the block by the file name: readers get it from a file beside
        the model, or from `SessionOptions.add_external_initializers_from_files_in_memory()`. It is
        empty when no initializer is that large."""
        if self.external_initializers is not None or self.get_initializer_location is not None:
            raise InvalidArgument("initializers go to one block, to one file, or where a function "
                                  "says: the compiler has another of these already")
        options = make_options(self)
        model = options.set_output_buffer()
        initializers = options.set_external_initializers_buffer(file_name, size_threshold)
        self._compile(options)
        return model.take(), initializers.take()

    def compile_to_stream(self, write_function: Callable[[bytes], Any]) -> None:
        """Compiles to a function, which gets the model in pieces of at most 1 MiB. It is called
        when everything else is written. An int that it gives is the number of bytes it took, as of
        a raw file or a socket: it is called again with the rest. Anything else means all."""
        options = make_options(self)
        options.set_output_function(write_function)
        self._compile(options)

    @property
    def report_json(self) -> str:
        """The last compile as a JSON object: files, nodes by provider and those that were left,
        time by stage. After a failure it tells how far the compile came."""
        if not self._report_json:
            raise NotFound("nothing was compiled yet")
        return self._report_json

    @property
    def report(self) -> Report:
        """`report_json`, parsed."""
        parsed: Report = json.loads(self.report_json)
        return parsed

    def _compile(self, options: ModelCompilationOptions) -> None:
        compiler = Handle(create(lib.OrtCreateModelCompiler, self.env._native, options._native),
                          lib.OrtReleaseModelCompiler, options)
        if self.on_progress is not None:
            set_progress(lib.OrtModelCompiler_SetProgress, compiler.address, self.on_progress)
        if self.deadline is not None:
            lib.OrtModelCompiler_SetDeadline(compiler.address, _milliseconds(self.deadline))
        token = self.cancel_token
        if token is not None and token.cancelled:
            raise ModelLoadCanceled("the compile was cancelled before it began")
        _stoppable(compiler, token, lambda: self._call(compiler))

    def _call(self, compiler: Handle) -> None:
        try:
            lib.OrtModelCompiler_Compile(compiler.address)
        finally:
            self._report_json = get_text(lib.OrtModelCompiler_GetReportJson, compiler.address)


def _checked(model: Any) -> Any:
    """A model that was named, without a look into it."""
    if isinstance(model, Model) or as_bytes(model) is not None:
        return model
    if not decode(encode_path(model)):
        raise NoSuchFile("the path of the model is empty")
    return model


def _milliseconds(deadline: float) -> int:
    """Of seconds; less than one is 1, since 0 means none."""
    try:
        number = int(deadline * 1000) if deadline >= 0 else -1
    except (OverflowError, ValueError):  # infinite
        number = -1
    if number < 0:
        raise InvalidArgument(f"'deadline' is {deadline}; it must be a number of seconds, not "
                              "negative")
    return fitting_size("deadline in milliseconds", max(1, number))


def _stoppable(compiler: Handle, token: Optional[CancelToken], call: Callable[[], Any]) -> None:
    """Ctrl-C, a token and the end of the process stop a compile."""
    def stop() -> None:
        lib.OrtModelCompiler_Cancel(compiler.address)

    number = token._add(stop) if token is not None else 0
    operation = at_exit.begin(stop)
    stops = interrupt.applies()
    outer = interrupt.begin(stop) if stops else None
    try:
        call()
    finally:
        if stops:
            interrupt.end(outer)
        at_exit.end(operation)
        if token is not None:
            token._remove(number)


def compile_model(input_model: Union[Path, bytearray, memoryview, Model],
                  output_model_path: Optional[Path] = None,
                  sess_options: Optional[SessionOptions] = None, **settings: Any) -> None:
    """Compiles a model to a file in one call, without a report. `sess_options` are by default those
    of the AOT provider; `settings` are those of ModelCompiler that need no object: all but
    `on_progress`, `cancel` and `deadline`."""
    without = {"on_progress", "cancel", "deadline"} & set(settings)
    if without:
        raise TypeError(f"compile_model() has no {', '.join(sorted(without))}: use ModelCompiler")
    if sess_options is None:
        sess_options = SessionOptions()
        sess_options.add_provider("AOT")
    compiler = ModelCompiler(sess_options, input_model, **settings)
    options = make_options(compiler)
    if output_model_path is not None:
        options.set_output_path(output_model_path)
    lib.OrtCompileModel(compiler.env._native, options._native)

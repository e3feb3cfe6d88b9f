# SPDX-License-Identifier: MIT
"""Several models, compiled into one context binary that holds equal weights once."""

import json
from typing import Any, Callable, Dict, Optional

from ortc._core import at_exit, interrupt
from ortc._core.handles import Handle, Native, Path, create, default_allocator, take_text
from ortc._native import lib
from ortc.compile_options import make_options
from ortc.env import Env, default_env
from ortc.model_compiler import ModelCompiler


class SharingGroup(Native):
    """N models make N + 1 files, in one folder, which appear together:

        with SharingGroup() as group:
            group.add(ModelCompiler(options, "prefill.onnx"), "prefill_ctx.onnx")
            group.add(ModelCompiler(options, "decode.onnx"), "decode_ctx.onnx")

    The end of the block publishes them; an exception gives the group up, and nothing is written.
    Threads may add members at the same time. Progress, cancel and deadline of a compiler do not
    count here; Ctrl-C gives the group up.
    """

    def __init__(self, env: Optional[Env] = None):
        self._handle = Handle(create(lib.OrtCreateSharingGroup, (env or default_env())._native),
                              lib.OrtReleaseSharingGroup, [])

    def add(self, compiler: ModelCompiler, output_model_path: Optional[Path] = None) -> None:
        """Compiles a model as a member. Its files appear with the others."""
        options = make_options(compiler)
        if output_model_path is not None:
            options.set_output_path(output_model_path)
        self._compile(options)

    def add_to_stream(self, compiler: ModelCompiler,
                      write_function: Callable[[bytes], Any]) -> None:
        """Compiles a model as a member that goes to a function when the group is published, as of
        `ModelCompiler.compile_to_stream()`."""
        options = make_options(compiler)
        options.set_output_function(write_function)
        self._compile(options)

    def _compile(self, options: Any) -> None:
        group = self._native
        # Functions that write a model are called until the group is published.
        group.keeps.append(options)

        def stop() -> None:
            lib.OrtSharingGroup_Abort(group.address)

        operation = at_exit.begin(stop)
        stops = interrupt.applies()
        outer = interrupt.begin(stop) if stops else None
        try:
            lib.OrtSharingGroup_Add(group.address, options._native)
        finally:
            if stops:
                interrupt.end(outer)
            at_exit.end(operation)

    def commit(self) -> None:
        """Publishes the files of all members, or none."""
        lib.OrtSharingGroup_Commit(self._native)

    def abort(self) -> None:
        """Gives the group up: nothing is written. Does nothing once it is published."""
        lib.OrtSharingGroup_Abort(self._native)

    @property
    def report_json(self) -> str:
        """Its state, members, files with their sizes, bytes of all tensors and of those stored."""
        return take_text(lib.OrtSharingGroup_GetReportJson, self._native,
                         default_allocator()) or ""

    @property
    def report(self) -> Dict[str, Any]:
        """`report_json`, parsed."""
        parsed: Dict[str, Any] = json.loads(self.report_json)
        return parsed

    def __exit__(self, *raised: Any) -> None:
        if raised[0] is None:
            self.commit()
        else:
            self.abort()

# SPDX-License-Identifier: MIT
"""Making sessions: from files, bytes and caches, with progress, cancels and Ctrl-C."""

from typing import Any, Callable, Optional, Sequence, Tuple, Union

from ortc._core import at_exit, interrupt
from ortc._core.handles import Handle, Path, create, encode_path
from ortc._native import lib
from ortc.cancel import CancelToken
from ortc.env import Env, default_env
from ortc.errors import InvalidArgument, ModelLoadCanceled
from ortc.key_values import Options
from ortc.prepacked import PrepackedWeightsContainer
from ortc.session_options import ProgressFunction, SessionOptions

Model = Union[Path, bytearray, memoryview]


def as_bytes(model: Any) -> Optional[bytes]:
    """The bytes of a model that was given as such; None for a path."""
    if isinstance(model, bytes):
        return model
    return bytes(model) if isinstance(model, (bytearray, memoryview)) else None


def options_with(options: Optional[SessionOptions],
                 providers: Optional[Sequence[Union[str, Tuple[str, Options]]]],
                 provider_options: Optional[Sequence[Options]]) -> SessionOptions:
    """A copy of the options, with execution providers by name added."""
    copied = options.copy() if options is not None else SessionOptions()
    if provider_options is not None and len(provider_options) != len(providers or ()):
        raise InvalidArgument(f"{len(providers or ())} providers, but {len(provider_options)} "
                              "sets of provider options")
    for index, provider in enumerate(providers or ()):
        name, own = (provider, {}) if isinstance(provider, str) else provider
        if provider_options is not None:
            own = {**own, **(provider_options[index] or {})}
        copied.add_provider(name, own)
    return copied


class Load:
    """The making of one session. `options` are of this load alone."""

    def __init__(self, options: SessionOptions, env: Optional[Env],
                 cancel: Optional[CancelToken], on_progress: Optional[ProgressFunction]):
        self._options = options
        self._env = env or default_env()
        self._cancel = cancel
        self._stopped = False
        heard = on_progress or options._values.get("progress")
        if cancel is not None or on_progress is not None:
            options.set_load_progress(self._progress(heard))

    def _progress(self, heard: Optional[ProgressFunction]) -> ProgressFunction:
        """Hears of progress and looks whether somebody wants the load to stop. The flag of the
        options would stop other loads as well: it is shared by all copies."""
        cancel = self._cancel

        def progress(stage: str, detail: str, fraction: float) -> None:
            if cancel is not None and cancel.cancelled and stage != "done":
                raise ModelLoadCanceled("the load was cancelled")
            if heard is not None:
                heard(stage, detail, fraction)
        return progress

    def session(self, model: Model, cache_dir: Optional[Path] = None,
                prepacked: Optional[PrepackedWeightsContainer] = None) -> Handle:
        """Makes the session. It keeps what the options name: functions, and memory of weights."""
        if self._cancel is not None and self._cancel.cancelled:
            raise ModelLoadCanceled("the load was cancelled before it began")
        address = self._stoppable(self._call(model, cache_dir, prepacked))
        return Handle(address, lib.OrtReleaseSession, (self._options, self._env))

    def _call(self, model: Model, cache_dir: Optional[Path],
              prepacked: Optional[PrepackedWeightsContainer]) -> Callable[[], int]:
        env, options = self._env._native, self._options._native
        data = as_bytes(model)
        more = () if prepacked is None else (prepacked._native,)
        if data is not None:
            if cache_dir is not None:
                raise InvalidArgument("a cache is for models in files")
            function = (lib.OrtCreateSessionFromArrayWithPrepackedWeightsContainer if more
                        else lib.OrtCreateSessionFromArray)
            content, size = data, len(data)
            return lambda: create(function, env, content, size, options, *more)
        path = encode_path(model)
        if cache_dir is not None:
            if more:
                raise InvalidArgument("a cache is for models without prepacked weights")
            folder = encode_path(cache_dir)
            return lambda: create(lib.OrtCreateSessionFromCache, env, path, folder, options)
        function = (lib.OrtCreateSessionWithPrepackedWeightsContainer if more
                    else lib.OrtCreateSession)
        return lambda: create(function, env, path, options, *more)

    def _stop(self) -> None:
        self._stopped = True
        self._options.set_load_cancellation_flag(True)

    def _stoppable(self, call: Callable[[], int]) -> int:
        """Ctrl-C and the end of the process stop the load."""
        operation = at_exit.begin(self._stop)
        stops = interrupt.applies()
        outer = interrupt.begin(self._stop) if stops else None
        try:
            return call()
        finally:
            if stops:
                interrupt.end(outer)
            at_exit.end(operation)
            if self._stopped:
                self._options.set_load_cancellation_flag(False)

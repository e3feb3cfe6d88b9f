# SPDX-License-Identifier: MIT
"""What one run is to do, and the adapters it uses."""

import os
from typing import Any, Optional, Union

from ortc._core.handles import (Handle, Native, Path, create, decode, encode, encode_path, fitting,
                                get_int, get_text)
from ortc._native import lib
from ortc.devices import OrtEpDevice
from ortc.key_values import KeyValuePairs, Options
from ortc.memory import Allocator


class LoraAdapter(Native):
    """A set of tensors that a run feeds to inputs of the model, from a file in ONNX Runtime's
    format (".onnx_adapter") or from its bytes. The file is mapped and stays open."""

    __slots__ = ()

    def __init__(self, path_or_bytes: Union[Path, bytearray, memoryview],
                 allocator: Optional[Allocator] = None):
        where = allocator._native if allocator else None
        if isinstance(path_or_bytes, (bytes, bytearray, memoryview)):
            data = bytes(path_or_bytes)
            address = create(lib.OrtCreateLoraAdapterFromArray, data, len(data), where)
        else:
            address = create(lib.OrtCreateLoraAdapter, encode_path(path_or_bytes), where)
        self._handle = Handle(address, lib.OrtReleaseLoraAdapter)


class SyncStream(Native):
    """A stream of a device, for copies and runs beside others.

    Processors have none, so making one fails; `SyncStream()`, without a device, stands for work
    that is done when the call returns.
    """

    def __init__(self, ep_device: Optional[OrtEpDevice] = None, options: Optional[Options] = None):
        self._handle = Handle(0, lib.OrtReleaseSyncStream)
        if ep_device is not None:
            pairs = KeyValuePairs(options)
            address = create(lib.OrtCreateSyncStreamForEpDevice, ep_device._address, pairs._native)
            self._handle = Handle(address, lib.OrtReleaseSyncStream, (ep_device, set()))

    @property
    def handle(self) -> Optional[int]:
        """The device's own handle; None when there is none."""
        found: Optional[int] = lib.OrtSyncStream_GetHandle(self._native)
        return found

    def _use(self, needed: Handle) -> None:
        """The stream's work needs something until it is done: at the latest, when it ends."""
        if self._native.keeps is not None:
            self._native.keeps[1].add(needed)

    def close(self) -> None:
        """Gives the stream back."""
        handle, self._handle = self._handle, None
        if handle is not None and not handle.address:
            handle.release(0)


class RunOptions(Native):
    """Serves any number of runs, also at once, as long as nobody changes it; only `terminate` may
    be set and cleared while runs are under way."""

    __slots__ = ("_terminate", "_keeps")

    def __init__(self) -> None:
        self._handle = Handle(create(lib.OrtCreateRunOptions), lib.OrtReleaseRunOptions)
        self._terminate = False
        self._keeps: "list[Any]" = []

    @property
    def terminate(self) -> bool:
        """True stops every run that uses these options, now and until it is False again."""
        return self._terminate

    @terminate.setter
    def terminate(self, stop: bool) -> None:
        if stop:
            lib.OrtRunOptionsSetTerminate(self._native)
        else:
            lib.OrtRunOptionsUnsetTerminate(self._native)
        self._terminate = bool(stop)

    @property
    def logid(self) -> str:
        """A text that stands in the log lines of the run."""
        return get_text(lib.OrtRunOptionsGetRunTag, self._native)

    @logid.setter
    def logid(self, tag: str) -> None:
        lib.OrtRunOptionsSetRunTag(self._native, encode(tag))

    @property
    def log_severity_level(self) -> int:
        """Milder lines are dropped; -1 when the session's severity applies."""
        return get_int(lib.OrtRunOptionsGetRunLogSeverityLevel, self._native)

    @log_severity_level.setter
    def log_severity_level(self, level: int) -> None:
        lib.OrtRunOptionsSetRunLogSeverityLevel(self._native, fitting("log_severity_level", level))

    @property
    def log_verbosity_level(self) -> int:
        """How much detail lines of severity VERBOSE have."""
        return get_int(lib.OrtRunOptionsGetRunLogVerbosityLevel, self._native)

    @log_verbosity_level.setter
    def log_verbosity_level(self, level: int) -> None:
        lib.OrtRunOptionsSetRunLogVerbosityLevel(self._native,
                                                 fitting("log_verbosity_level", level))

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Sets a config entry; unknown keys and wrong values are InvalidArgument."""
        lib.OrtAddRunConfigEntry(self._native, encode(key), encode(value))

    def get_run_config_entry(self, key: str) -> str:
        """The value of a config entry; KeyError when it was not set."""
        value: Optional[bytes] = lib.OrtGetRunConfigEntry(self._native, encode(key))
        if value is None:
            raise KeyError(key)
        return decode(value)

    __setitem__ = add_run_config_entry
    __getitem__ = get_run_config_entry

    def enable_profiling(self, prefix: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a profile of each run to a file whose name begins with this."""
        lib.OrtRunOptionsEnableProfiling(self._native, encode_path(prefix))

    def disable_profiling(self) -> None:
        lib.OrtRunOptionsDisableProfiling(self._native)

    def add_active_adapter(self, adapter: LoraAdapter) -> None:
        """Has each run feed the adapter's tensors to the inputs of their names."""
        lib.OrtRunOptionsAddActiveLoraAdapter(self._native, adapter._native)
        self._keeps.append(adapter)

    def set_sync_stream(self, stream: SyncStream) -> None:
        """Has the run's work on a device go to a stream; processors have none."""
        lib.OrtRunOptionsSetSyncStream(self._native, stream._native)
        self._keeps.append(stream._native)

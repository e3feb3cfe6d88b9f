# SPDX-License-Identifier: MIT
"""The environment: the log, the execution providers and their devices, what sessions share.

A program needs none of its own: `default_env()` is made when it is first needed, and whatever takes
an `env` uses it unless told otherwise.
"""

import ctypes
import threading
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ortc import log
from ortc._core.callbacks import Registration
from ortc._core.handles import (Address, Handle, Native, addresses, create, decode, encode,
                                encode_path, fitting, get_size, pointers_at)
from ortc._native import lib
from ortc.devices import (OrtDeviceEpIncompatibilityDetails, OrtEpDevice, OrtHardwareDevice,
                          incompatibility_of)
from ortc.enums import OrtDeviceMemoryType, OrtLanguageProjection, OrtLoggingLevel
from ortc.errors import InvalidArgument
from ortc.key_values import KeyValuePairs, Options, option_arrays
from ortc.memory import Allocator, OrtMemoryInfo
from ortc.shared_allocators import OrtArenaCfg, ProgramAllocator
from ortc.threading_options import (OnEnqueue, OnWork, ThreadingOptions, WorkCallbacks,
                                    WorkCallbacksConfig)

# The version of the interface that OrtEnvCreationOptions was written for.
_VERSION = 24


# Environments that live, so that a device that comes without its environment finds it.
_live: "Dict[int, weakref.ref[Handle]]" = {}
# The end of an environment may come in the middle of anything, also on a thread that has the lock.
_live_lock = threading.RLock()


def _release(address: int, _free: Any = lib.OrtReleaseEnv, _all: Any = _live,
             _guard: Any = _live_lock) -> None:
    with _guard:
        _all.pop(address, None)
    _free(address)


def env_of(device: int) -> Optional[Handle]:
    """The environment of a device; None when it was closed."""
    with _live_lock:
        for address, reference in list(_live.items()):
            handle = reference()
            if handle is not None and device in _device_addresses(address):
                return handle
    return None


def _device_addresses(env: Address) -> List[int]:
    array, count = ctypes.c_void_p(), ctypes.c_size_t()
    lib.OrtGetEpDevices(env, ctypes.byref(array), ctypes.byref(count))
    return pointers_at(array.value, count.value)


class _CreationOptions(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("severity", ctypes.c_int32),
                ("logid", ctypes.c_char_p), ("function", ctypes.c_void_p),
                ("parameter", ctypes.c_void_p), ("threads", ctypes.c_void_p),
                ("config", ctypes.c_void_p)]


class Env(Native):
    """An environment of the program's own. Sessions keep what they need of it.

    `logger` gets the log lines, from any thread; by default they go to logging.getLogger("ortc"),
    and to stderr with `logger=False`. `threads` are shared by sessions whose options say
    `use_per_session_threads = False`. `config` has entries of the environment.
    """

    def __init__(self, log_severity_level: int = OrtLoggingLevel.WARNING, logid: str = "",
                 logger: Any = None, threads: Optional[ThreadingOptions] = None,
                 config: Optional[Mapping[str, str]] = None):
        self._log = None if logger is False else Registration(logger or log.to_logging)
        self._threads = threads
        self._work_callbacks: List[Registration] = []
        make: Any = self._with_options if config is not None else self._plain
        # What is called back must outlive the environment's native object.
        self._handle = Handle(make(fitting("log_severity_level", log_severity_level),
                                   encode(logid), config), _release,
                              (self._log, threads))
        with _live_lock:
            _live[self._handle.address] = weakref.ref(self._handle)
        lib.OrtSetLanguageProjection(self._native, OrtLanguageProjection.PYTHON)

    def _plain(self, severity: int, logid: bytes, _config: Any) -> int:
        """One function of the library for each combination."""
        threads = self._threads._native if self._threads else None
        if self._log is None:
            if threads is None:
                return create(lib.OrtCreateEnv, severity, logid)
            return create(lib.OrtCreateEnvWithGlobalThreadPools, severity, logid, threads)
        if threads is None:
            return create(lib.OrtCreateEnvWithCustomLogger, log.log_line, self._log.number,
                          severity, logid)
        return create(lib.OrtCreateEnvWithCustomLoggerAndGlobalThreadPools, log.log_line,
                      self._log.number, severity, logid, threads)

    def _with_options(self, severity: int, logid: bytes, config: Mapping[str, str]) -> int:
        pairs = KeyValuePairs(config)
        options = _CreationOptions(version=_VERSION, severity=severity, logid=logid,
                                   config=pairs._native.address)
        if self._log is not None:
            options.function = ctypes.cast(log.log_line, ctypes.c_void_p).value
            options.parameter = self._log.number
        threads = self._threads._native if self._threads else None
        if threads is not None:
            options.threads = threads.address
        return create(lib.OrtCreateEnvWithOptions, ctypes.byref(options))

    # The log.

    def set_log_severity_level(self, level: int) -> None:
        """Drops milder lines from now on, also of sessions made from now on."""
        lib.OrtUpdateEnvWithCustomLogLevel(self._native, fitting("log_severity_level", level))

    def enable_telemetry_events(self) -> None:
        """Does nothing: the library sends no telemetry."""
        lib.OrtEnableTelemetryEvents(self._native)

    def disable_telemetry_events(self) -> None:
        """Does nothing: the library sends no telemetry."""
        lib.OrtDisableTelemetryEvents(self._native)

    def set_thread_pool_callbacks(self, on_enqueue: Optional[OnEnqueue] = None,
                                  on_start_work: Optional[OnWork] = None,
                                  on_stop_work: Optional[OnWork] = None,
                                  on_abandon: Optional[OnWork] = None) -> None:
        """Has functions told about the work of the threads of sessions that are made from now on.

        `on_enqueue` is told each share of an operator that is divided among threads; what it gives
        is handed to `on_start_work` and `on_stop_work` around the share, on its thread, or to
        `on_abandon` when none was needed. Without any function, new sessions tell nothing."""
        callbacks = WorkCallbacks(on_enqueue, on_start_work, on_stop_work, on_abandon)
        kept = Registration(callbacks)
        config = WorkCallbacksConfig.of(kept) if any(callbacks) else WorkCallbacksConfig(25)
        lib.OrtSetPerSessionThreadPoolCallbacks(self._native, ctypes.byref(config))
        # Sessions that were made before may still call those that were set then.
        self._work_callbacks.append(kept)

    # Devices.

    def get_ep_devices(self) -> List[OrtEpDevice]:
        """Every pair of an execution provider and a device."""
        native = self._native
        return [OrtEpDevice(address, native) for address in _device_addresses(native)]

    def get_hardware_devices(self) -> List[OrtHardwareDevice]:
        native = self._native
        count = get_size(lib.OrtGetNumHardwareDevices, native)
        array = (ctypes.c_void_p * count)()
        lib.OrtGetHardwareDevices(native, array, count)
        return [OrtHardwareDevice(address or 0, native) for address in array]

    def get_hardware_device_ep_incompatibility_details(
            self, ep_name: str,
            hw: OrtHardwareDevice) -> Optional[OrtDeviceEpIncompatibilityDetails]:
        """Why an execution provider, by its name or short form, does not serve hardware of this
        environment; None when it does. A library that cannot say is believed to serve it."""
        if hw not in self.get_hardware_devices():
            raise InvalidArgument("the device is not one of the environment's hardware devices")
        return incompatibility_of(self._native, ep_name, hw._address)

    def register_execution_provider_library(self, name: str, path: Any) -> None:
        """Loads a library with execution providers, under a name of the program's choice."""
        lib.OrtRegisterExecutionProviderLibrary(self._native, encode(name), encode_path(path))

    def unregister_execution_provider_library(self, name: str) -> None:
        """Takes the devices of such a library away. It is unloaded when the last session that uses
        it ends; its devices tell what they were, and can be used no more."""
        lib.OrtUnregisterExecutionProviderLibrary(self._native, encode(name))

    # Allocators that sessions with "session.use_env_allocators" share.

    def create_and_register_allocator(self, memory_info: OrtMemoryInfo,
                                      arena_cfg: Optional[OrtArenaCfg] = None) -> None:
        """Makes an allocator for memory of the processor, in place of one that is there."""
        lib.OrtCreateAndRegisterAllocator(self._native, memory_info._native,
                                          arena_cfg._native if arena_cfg else None)

    def create_and_register_allocator_v2(self, provider_type: str, memory_info: OrtMemoryInfo,
                                         options: Optional[Options] = None,
                                         arena_cfg: Optional[OrtArenaCfg] = None) -> None:
        """The same for an execution provider."""
        keys, values, count = option_arrays(options)
        lib.OrtCreateAndRegisterAllocatorV2(
            self._native, encode(provider_type), memory_info._native,
            arena_cfg._native if arena_cfg else None, keys, values, count)

    def register_allocator(self, allocator: ProgramAllocator) -> None:
        """Registers an allocator of the program. It lives as long as the process from now on:
        values of sessions may be in its memory."""
        lib.OrtRegisterAllocator(self._native, allocator.keep())

    def unregister_allocator(self, memory_info: OrtMemoryInfo) -> None:
        """Takes a registered allocator away; sessions that use it keep it."""
        lib.OrtUnregisterAllocator(self._native, memory_info._native)

    def get_shared_allocator(self, memory_info: OrtMemoryInfo) -> Optional[Allocator]:
        """The allocator that is registered for a memory; for plain memory of the CPU the default one
        stands in."""
        native = self._native
        address = create(lib.OrtGetSharedAllocator, native, memory_info._native)
        return Allocator(Handle(address, lambda _: None, native)) if address else None

    def create_shared_allocator(self, ep_device: OrtEpDevice, mem_type: int = 0,
                                allocator_type: int = 0,
                                options: Optional[Options] = None) -> Optional[Allocator]:
        """Makes the allocator of a device that has memory of its own and registers it."""
        native, pairs = self._native, KeyValuePairs(options)
        address = create(lib.OrtCreateSharedAllocator, native, ep_device._address, mem_type,
                         allocator_type, pairs._native)
        return Allocator(Handle(address, lambda _: None, native)) if address else None

    def release_shared_allocator(self, ep_device: OrtEpDevice,
                                 mem_type: int = OrtDeviceMemoryType.DEFAULT) -> None:
        """Takes the allocator of a device away."""
        lib.OrtReleaseSharedAllocator(self._native, ep_device._address, mem_type)

    def copy_tensors(self, sources: Sequence[Any], targets: Sequence[Any],
                     stream: Optional[Any] = None) -> None:
        """Copies elements of tensors into others of the same type and shape."""
        if len(sources) != len(targets):
            raise ValueError(f"{len(sources)} tensors cannot be copied into {len(targets)}")
        lib.OrtCopyTensors(self._native, addresses([value._address for value in sources]),
                           addresses([value._target() for value in targets]),
                           stream._native if stream else None, len(sources))


_default: Optional[Env] = None
_lock = threading.Lock()


def default_env() -> Env:
    """The environment of those that name none."""
    global _default
    if _default is None:
        with _lock:
            if _default is None:
                _default = Env()
    return _default


def get_ep_devices() -> List[OrtEpDevice]:
    """Every pair of an execution provider and a device."""
    return default_env().get_ep_devices()


def get_api_base() -> int:
    """The address of ONNX Runtime's table of tables, for code that is written for it."""
    address: int = lib.OrtcGetApiBase()
    return address


def register_execution_provider_library(registration_name: str, library_path: Any) -> None:
    """Loads a library with execution providers, under a name of the program's choice."""
    default_env().register_execution_provider_library(registration_name, library_path)


def unregister_execution_provider_library(registration_name: str) -> None:
    """Unloads such a library; nothing that uses it may be left."""
    default_env().unregister_execution_provider_library(registration_name)


def set_default_logger_severity(severity: int) -> None:
    """Drops milder lines from now on: 0 verbose, 1 info, 2 warning, 3 error, 4 fatal."""
    default_env().set_log_severity_level(severity)


def enable_telemetry_events() -> None:
    """Does nothing: the library sends no telemetry."""
    default_env().enable_telemetry_events()


def disable_telemetry_events() -> None:
    """Does nothing: the library sends no telemetry."""
    default_env().disable_telemetry_events()


def get_available_providers() -> List[str]:
    """The execution providers in this library, the preferred ones first, the CPU's last."""
    array, count = ctypes.c_void_p(), ctypes.c_int()
    lib.OrtGetAvailableProviders(ctypes.byref(array), ctypes.byref(count))
    try:
        names = (ctypes.c_char_p * count.value).from_address(array.value or 0)
        return [decode(name) for name in names]
    finally:
        lib.OrtReleaseAvailableProviders(array, count)


def get_all_providers() -> List[str]:
    """The same: every provider that is known is in the library."""
    return get_available_providers()


def get_device() -> str:
    """The kind of device that models run on by default."""
    return "CPU"


def get_version_string() -> str:
    """The release of the library, as "1.0.0"."""
    return decode(lib.OrtGetVersionString())


def get_build_info() -> str:
    """How the library was built, for bug reports."""
    return decode(lib.OrtGetBuildInfoString())

# SPDX-License-Identifier: MIT
"""What a session or a compiler is to do. Options are copied where they are used: what is changed
afterwards changes nothing there. One thread at a time may change them."""

import ctypes
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

from ortc import env as envs
from ortc import log
from ortc._core.callbacks import Registration, set_progress
from ortc._core.handles import (Handle, Native, Path, addresses, create, decode, encode,
                                encode_path, fitting, get_int, texts)
from ortc._native import lib
from ortc.context_data import ContextDataReader, read_context_data
from ortc.custom_op import CustomOp
from ortc.devices import OrtEpDevice
from ortc.enums import ExecutionMode, GraphOptimizationLevel, OrtExecutionProviderDevicePolicy
from ortc.ep_selection import EpSelection, select_devices
from ortc.errors import InvalidArgument
from ortc.key_values import Options, option_arrays, taken_pairs
from ortc.threading_options import StartThread, create_thread, join_thread
from ortc.value import OrtValue

ProgressFunction = Callable[[str, str, float], Any]


class SessionOptions(Native):
    """Settings with ONNX Runtime's names. `options[key]` is the config entry `key`."""

    __slots__ = ("_keeps", "_values")

    def __init__(self) -> None:
        self._handle = Handle(create(lib.OrtCreateSessionOptions), lib.OrtReleaseSessionOptions)
        # What sessions made of these options call or read.
        self._keeps: List[Any] = []
        self._values: Dict[str, Any] = {}

    def copy(self) -> "SessionOptions":
        """Options of their own with the same settings."""
        copied = SessionOptions.__new__(SessionOptions)
        copied._handle = Handle(create(lib.OrtCloneSessionOptions, self._native),
                                lib.OrtReleaseSessionOptions)
        copied._keeps = list(self._keeps)
        copied._values = dict(self._values)
        return copied

    __copy__ = copy

    # Execution providers. Those added first are asked first; the CPU's is always there, last.

    def add_provider(self, provider_name: str, provider_options: Optional[Options] = None) -> None:
        """Adds an execution provider by its name, as "AotExecutionProvider" or "AOT"."""
        keys, values, count = option_arrays(provider_options)
        lib.OrtSessionOptionsAppendExecutionProvider(self._native, encode(provider_name), keys,
                                                     values, count)
        self._added(next((name for name in envs.get_available_providers() if name.lower() in
                          (provider_name.lower(), f"{provider_name.lower()}executionprovider")),
                         provider_name), provider_options)

    def add_provider_for_devices(self, ep_devices: Sequence[OrtEpDevice],
                                 provider_options: Optional[Options] = None) -> None:
        """Adds an execution provider by devices of `get_ep_devices()`, all of the same provider."""
        if not ep_devices:
            raise InvalidArgument("there must be at least one device")
        keys, values, count = option_arrays(provider_options)
        env = envs.env_of(ep_devices[0]._address)
        if env is None:
            raise InvalidArgument("the device is gone: its environment was closed, or its library "
                                  "unregistered")
        lib.OrtSessionOptionsAppendExecutionProvider_V2(
            self._native, env,
            addresses([device._address for device in ep_devices]), len(ep_devices), keys, values,
            count)
        self._added(ep_devices[0].ep_name, provider_options)

    def _added(self, provider: str, options: Optional[Options]) -> None:
        self._values["providers"] = [*self._value("providers", []), provider]
        given = {key: str(value) for key, value in (options or {}).items()}
        self._values["provider_options"] = {**self._value("provider_options", {}),
                                            provider: given}

    def set_provider_selection_policy(self, policy: int) -> None:
        """Lets the session choose among the devices that are there."""
        lib.OrtSessionOptionsSetEpSelectionPolicy(self._native,
                                                  OrtExecutionProviderDevicePolicy(policy))

    def set_provider_selection_policy_delegate(self, delegate: Optional[EpSelection]) -> None:
        """Has a function choose devices, for each session and each compile, on the thread that
        makes it: `delegate(ep_devices, model_metadata, runtime_metadata, max_selections)` gives
        those that are to be asked, the first ones first. None: no function and no policy. What it
        raises comes out of the call that makes the session. Providers that are added by name or
        device switch the choice off."""
        if delegate is None:
            lib.OrtSessionOptionsSetEpSelectionPolicyDelegate(self._native, None, None)
        else:
            lib.OrtSessionOptionsSetEpSelectionPolicyDelegate(self._native, select_devices,
                                                              self._keep(delegate))

    def register_custom_ops(self, *operators: CustomOp) -> None:
        """Makes operators of the program known (`onnx_op`). Several of one name are overloads, and
        differ in the types of their inputs or in versions."""
        for operator in operators:
            if not isinstance(operator, CustomOp):
                raise TypeError(f"expected what onnx_op makes, not {operator!r}")
            lib.OrtAddCustomOpDomain(self._native, operator._native.address)
            self._keeps.append(operator)

    def register_custom_ops_library(self, path: Path) -> None:
        """Adds the operators of a shared library that exports RegisterCustomOps. It stays as long as
        these options and the sessions that are made with them."""
        lib.OrtRegisterCustomOpsLibrary_V2(self._native, encode_path(path))

    def register_custom_ops_function(self, name: str) -> None:
        """Does the same with a C function of the process, found by its name."""
        lib.OrtRegisterCustomOpsUsingFunction(self._native, encode(name))

    def enable_ort_custom_ops(self) -> None:
        """Fails: no operators come with the library besides those that it has anyway."""
        lib.OrtEnableOrtCustomOps(self._native)

    # Config entries.

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Sets a config entry. Unknown keys and wrong values are InvalidArgument; the text names
        the nearest key."""
        lib.OrtAddSessionConfigEntry(self._native, encode(key), encode(value))

    def get_session_config_entry(self, key: str) -> str:
        """The value of a config entry; Fail when it was not set."""
        name, size = encode(key), ctypes.c_size_t()
        lib.OrtGetSessionConfigEntry(self._native, name, None, ctypes.byref(size))
        value = ctypes.create_string_buffer(size.value)
        lib.OrtGetSessionConfigEntry(self._native, name, value, ctypes.byref(size))
        return decode(value.value)

    def has_session_config_entry(self, key: str) -> bool:
        return get_int(lib.OrtHasSessionConfigEntry, self._native, encode(key)) == 1

    @property
    def config_entries(self) -> Dict[str, str]:
        """All config entries that were set."""
        return taken_pairs(lib.OrtGetSessionOptionsConfigEntries, self._native)

    def __setitem__(self, key: str, value: Any) -> None:
        if isinstance(value, bool):
            value = int(value)
        self.add_session_config_entry(key, str(value))

    def __getitem__(self, key: str) -> str:
        if key not in self:
            raise KeyError(key)
        return self.get_session_config_entry(key)

    def __contains__(self, key: str) -> bool:
        return self.has_session_config_entry(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.config_entries)

    # Graph and execution.

    @property
    def graph_optimization_level(self) -> GraphOptimizationLevel:
        """How far the graph is rewritten."""
        return self._value("level", GraphOptimizationLevel.ORT_ENABLE_ALL)

    @graph_optimization_level.setter
    def graph_optimization_level(self, level: int) -> None:
        lib.OrtSetSessionGraphOptimizationLevel(self._native,
                                                fitting("graph_optimization_level", level))
        self._values["level"] = GraphOptimizationLevel(level)

    @property
    def intra_op_num_threads(self) -> int:
        """Threads that work on one operator, the caller's included; 0: one for each core."""
        return self._value("intra", 0)

    @intra_op_num_threads.setter
    def intra_op_num_threads(self, count: int) -> None:
        lib.OrtSetIntraOpNumThreads(self._native, fitting("intra_op_num_threads", count))
        self._values["intra"] = count

    @property
    def inter_op_num_threads(self) -> int:
        """Operators that run at once under ORT_PARALLEL; 0 lets the library choose."""
        return self._value("inter", 0)

    @inter_op_num_threads.setter
    def inter_op_num_threads(self, count: int) -> None:
        lib.OrtSetInterOpNumThreads(self._native, fitting("inter_op_num_threads", count))
        self._values["inter"] = count

    @property
    def execution_mode(self) -> ExecutionMode:
        """Whether independent operators may run at once."""
        return ExecutionMode(get_int(lib.OrtGetSessionExecutionMode, self._native))

    @execution_mode.setter
    def execution_mode(self, mode: int) -> None:
        lib.OrtSetSessionExecutionMode(self._native, fitting("execution_mode", mode))

    @property
    def enable_mem_pattern(self) -> bool:
        """Whether a run reuses the memory plan of an earlier one with the same shapes."""
        return get_int(lib.OrtGetMemPatternEnabled, self._native) == 1

    @enable_mem_pattern.setter
    def enable_mem_pattern(self, on: bool) -> None:
        (lib.OrtEnableMemPattern if on else lib.OrtDisableMemPattern)(self._native)

    @property
    def enable_cpu_mem_arena(self) -> bool:
        """Whether the memory of a run is kept for the next one."""
        return self._value("arena", True)

    @enable_cpu_mem_arena.setter
    def enable_cpu_mem_arena(self, on: bool) -> None:
        (lib.OrtEnableCpuMemArena if on else lib.OrtDisableCpuMemArena)(self._native)
        self._values["arena"] = bool(on)

    @property
    def use_deterministic_compute(self) -> bool:
        """Asks for results that do not change from run to run. They never do."""
        return self._value("deterministic", False)

    @use_deterministic_compute.setter
    def use_deterministic_compute(self, on: bool) -> None:
        lib.OrtSetDeterministicCompute(self._native, on)
        self._values["deterministic"] = bool(on)

    def add_free_dimension_override_by_name(self, dim_name: str, dim_value: int) -> None:
        """Fixes dimensions by their name in the model, as "batch"."""
        lib.OrtAddFreeDimensionOverrideByName(self._native, encode(dim_name),
                                              fitting(dim_name, dim_value, 64))

    def add_free_dimension_override_by_denotation(self, denotation: str, dim_value: int) -> None:
        """Fixes dimensions by what the model says they mean, as "DATA_BATCH"."""
        lib.OrtAddFreeDimensionOverride(self._native, encode(denotation),
                                        fitting(denotation, dim_value, 64))

    def _value(self, name: str, otherwise: Any) -> Any:
        return self._values.get(name, otherwise)

    # The log.

    @property
    def logid(self) -> str:
        """Stands in the session's log lines."""
        return self._value("logid", "")

    @logid.setter
    def logid(self, logid: str) -> None:
        lib.OrtSetSessionLogId(self._native, encode(logid))
        self._values["logid"] = logid

    @property
    def log_severity_level(self) -> int:
        """Milder lines are dropped; -1: as the environment has it."""
        return self._value("severity", -1)

    @log_severity_level.setter
    def log_severity_level(self, level: int) -> None:
        lib.OrtSetSessionLogSeverityLevel(self._native, fitting("log_severity_level", level))
        self._values["severity"] = level

    @property
    def log_verbosity_level(self) -> int:
        """How much detail lines of severity VERBOSE have."""
        return self._value("verbosity", 0)

    @log_verbosity_level.setter
    def log_verbosity_level(self, level: int) -> None:
        lib.OrtSetSessionLogVerbosityLevel(self._native, fitting("log_verbosity_level", level))
        self._values["verbosity"] = level

    def set_logger(self, function: "log.LogFunction") -> None:
        """Hands the session's log lines to a function, from any thread."""
        lib.OrtSetUserLoggingFunction(self._native, log.log_line, self._keep(function))

    # Files that a session writes.

    @property
    def optimized_model_filepath(self) -> str:
        """Where the session writes the optimised model; empty: nowhere."""
        return self._value("optimized", "")

    @optimized_model_filepath.setter
    def optimized_model_filepath(self, path: Path) -> None:
        lib.OrtSetOptimizedModelFilePath(self._native, encode_path(path))
        self._values["optimized"] = decode(encode_path(path))

    @property
    def enable_profiling(self) -> bool:
        """Whether the session writes a profile."""
        return self._value("profiling", False)

    @enable_profiling.setter
    def enable_profiling(self, on: bool) -> None:
        if on:
            lib.OrtEnableProfiling(self._native, encode_path(self.profile_file_prefix))
        else:
            lib.OrtDisableProfiling(self._native)
        self._values["profiling"] = bool(on)

    @property
    def profile_file_prefix(self) -> str:
        """What the name of the profile's file begins with."""
        return self._value("prefix", "ortc_profile_")

    @profile_file_prefix.setter
    def profile_file_prefix(self, prefix: Path) -> None:
        self._values["prefix"] = decode(encode_path(prefix))
        if self.enable_profiling:
            self.enable_profiling = True

    # Weights from the program's memory.

    def add_initializer(self, name: str, value: OrtValue) -> None:
        """Gives a tensor in place of an initializer. Sessions made with these options share it, and
        keep it."""
        lib.OrtAddInitializer(self._native, encode(name), value._address)
        self._keeps.append(value)

    def add_external_initializers(self, names: Sequence[str], values: Sequence[OrtValue]) -> None:
        """Gives tensors in place of initializers that the model has in other files."""
        if len(names) != len(values):
            raise ValueError(f"{len(names)} names, but {len(values)} values")
        array, count = texts(names)
        lib.OrtAddExternalInitializers(self._native, array,
                                       addresses([value._address for value in values]), count)
        self._keeps.extend(values)

    def add_external_initializers_from_files_in_memory(self, files: Mapping[str, bytes]) -> None:
        """Gives the contents of external data files, by the names that the model has for them."""
        names, count = texts(files)
        contents = [bytes(content) for content in files.values()]
        lib.OrtAddExternalInitializersFromFilesInMemory(
            self._native, names, (ctypes.c_char_p * count)(*contents),
            (ctypes.c_size_t * count)(*[len(content) for content in contents]), count)
        self._keeps.extend(contents)

    # Compiled models.

    def set_context_data_reader(self, reader: Optional[ContextDataReader]) -> None:
        """Has a function give the context binaries of compiled models, in place of files: it gets
        the name that the model has for one and gives its bytes."""
        if reader is None:
            lib.OrtSessionOptionsSetEpContextDataReadFunc(self._native, None, None)
        else:
            lib.OrtSessionOptionsSetEpContextDataReadFunc(self._native, read_context_data,
                                                          self._keep(reader))

    def set_weightless_source_model(self, model: bytes) -> None:
        """Gives the source of a model that was compiled without weights."""
        data = bytes(model)
        lib.OrtSessionOptionsSetWeightlessSourceModelBuffer(self._native, data, len(data))
        self._keeps.append(data)

    def set_sharing_group(self, group: Any) -> None:
        """Makes sessions and compiles with these options members of a SharingGroup; None: of none
        any more."""
        lib.OrtSessionOptionsSetSharingGroup(self._native, group._native if group else None)
        self._keeps.append(group)

    # Threads.

    @property
    def use_per_session_threads(self) -> bool:
        """False: the session uses the threads of its environment. That cannot be taken back."""
        return self._value("per_session_threads", True)

    @use_per_session_threads.setter
    def use_per_session_threads(self, on: bool) -> None:
        if not on:
            lib.OrtDisablePerSessionThreads(self._native)
        elif not self.use_per_session_threads:
            raise ValueError("use_per_session_threads cannot be set back: make new options")
        self._values["per_session_threads"] = bool(on)

    def set_threads(self, start: StartThread) -> None:
        """Has the program start the session's threads: `start(work)` gives an object with `join()`.
        `start_thread` is one for plain threads of Python."""
        lib.OrtSessionOptionsSetCustomCreateThreadFn(self._native, create_thread)
        lib.OrtSessionOptionsSetCustomThreadCreationOptions(self._native, self._keep(start))
        lib.OrtSessionOptionsSetCustomJoinThreadFn(self._native, join_thread)

    # The making of sessions.

    def set_load_cancellation_flag(self, cancel: bool) -> None:
        """True stops the making of sessions with these options and copies of them, from any thread,
        until it is set back."""
        lib.OrtSessionOptionsSetLoadCancellationFlag(self._native, cancel)

    def set_load_progress(self, on_progress: Optional[ProgressFunction]) -> None:
        """Has `on_progress(stage, detail, fraction)` hear how far the making of a session is. What
        it raises stops it."""
        if on_progress is None:
            lib.OrtSessionOptionsSetLoadProgress(self._native, None, None, None)
        else:
            set_progress(lib.OrtSessionOptionsSetLoadProgress, self._native, on_progress)
        self._values["progress"] = on_progress

    def _keep(self, function: Any) -> int:
        """Registers a function for the library, for as long as these options and what is made of
        them."""
        registration = Registration(function)
        self._keeps.append(registration)
        return registration.number

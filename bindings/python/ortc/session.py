# SPDX-License-Identifier: MIT
"""Models ready to run. Any number of threads may run a session at once."""

import ctypes
import json
from collections import OrderedDict
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ortc._core import loading
from ortc._core.handles import (Handle, Native, Path, create, default_allocator, encode, fitting,
                                get_int, get_size, take_text)
from ortc._core.interrupt import applies
from ortc._core.run_async import AsyncRun, Done, wait_for
from ortc._core.run_plan import Names, RunPlan, run_with_token
from ortc._native import lib
from ortc.assignment import EpAssignedSubgraph, assigned_subgraphs
from ortc.cancel import CancelToken
from ortc.devices import OrtEpDevice
from ortc.env import Env
from ortc.errors import Cancelled, Fail, InvalidArgument, RunCancelled
from ortc.io_binding import IOBinding
from ortc.key_values import Options, option_arrays
from ortc.memory import Allocator, OrtMemoryInfo
from ortc.metadata import ModelMetadata, taken_metadata
from ortc.outputs import Outputs
from ortc.prepacked import PrepackedWeightsContainer
from ortc.run_options import RunOptions
from ortc.session_options import ProgressFunction, SessionOptions
from ortc.type_info import NodeArg, TypeInfo, taken_type
from ortc.value import OrtValue, from_object

Feed = Mapping[str, Any]
Providers = Sequence[Union[str, Tuple[str, Options]]]
# Free plans that a session keeps for each set of names; sets, those used last; names in a set.
_PLANS_MOST = 64
_SETS_MOST = 32
_NAMES_MOST = 4096


class BaseSession(Native):
    """What both kinds of sessions have; they differ in how `run` takes and gives values.

    `path_or_bytes` is a model file or its bytes. `providers` are names or pairs of a name and
    options, tried in this order before the processor's; nothing is added to them. `cancel` and
    Ctrl-C stop the load, `on_progress(stage, detail, fraction)` hears how far it is.
    `cache_dir` names a folder where what is compiled is kept for the next time.
    `prepacked_weights` is shared with other sessions.
    """

    def __init__(self, path_or_bytes: Union[Path, bytearray, memoryview],
                 sess_options: Optional[SessionOptions] = None,
                 providers: Optional[Providers] = None,
                 provider_options: Optional[Sequence[Options]] = None, *,
                 env: Optional[Env] = None, cancel: Optional[CancelToken] = None,
                 on_progress: Optional[ProgressFunction] = None,
                 cache_dir: Optional[Path] = None,
                 prepacked_weights: Optional[PrepackedWeightsContainer] = None):
        options = loading.options_with(sess_options, providers, provider_options)
        load = loading.Load(options, env, cancel, on_progress)
        self._adopt(load.session(path_or_bytes, cache_dir, prepacked_weights), options)

    def _adopt(self, handle: Handle, options: SessionOptions) -> None:
        self._handle = handle
        self._options = options
        self._plans: "OrderedDict[Tuple[Names, Names], List[RunPlan]]" = OrderedDict()
        self._describe()

    def _describe(self) -> None:
        """Reads what the model takes and gives."""
        self._inputs = self._arguments(
            lib.OrtSessionGetInputCount, lib.OrtSessionGetInputName,
            lib.OrtSessionGetInputTypeInfo)
        self._outputs = self._arguments(
            lib.OrtSessionGetOutputCount, lib.OrtSessionGetOutputName,
            lib.OrtSessionGetOutputTypeInfo)
        self._overridable = self._arguments(
            lib.OrtSessionGetOverridableInitializerCount,
            lib.OrtSessionGetOverridableInitializerName,
            lib.OrtSessionGetOverridableInitializerTypeInfo)
        self._output_names = tuple(argument.name for argument in self._outputs)
        self._types: Dict[str, TypeInfo] = {
            argument.name: argument.type_info for argument in (*self._inputs, *self._overridable)}

    def _arguments(self, count: Any, name: Any, kind: Any) -> List[NodeArg]:
        return [NodeArg(take_text(name, self._native, index, default_allocator()) or "",
                        taken_type(create(kind, self._native, index)))
                for index in range(get_size(count, self._native))]

    # What the model takes and gives.

    def get_inputs(self) -> List[NodeArg]:
        """The inputs that a run must give."""
        return list(self._inputs)

    def get_outputs(self) -> List[NodeArg]:
        """The outputs."""
        return list(self._outputs)

    def get_overridable_initializers(self) -> List[NodeArg]:
        """Inputs with a value of their own, which a run may give or not."""
        return list(self._overridable)

    def get_modelmeta(self) -> ModelMetadata:
        """What the model says about itself."""
        return taken_metadata(create(lib.OrtSessionGetModelMetadata, self._native))

    def get_session_options(self) -> SessionOptions:
        """A copy of the options it was made with."""
        return self._options.copy()

    def get_providers(self) -> List[str]:
        """The execution providers that it was made with, in the order in which they are asked."""
        named: List[str] = self._options._value("providers", [])
        return list(dict.fromkeys([*named, "CPUExecutionProvider"]))

    def get_provider_options(self) -> Dict[str, Dict[str, str]]:
        """The options that each of them was given."""
        given: Dict[str, Dict[str, str]] = self._options._value("provider_options", {})
        return {name: dict(given.get(name, {})) for name in self.get_providers()}

    def get_opset(self, domain: str = "") -> int:
        """The version of an operator set that the model imports; "" is ONNX's own."""
        return get_int(lib.OrtSessionGetOpsetForDomain, self._native, encode(domain))

    def get_ep_graph_assignment_info(self) -> List[EpAssignedSubgraph]:
        """Which provider runs which nodes, for sessions made with the config entry
        "session.record_ep_graph_assignment_info" = "1"."""
        return assigned_subgraphs(self._native)

    # Reports.

    @property
    def report_json(self) -> str:
        """Where the load time went, nodes by provider, memory: a JSON object."""
        return take_text(lib.OrtSession_GetReportJson, self._native, default_allocator()) or ""

    @property
    def report(self) -> Dict[str, Any]:
        """`report_json`, parsed."""
        parsed: Dict[str, Any] = json.loads(self.report_json)
        return parsed

    @property
    def memory_report_json(self) -> str:
        """Where the memory of the session is, by page, as the system sees it: a JSON object."""
        return take_text(lib.OrtSession_GetMemoryReportJson, self._native,
                         default_allocator()) or ""

    @property
    def memory_report(self) -> Dict[str, Any]:
        """`memory_report_json`, parsed."""
        parsed: Dict[str, Any] = json.loads(self.memory_report_json)
        return parsed

    def end_profiling(self) -> str:
        """Writes the profile, for sessions made with `enable_profiling`, and gives its path."""
        return take_text(lib.OrtSessionEndProfiling, self._native, default_allocator()) or ""

    def get_profiling_start_time_ns(self) -> int:
        """When the profile began, in nanoseconds since 1970; 0 without one."""
        return get_size(lib.OrtSessionGetProfilingStartTimeNs, self._native)

    # Where values are.

    def get_input_memory_infos(self) -> List[OrtMemoryInfo]:
        """In which memory a run wants each input."""
        return self._memories(lib.OrtSessionGetMemoryInfoForInputs, self._inputs)

    def get_output_memory_infos(self) -> List[OrtMemoryInfo]:
        """In which memory a run leaves each output."""
        return self._memories(lib.OrtSessionGetMemoryInfoForOutputs, self._outputs)

    def _memories(self, function: Any, of: Sequence[NodeArg]) -> List[OrtMemoryInfo]:
        native, array = self._native, (ctypes.c_void_p * len(of))()
        function(native, array, len(of))
        return [OrtMemoryInfo.borrowed(address or 0, native) for address in array]

    def get_input_epdevices(self) -> List[Optional[OrtEpDevice]]:
        """On which device each input is read; None for one that no node reads."""
        return self._devices(lib.OrtSessionGetEpDeviceForInputs, self._inputs)

    def get_output_epdevices(self) -> List[Optional[OrtEpDevice]]:
        """On which device each output is made."""
        return self._devices(lib.OrtSessionGetEpDeviceForOutputs, self._outputs)

    def _devices(self, function: Any, of: Sequence[NodeArg]) -> List[Optional[OrtEpDevice]]:
        native, array = self._native, (ctypes.c_void_p * len(of))()
        function(native, array, len(of))
        return [OrtEpDevice(address, native) if address else None for address in array]

    def create_allocator(self, memory_info: OrtMemoryInfo) -> Allocator:
        """The session's allocator for a kind of memory."""
        return Allocator(Handle(create(lib.OrtCreateAllocator, self._native,
                                       memory_info._native), lib.OrtReleaseAllocator))

    def io_binding(self) -> IOBinding:
        """Ties inputs and outputs to values, for any number of runs."""
        return IOBinding(self)

    def set_ep_dynamic_options(self, options: Options) -> None:
        """Changes options of execution providers while the session lives."""
        keys, values, count = option_arrays(options)
        lib.OrtSetEpDynamicOptions(self._native, keys, values, count)

    def release_captured_graph(self, graph_annotation_id: int = 0) -> None:
        """Ends a graph that a provider has captured in a run, so that the next run captures it
        again. The number is what runs have as their entry "gpu_graph_id"; 0 for runs without.
        Nothing happens when no provider of the session captures graphs."""
        lib.OrtSessionReleaseCapturedGraph(
            self._native, fitting("graph_annotation_id", graph_annotation_id))

    # Runs.

    def _take_plan(self, key: Tuple[Names, Names]) -> RunPlan:
        free = self._plans.get(key)
        try:
            return free.pop() if free else RunPlan(*key)
        except IndexError:  # another thread took the last one
            return RunPlan(*key)

    def _give_back(self, plan: RunPlan, key: Tuple[Names, Names]) -> None:
        if plan.spent:
            return
        free = self._plans.get(key)
        if free is None:
            if plan.input_count + plan.output_count > _NAMES_MOST:
                return
            free = self._plans.setdefault(key, [])
        if len(free) < _PLANS_MOST:
            free.append(plan)
        if len(self._plans) > 1:
            self._keep_recent(key)

    def _keep_recent(self, key: Tuple[Names, Names]) -> None:
        """Sets of names that were not used for the longest time go."""
        try:
            self._plans.move_to_end(key)
            while len(self._plans) > _SETS_MOST:
                self._plans.popitem(last=False)
        except KeyError:  # another thread was quicker
            pass

    def _value(self, name: str, item: Any) -> OrtValue:
        try:
            return from_object(item, self._types.get(name))
        except (TypeError, ValueError) as error:
            if isinstance(error, InvalidArgument):
                raise InvalidArgument(f"input {name!r}: {error}") from None
            raise InvalidArgument(f"input {name!r}: {error}") from error

    def _run(self, feed: Feed, names: Names, options: Optional[RunOptions],
             cancel: Optional[CancelToken]) -> List[OrtValue]:
        session = self._native
        values = [value if type(value) is OrtValue else self._value(name, value)
                  for name, value in feed.items()]
        key = (tuple(feed), names)
        plan = self._take_plan(key)
        try:
            if cancel is not None:
                results = run_with_token(plan, session, values, options, cancel)
            elif applies():
                results = plan.run_interruptibly(session, values, options)
            else:
                results = plan.run(session, values, options)
        except BaseException as error:
            plan.drop()
            stopped = plan.spent or (options is not None and options.terminate)
            if stopped and isinstance(error, Fail) and not isinstance(error, Cancelled):
                raise RunCancelled(*error.args) from None
            raise
        self._give_back(plan, key)
        return results

    def _names(self, names: Optional[Sequence[str]]) -> Names:
        """No names mean all outputs; a text is one name, not its letters."""
        if names is None:
            return self._output_names
        chosen = (names,) if isinstance(names, str) and names else tuple(names)
        return chosen or self._output_names

    def _start(self, feed: Feed, names: Names, options: Optional[RunOptions],
               done: Done) -> AsyncRun:
        values = [self._value(name, value) for name, value in feed.items()]
        key = (tuple(feed), names)
        plan = self._take_plan(key)

        def ended(results: Optional[List[OrtValue]], error: Optional[BaseException]) -> None:
            if error is None:
                self._give_back(plan, key)
            done(results, error)

        run = AsyncRun(plan, self._native, values, options, ended)
        run.begin()
        return run

    def run_with_ort_values(self, output_names: Optional[Sequence[str]],
                            input_dict_ort_values: Mapping[str, OrtValue],
                            run_options: Optional[RunOptions] = None, *,
                            cancel: Optional[CancelToken] = None) -> List[OrtValue]:
        """Runs with OrtValues and gives OrtValues. No `output_names`: all outputs."""
        return self._run(input_dict_ort_values, self._names(output_names), run_options, cancel)

    def run_with_iobinding(self, iobinding: IOBinding,
                           run_options: Optional[RunOptions] = None) -> None:
        """Runs with what is bound. One binding serves one run at a time."""
        iobinding._run(self._native, run_options)


class Session(BaseSession):
    """A model ready to run: `session.run({"x": array})["y"]`, or `await session.run_async(...)`."""

    def run(self, feed: Feed, outputs: Optional[Sequence[str]] = None,
            run_options: Optional[RunOptions] = None, *,
            cancel: Optional[CancelToken] = None) -> Outputs:
        """Runs the model and waits for the result.

        `feed` has arrays, numbers, lists or OrtValues by the names of inputs; arrays are not
        copied. `outputs` are names, none for all. `cancel` stops the run from another thread, as
        does Ctrl-C in the main one.
        """
        names = self._names(outputs)
        return Outputs(names, self._run(feed, names, run_options, cancel))

    async def run_async(self, feed: Feed, outputs: Optional[Sequence[str]] = None,
                        run_options: Optional[RunOptions] = None) -> Outputs:
        """As `run`, on a thread of the session. A task that is cancelled stops its run."""
        names = self._names(outputs)
        return Outputs(names, await wait_for(
            lambda done: self._start(feed, names, run_options, done)))


class InferenceSession(BaseSession):
    """A model ready to run, as ONNX Runtime's class of this name: `session.run(None, {"x": array})`
    gives a list of arrays."""

    def run(self, output_names: Optional[Sequence[str]], input_feed: Feed,
            run_options: Optional[RunOptions] = None, *,
            cancel: Optional[CancelToken] = None) -> List[Any]:
        """Runs the model and waits for the result. No `output_names`: all outputs."""
        return [value.numpy() for value in
                self._run(input_feed, self._names(output_names), run_options, cancel)]

    def run_async(self, output_names: Optional[Sequence[str]], input_feed: Feed,
                  callback: Callable[[Sequence[Any], Any, str], Any], user_data: Any,
                  run_options: Optional[RunOptions] = None) -> None:
        """Starts a run and returns. `callback(results, user_data, error)` is told its end, from a
        thread of the session; `error` is empty after a success."""
        def done(results: Optional[List[OrtValue]], error: Optional[BaseException]) -> None:
            arrays: List[Any] = []
            try:
                arrays = [value.numpy() for value in results or []]
            except Exception as failure:  # pylint: disable=broad-except
                error = failure
            callback(arrays, user_data, "" if error is None else str(error) or repr(error))

        self._start(input_feed, self._names(output_names), run_options, done)

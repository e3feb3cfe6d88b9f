# SPDX-License-Identifier: MIT
"""Inputs and outputs of a session tied to values once, for any number of runs."""

import ctypes
from typing import Any, Dict, List, Optional, Sequence

from ortc._core import at_exit, interrupt
from ortc._core.handles import (Handle, Native, create, decode, default_allocator, encode,
                                pointers_at)
from ortc._native import lib
from ortc.errors import Cancelled, Fail, RunCancelled
from ortc.memory import OrtMemoryInfo, cpu_memory
from ortc.run_options import RunOptions
from ortc.value import OrtValue, from_array


class IOBinding(Native):
    """Results go straight into bound values. One binding serves one run at a time; several of one
    session may run at once."""

    def __init__(self, session: Any):
        native = session._native
        self._handle = Handle(create(lib.OrtCreateIoBinding, native.address),
                              lib.OrtReleaseIoBinding, native)
        # The library shares what is bound; memory of the program under it must stay.
        self._inputs: Dict[str, OrtValue] = {}
        self._bound: Dict[str, Optional[OrtValue]] = {}

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        """Ties an input to an array, whose memory is used as it is."""
        self.bind_ortvalue_input(name, from_array(arr_on_cpu))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Ties an input to a value."""
        lib.OrtBindInput(self._native, encode(name), ortvalue._address)
        self._inputs[name] = ortvalue

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Ties an output to a tensor of its type and shape, which each run fills."""
        lib.OrtBindOutput(self._native, encode(name), ortvalue._target())
        self._bound[name] = ortvalue

    def bind_output(self, name: str, memory_info: Optional[OrtMemoryInfo] = None) -> None:
        """Asks for an output whose shape is not known before: each run makes a value for it."""
        where = memory_info._native if memory_info else cpu_memory()
        lib.OrtBindOutputToDevice(self._native, encode(name), where)
        self._bound[name] = None

    def clear_binding_inputs(self) -> None:
        """Unties all inputs."""
        lib.OrtClearBoundInputs(self._native)
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Unties all outputs."""
        lib.OrtClearBoundOutputs(self._native)
        self._bound.clear()

    def synchronize_inputs(self) -> None:
        """Waits until inputs are where the run needs them; on the processor they always are."""
        lib.OrtSynchronizeBoundInputs(self._native)

    def synchronize_outputs(self) -> None:
        """Waits until outputs are where they shall be; on the processor they always are."""
        lib.OrtSynchronizeBoundOutputs(self._native)

    def get_output_names(self) -> List[str]:
        """The names of bound outputs, in the order in which they were bound."""
        texts, lengths, count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
        allocator = default_allocator()
        lib.OrtGetBoundOutputNames(self._native, allocator, ctypes.byref(texts),
                                   ctypes.byref(lengths), ctypes.byref(count))
        if not count.value:
            return []
        try:
            sizes = list((ctypes.c_size_t * count.value).from_address(lengths.value or 0))
            data = ctypes.string_at(texts.value or 0, sum(sizes))
        finally:
            lib.OrtAllocatorFree(allocator, texts)
            lib.OrtAllocatorFree(allocator, lengths)
        ends = [sum(sizes[:index + 1]) for index in range(count.value)]
        return [decode(data[end - size:end]) for size, end in zip(sizes, ends)]

    def get_outputs(self) -> List[OrtValue]:
        """The bound outputs, in the order in which they were bound."""
        array, count = ctypes.c_void_p(), ctypes.c_size_t()
        allocator = default_allocator()
        lib.OrtGetBoundOutputValues(self._native, allocator, ctypes.byref(array),
                                    ctypes.byref(count))
        found = pointers_at(array.value, count.value)
        lib.OrtAllocatorFree(allocator, array)
        # They share memory with the values that were bound.
        kept: Sequence[Optional[OrtValue]] = list(self._bound.values())
        return [OrtValue(address, kept) for address in found]

    def copy_outputs_to_cpu(self) -> List[Any]:
        """The bound outputs as arrays; nothing has to be copied."""
        return [value.numpy() for value in self.get_outputs()]

    def _run(self, session: Handle, given: Optional[RunOptions]) -> None:
        options = given or RunOptions()
        stop = _Stop(options)
        operation = at_exit.begin(stop)
        stops = interrupt.applies()
        outer = interrupt.begin(stop) if stops else None
        try:
            lib.OrtRunWithBinding(session, stop.native, self._native)
        except Fail as error:
            if options.terminate and not isinstance(error, Cancelled):
                raise RunCancelled(*error.args) from None
            raise
        finally:
            if stops:
                interrupt.end(outer)
            at_exit.end(operation)
            if stop.called:
                stop.undo()


class _Stop:
    """Stops a run by its options, and knows that it did."""

    def __init__(self, options: RunOptions):
        self._options = options
        self.native = options._native  # the program may close them meanwhile
        self.called = False

    def __call__(self) -> None:
        if not self._options._terminate:
            self.called = self._options._terminate = True
            lib.OrtRunOptionsSetTerminate(self.native)

    def undo(self) -> None:
        self._options._terminate = False
        lib.OrtRunOptionsUnsetTerminate(self.native)

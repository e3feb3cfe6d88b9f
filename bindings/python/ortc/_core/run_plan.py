# SPDX-License-Identifier: MIT
"""One run: the arrays that the library's function wants, made once for a set of names and used
again.

A plan serves one run at a time; sessions keep those that are free. After a failure a plan is thrown
away, and with it whatever a late cancel may have left in its run options.
"""

import ctypes
from typing import Any, Callable, List, Optional, Sequence, Tuple

from ortc._core import at_exit, interrupt
from ortc._core.handles import Handle, create, encode
from ortc._native import lib, run_function
from ortc.cancel import CancelToken
from ortc.errors import Cancelled, Fail, RunCancelled, exception_of
from ortc.run_options import RunOptions
from ortc.value import OrtValue

# lib.OrtRun, without what turns its status into an exception.
_run = run_function("OrtRun")
_set_terminate = lib.OrtRunOptionsSetTerminate
_unset_terminate = lib.OrtRunOptionsUnsetTerminate

Names = Tuple[str, ...]


class RunPlan:
    """The arrays for a set of names of inputs and outputs."""

    __slots__ = ("input_names", "output_names", "inputs", "outputs", "input_count",
                 "output_count", "nothing", "at", "options", "stop", "running", "spent",
                 "__weakref__")

    def __init__(self, input_names: Names, output_names: Names):
        encoded = [encode(name) for name in input_names + output_names]
        pointer = ctypes.c_char_p
        self.input_count, self.output_count = len(input_names), len(output_names)
        self.input_names = (pointer * self.input_count)(*encoded[:self.input_count])
        self.output_names = (pointer * self.output_count)(*encoded[self.input_count:])
        self.inputs = (ctypes.c_void_p * self.input_count)()
        self.outputs = (ctypes.c_void_p * self.output_count)()
        self.nothing = [None] * self.output_count
        # Addresses are quicker to hand over than arrays.
        self.at = (ctypes.addressof(self.input_names), ctypes.addressof(self.inputs),
                   ctypes.addressof(self.output_names), ctypes.addressof(self.outputs))
        self.options = Handle(create(lib.OrtCreateRunOptions), lib.OrtReleaseRunOptions)
        self.stop = _stopper(self.options)
        self.running: Optional[Callable[[], None]] = None  # stops the run under way
        self.spent = False  # its run options may say stop: not to be used again
        at_exit.plans.add(self)

    def run(self, session: Handle, values: Sequence[OrtValue],
            given: Optional[RunOptions]) -> List[OrtValue]:
        """Runs and takes the outputs."""
        options = self.options if given is None else given._native
        inputs: Any = self.inputs
        outputs: Any = self.outputs
        for index, value in enumerate(values):
            inputs[index] = value._address
        names, data, out_names, out_data = self.at
        self.running = self.stop if given is None else _stopper(options)
        status = _run(session.address, options.address, names, data, self.input_count, out_names,
                      self.output_count, out_data)
        self.running = None
        if status:
            at_exit.stay_if_over()
            raise exception_of(status)
        # Ctrl-C may come between any two lines: what has an owner must not be in `outputs` any
        # more, or `drop` would release it a second time.
        taken = outputs[:]
        outputs[:] = self.nothing
        return [OrtValue(address) for address in taken]

    def run_interruptibly(self, session: Handle, values: Sequence[OrtValue],
                          given: Optional[RunOptions]) -> List[OrtValue]:
        """As `run`, in the main thread: Ctrl-C stops it."""
        options = self.options if given is None else given._native
        outer = interrupt.begin(self.stop if given is None else _stopper(options))
        try:
            return self.run(session, values, given)
        finally:
            if interrupt.end(outer):
                self.spent = True
                _restore(given, options)

    def interrupt(self) -> None:
        """Stops the run under way, from another thread."""
        running = self.running
        if running is not None:
            self.spent = True
            running()

    def drop(self) -> None:
        """Gives back what a run that was interrupted may have left."""
        self.running = None
        outputs: Any = self.outputs
        left = outputs[:]
        outputs[:] = self.nothing
        for address in left:
            if address:
                OrtValue(address)


def _stopper(options: Handle) -> Callable[[], None]:
    """Stops runs with these options."""
    def stop() -> None:
        _set_terminate(options.address)
    return stop


def _restore(given: Optional[RunOptions], options: Handle) -> None:
    """Options of the program are left as they were; it may have closed them meanwhile."""
    if given is not None and not given.terminate:
        _unset_terminate(options)


def run_with_token(plan: RunPlan, session: Handle, values: Sequence[OrtValue],
                   given: Optional[RunOptions], token: CancelToken) -> List[OrtValue]:
    """Runs until the end or until the token says stop."""
    options = plan.options if given is None else given._native
    number = token._add(_stopper(options))
    try:
        if interrupt.applies():
            return plan.run_interruptibly(session, values, given)
        return plan.run(session, values, given)
    except Fail as error:
        if token.cancelled and not isinstance(error, Cancelled):
            raise RunCancelled(*error.args) from None
        raise
    finally:
        token._remove(number)
        if token.cancelled:
            plan.spent = True
            _restore(given, options)

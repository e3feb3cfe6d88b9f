# SPDX-License-Identifier: MIT
"""Runs on threads of the session, for callbacks and for asyncio."""

import asyncio
import ctypes
import threading
from typing import Any, Callable, List, Optional, Sequence

from ortc._core import at_exit
from ortc._core.callbacks import find, forget, register
from ortc._core.handles import Handle
from ortc._core.run_plan import RunPlan
from ortc._native import lib, run_function
from ortc.errors import Cancelled, Fail, InvalidArgument, RunCancelled, exception_of
from ortc.log import LOGGER
from ortc.run_options import RunOptions
from ortc.value import OrtValue

# Gets the outputs, or None and what went wrong.
Done = Callable[[Optional[List[OrtValue]], Optional[BaseException]], Any]

P = ctypes.c_void_p
RunDone = ctypes.CFUNCTYPE(None, P, P, ctypes.c_size_t, P)


# lib.OrtRunAsync, without what turns its status into an exception.
_run_async = run_function("OrtRunAsync")


class AsyncRun:
    """A run under way. It holds everything that the library reads until it has ended, so whoever
    waits for it may go away."""

    def __init__(self, plan: RunPlan, session: Handle, values: Sequence[OrtValue],
                 options: Optional[RunOptions], done: Done):
        self.plan, self.session, self.values, self.done = plan, session, values, done
        self.given = options
        self.options = plan.options if options is None else options._native
        self.stopped = False
        self._lock = threading.Lock()
        self._ended = False
        self._operation = at_exit.begin(self.stop)

    def stop(self) -> None:
        """Asks the run to end soon."""
        with self._lock:
            if not self._ended:
                self.stopped = True
                lib.OrtRunOptionsSetTerminate(self.options.address)

    def begin(self) -> None:
        """Starts it: on a thread of the session or, where the session has none, on one of its
        own."""
        number = register(self)
        plan = self.plan
        for index, value in enumerate(self.values):
            plan.inputs[index] = value._address
        names, data, out_names, out_data = plan.at
        status = _run_async(self.session.address, self.options.address, names, data,
                            plan.input_count, out_names, plan.output_count, out_data, run_done,
                            number)
        if not status:
            return
        # Only a status tells for sure that nothing is under way that still calls back: what a
        # signal handler raises may come when the run has begun.
        forget(number)
        try:
            error = exception_of(status)
            if not isinstance(error, InvalidArgument):
                raise error
            threading.Thread(target=self._run, name="ortc-run", daemon=True).start()
        except Exception:
            at_exit.end(self._operation)
            raise

    def _run(self) -> None:
        try:
            results = self.plan.run(self.session, self.values, self.given)
        except BaseException as error:  # pylint: disable=broad-except
            self.end(None, error)
        else:
            self.end(results, None)

    def end(self, results: Optional[List[OrtValue]], error: Optional[BaseException]) -> None:
        """The run has ended: tells those that wait."""
        with self._lock:
            self._ended = True
        self.plan.spent = self.stopped
        if self.stopped and self.given is not None and not self.given.terminate:
            lib.OrtRunOptionsUnsetTerminate(self.options)
        asked = self.stopped or (self.given is not None and self.given.terminate)
        if asked and isinstance(error, Fail) and not isinstance(error, Cancelled):
            error = RunCancelled(*error.args)
        try:
            self.done(results, error)
        except BaseException:  # pylint: disable=broad-except
            LOGGER.exception("a function that is told about the end of a run failed")
        finally:
            at_exit.end(self._operation)


@RunDone
def run_done(number: Optional[int], _outputs: Optional[int], count: int,
             status: Optional[int]) -> None:
    """What the library calls, from a thread of the session."""
    run: AsyncRun = find(number)
    forget(number)
    if status:
        run.end(None, exception_of(status))
        return
    results = []
    for index in range(count):
        results.append(OrtValue(run.plan.outputs[index] or 0))
        run.plan.outputs[index] = None
    run.end(results, None)


async def wait_for(start: Callable[[Done], AsyncRun]) -> List[OrtValue]:
    """Starts a run and waits for it as asyncio does; a cancel of the task stops the run."""
    loop = asyncio.get_running_loop()
    future: "asyncio.Future[List[OrtValue]]" = loop.create_future()

    def settle(results: Optional[List[OrtValue]], error: Optional[BaseException]) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(results or [])

    def done(results: Optional[List[OrtValue]], error: Optional[BaseException]) -> None:
        try:
            loop.call_soon_threadsafe(settle, results, error)
        except RuntimeError:
            pass  # the loop was closed meanwhile: nobody waits any more

    run = start(done)
    try:
        return await future
    except asyncio.CancelledError:
        run.stop()
        raise

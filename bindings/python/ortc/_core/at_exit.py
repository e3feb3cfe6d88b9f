# SPDX-License-Identifier: MIT
"""The end of the process while threads are inside the library.

A daemon thread that comes back from C into an interpreter that is gone is ended in the middle of
its native frames, which C++ does not survive. So what is under way is stopped when the interpreter
ends, and waited for, as far as it may still call Python.
"""

import atexit
import threading
import time
import weakref
from typing import Any, Callable, Dict

# Plans of runs (run_plan.py), of which some are at work.
plans: "weakref.WeakSet[Any]" = weakref.WeakSet()
# What else is under way, and how it is stopped: loads, compiles and runs on other threads.
_operations: Dict[int, Callable[[], Any]] = {}
_changed = threading.Condition(threading.RLock())
SECONDS_MOST = 5.0


def begin(stop: Callable[[], Any]) -> int:
    """Something begins that `stop` stops. Gives a number for `end`."""
    with _changed:
        _operations[id(stop)] = stop
    return id(stop)


def end(number: int) -> None:
    with _changed:
        _operations.pop(number, None)
        _changed.notify_all()


def _runs() -> "list[Any]":
    return [plan for plan in list(plans) if plan.running is not None]


@atexit.register
def stop_all() -> None:
    """Stops what is under way and waits until it has ended, for a few seconds at most."""
    deadline = time.monotonic() + SECONDS_MOST
    with _changed:
        for stop in list(_operations.values()):
            stop()
        for plan in _runs():
            plan.interrupt()
        while (_operations or _runs()) and time.monotonic() < deadline:
            _changed.wait(0.005)

# SPDX-License-Identifier: MIT
"""The end of the process while threads are inside the library.

A daemon thread that comes back from C into an interpreter that is gone is ended in the middle of
its native frames, which C++ does not survive. So what is under way is stopped when the interpreter
ends, and waited for, as far as it may still call Python. Nor may such a thread go on then: what it
tells of its exception on a stream that is being closed ends the process with an error.
"""

import atexit
import contextlib
import ctypes
import threading
import time
import weakref
from typing import Any, Callable, Dict, Iterator, List

# Plans of runs (run_plan.py), of which some are at work.
plans: "weakref.WeakSet[Any]" = weakref.WeakSet()
# What else is under way, and how it is stopped: loads, compiles and runs on other threads.
_operations: Dict[int, Callable[[], Any]] = {}
# Threads that the library called operators of the program on.
_in_program: List[int] = []
_changed = threading.Condition(threading.RLock())
SECONDS_MOST = 5.0
_is_over = False
_never = threading.Lock()
_never.acquire()


def begin(stop: Callable[[], Any]) -> int:
    """Something begins that `stop` stops. Gives a number for `end`."""
    with _changed:
        _operations[id(stop)] = stop
    return id(stop)


def end(number: int) -> None:
    with _changed:
        _operations.pop(number, None)
        _changed.notify_all()
    stay_if_over()


def stay_if_over() -> None:
    """Where a daemon thread that was stopped with the process ends: it waits until it is gone.
    Threads that Python has not started must get back to who did."""
    if _is_over:
        thread = threading.current_thread()
        if thread.daemon and not isinstance(thread, threading._DummyThread):
            _never.acquire()


@contextlib.contextmanager
def in_program() -> Iterator[None]:
    """Code of the program that may take long: the end of the process raises SystemExit in it, once,
    and before it where it has not begun by then."""
    thread = threading.get_ident()
    with _changed:
        if _is_over:
            raise SystemExit
        _in_program.append(thread)
    try:
        yield
    finally:
        _in_program.remove(thread)


def _runs() -> "list[Any]":
    return [plan for plan in list(plans) if plan.running is not None]


@atexit.register
def stop_all() -> None:
    """Stops what is under way and waits until it has ended, for a few seconds at most."""
    global _is_over
    deadline = time.monotonic() + SECONDS_MOST
    with _changed:
        _is_over = True
        for stop in list(_operations.values()):
            stop()
        for thread in set(_in_program):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread),
                                                       ctypes.py_object(SystemExit))
        while (_operations or _runs()) and time.monotonic() < deadline:
            for plan in _runs():  # those that began a moment ago, too
                plan.interrupt()
            _changed.wait(0.005)

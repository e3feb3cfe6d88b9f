# SPDX-License-Identifier: MIT
"""The open models of this process: each is opened once, whoever asks, and run by many threads.

Sessions of several processes map the same files, so a machine has their weights in memory once.
"""

import os
import threading
from typing import Any, Dict, List, Optional

from ortc.batch.model import Model
from ortc.batch.signature import Signature
from ortc.errors import Error


class Opened:
    """A model that is open in this process, or is being opened."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.session: Any = None
        self.signature = Signature((), ())

    def ensure(self, model: Model, threads: Optional[int]) -> None:
        """Opens it if it is not. A failure leaves it as it was, for the next one to try."""
        with self.lock:
            if self.session is None:
                session = model.open(threads or _processors())
                self.signature = Signature.of(session)
                self.session = session


_opened: Dict[str, Opened] = {}
_lock = threading.Lock()
# Sessions of a process that forked: their threads are not in the child, which must not end them.
_left_behind: List[Any] = []


def open_model(model: Model, threads: Optional[int] = None) -> Opened:
    """The open model, for any number of threads to run. `threads` of the first who asks count.

    A failure says which model it was.
    """
    with _lock:
        found = _opened.setdefault(model.key, Opened())
    try:
        found.ensure(model, threads)
    except Error as error:
        if model.path not in str(error):
            error.args = (f"{model.path}: {error}",)
        raise
    return found


def add_user(model: Model) -> None:
    """Keeps the model open until as many users have left."""
    with _lock:
        _opened.setdefault(model.key, Opened()).users += 1


def remove_user(model: Model) -> None:
    """Closes the model with its last user. Runs under way end first."""
    with _lock:
        found = _opened.get(model.key)
        if found is not None:
            found.users -= 1
            if found.users <= 0:
                del _opened[model.key]


def close_model(model: Model) -> None:
    """Closes the model in this process; who asks for it again opens it again."""
    with _lock:
        _opened.pop(model.key, None)


def _processors() -> int:
    return len(os.sched_getaffinity(0))


def _after_fork() -> None:
    global _lock
    _left_behind.extend(_opened.values())
    _opened.clear()
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)

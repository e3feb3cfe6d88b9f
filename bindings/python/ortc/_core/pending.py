# SPDX-License-Identifier: MIT
"""Exceptions of callbacks on their way through the library.

A callback cannot raise into C. It returns a status instead whose text ends in a mark; the call that
gets this text back, on whatever thread, finds the exception by the mark and raises it. The text
carries the mark because nothing else of a status reaches the caller.
"""

import collections
import itertools
import re
import threading
from typing import Optional

_MARK = re.compile(r" \[raised in a callback, (\d+)\]")
# More than ever are on their way; those that no call asked for are forgotten.
_KEPT = 256

_numbers = itertools.count(1)
_exceptions: "collections.OrderedDict[int, BaseException]" = collections.OrderedDict()
_lock = threading.Lock()


def keep_exception(error: BaseException) -> str:
    """The text of a status that stands for the exception."""
    number = next(_numbers)
    with _lock:
        _exceptions[number] = error
        while len(_exceptions) > _KEPT:
            _exceptions.popitem(last=False)
    return f"{type(error).__name__}: {error} [raised in a callback, {number}]"


def take_exception(message: str) -> Optional[BaseException]:
    """The exception that the text of a status stands for."""
    found = _MARK.search(message)
    if not found:
        return None
    with _lock:
        return _exceptions.pop(int(found.group(1)), None)

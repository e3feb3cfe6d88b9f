# SPDX-License-Identifier: MIT
"""Errors of batches: which one, which rows, what went wrong."""

from typing import Optional, Tuple

from ortc.errors import Error


class BatchError(Error):
    """A batch could not be scored for a reason outside the model: its workers died, or something
    else than ortc raised an exception, which is its `__cause__`."""


class NoWorker(Error, TimeoutError):
    """No worker came, or no result, for as long as the caller would wait."""


def named(error: BaseException, index: int, rows: Tuple[int, Optional[int]]) -> Error:
    """The exception for the caller: errors of ortc keep their type.

    It has the attributes `batch`, the batch's number from 0, and `rows`, its first row and the one
    behind its last; None where that is not known.
    """
    first, end = rows
    where = f"batch {index} (rows {first} to {'?' if end is None else end - 1})"
    if isinstance(error, Error):
        error.args = (f"{where}: {error}",)
        found = error
    else:
        found = BatchError(f"{where}: {type(error).__name__}: {error}")
        found.__cause__ = error
    found.batch, found.rows = index, rows  # type: ignore[attr-defined]
    return found

# SPDX-License-Identifier: MIT
"""Scoring more rows than one machine takes, on the engines that hold them.

`score` works in the process that calls it; engines call it from their functions and actors.
`map_batches` does the rest on a Dask cluster: order, back-pressure, retries, progress. It needs
dask.distributed, which is loaded when it is first asked for. All need numpy.
"""

from typing import TYPE_CHECKING, Any

from ortc.batch.errors import BatchError, NoWorker
from ortc.batch.model import Model
from ortc.batch.opened import close_model
from ortc.batch.score import score

if TYPE_CHECKING:
    from ortc.batch.dask_map import map_batches
    from ortc.batch.dask_prepare import prepare, release
    from ortc.batch.dask_worker import ContextPlugin

__all__ = ["BatchError", "ContextPlugin", "Model", "NoWorker", "close_model", "map_batches",
           "prepare", "release", "score"]

_ON_DASK = {"ContextPlugin": "dask_worker", "map_batches": "dask_map", "prepare": "dask_prepare",
            "release": "dask_prepare"}


def __getattr__(name: str) -> Any:
    if name not in _ON_DASK:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    try:
        importlib.import_module("distributed")
    except ImportError as error:
        raise ImportError(f"ortc.batch.{name} needs dask.distributed: install python3-distributed "
                          f"(Debian), or distributed with pip ({error})") from error
    return getattr(importlib.import_module(f"ortc.batch.{_ON_DASK[name]}"), name)

# SPDX-License-Identifier: MIT
"""What runs on Dask's workers: the plugin that opens the model, the tasks that score."""

import asyncio
import logging
from typing import Any, Dict, List, Optional, Tuple

from distributed import WorkerPlugin, get_worker

from ortc.batch import carried, opened
from ortc.batch.binder import Binder
from ortc.batch.model import Model
from ortc.batch.score import run_rows, score_opened
from ortc.batch.signature import Arrays
from ortc.cancel import CancelToken

_log = logging.getLogger("ortc")
# What stops the tasks that this process executes, by their keys.
_executing: Dict[str, CancelToken] = {}
# Files on their way into this machine, by the tokens of those who bring them.
_incoming: Dict[str, carried.Incoming] = {}


class ContextPlugin(WorkerPlugin):
    """Opens a model once per worker process, when it joins or when this is registered, and closes
    it when the worker leaves. A run whose task is cancelled is stopped.

    `map_batches` registers it; programs with tasks of their own do so themselves, and call
    `ortc.batch.score` in them. A model that cannot be opened fails the tasks that need it.
    """

    def __init__(self, model: Model):
        self.model = model
        self.name = plugin_name(model)

    async def setup(self, worker: Any) -> None:
        """Called by the worker."""
        opened.add_user(self.model)
        try:
            # Elsewhere than in the worker's event loop, which others wait for.
            await asyncio.to_thread(opened.open_model, self.model, worker.state.nthreads)
        except Exception as error:  # who needs the model asks again and hears why
            _log.info("%s is not open yet: %s", self.model.path, error)

    async def teardown(self, worker: Any) -> None:
        """Called by the worker."""
        opened.remove_user(self.model)

    def transition(self, key: str, start: str, finish: str, **_: Any) -> None:
        """Called by the worker, in its event loop, when a task goes from one state to another."""
        if not key.startswith(f"{self.name}-"):
            return
        if finish == "executing":
            _executing[key] = CancelToken()
        elif start == "executing":
            token = _executing.pop(key, None)
            if token is not None and finish in ("cancelled", "released"):
                token.cancel()


def plugin_name(model: Model) -> str:
    return f"ortc-{model.key}"


def _token(worker: Any, model: Model) -> CancelToken:
    """What stops the task of this thread. The task may have been cancelled before it comes here: it
    is not executing any more then."""
    token = _executing.get(worker.get_current_task())
    if token is None:
        token = CancelToken()
        if plugin_name(model) in worker.plugins:
            token.cancel()
    return token


# Tasks.


def score_arrays(model: Model, binder: Binder, feeds: Arrays, outputs: List[str],
                 batch_size: Optional[int]) -> Arrays:
    """Scores arrays that the client has checked."""
    worker = get_worker()
    found = opened.open_model(model, worker.state.nthreads)
    return run_rows(found, feeds, binder, outputs, batch_size, _token(worker, model))


def score_part(model: Model, binder: Binder, part: Any, outputs: List[str],
               batch_size: Optional[int]) -> Any:
    """Scores a part of a data frame or an array that is on the workers."""
    worker = get_worker()
    found = opened.open_model(model, worker.state.nthreads)
    return score_opened(found, binder, part, outputs, batch_size, _token(worker, model))


# Functions that the client runs on workers, beside their tasks.


async def describe(model: Model, dask_worker: Any) -> Tuple[bool, Any]:
    """Whether the plugin is there; and the model's signature, or why it cannot be opened."""
    answer: Any
    try:
        found = await asyncio.to_thread(opened.open_model, model, dask_worker.state.nthreads)
        answer = found.signature
    except Exception as error:  # whatever an open_session raises as well
        answer = error
    return plugin_name(model) in dask_worker.plugins, answer


def folder_without(cargo: carried.Cargo) -> Optional[Tuple[Any, ...]]:
    """None when the files are here; else what names the folder that lacks them, the same for all
    processes that share it."""
    return None if cargo.complete() else carried.identity(cargo.base)


def begin(cargo: carried.Cargo, token: str) -> None:
    _incoming[token] = carried.Incoming(cargo, token)


def write(token: str, name: str, chunk: bytes) -> None:
    _incoming[token].write(name, chunk)


async def finish(token: str) -> None:
    await asyncio.to_thread(_incoming.pop(token).finish)


def abandon(token: str) -> None:
    incoming = _incoming.pop(token, None)
    if incoming is not None:
        incoming.abandon()

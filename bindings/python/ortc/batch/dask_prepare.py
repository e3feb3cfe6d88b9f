# SPDX-License-Identifier: MIT
"""Makes a model ready on all workers of a Dask cluster: its files, its plugin, its signature."""

import time
import uuid
from typing import Any, Callable, Dict, List, Optional, TypeVar

from distributed import TimeoutError as DaskTimeout

from ortc.batch import carried, dask_worker
from ortc.batch.errors import NoWorker
from ortc.batch.model import Model
from ortc.batch.signature import Signature
from ortc.errors import Error, InvalidArgument

T = TypeVar("T")

_ATTEMPTS = 4


def prepare(client: Any, model: Model, *, timeout: Optional[float] = 600) -> Signature:
    """Brings a carried model's files, opens the model on every worker, now and when one joins, and
    gives its signature.

    Waits for a first worker, `timeout` seconds at most. A model that a worker cannot open raises
    what the worker says.
    """
    if client.asynchronous:
        raise InvalidArgument("this needs a client of a synchronous program: "
                              "Client(asynchronous=False)")
    try:
        client.wait_for_workers(1, timeout=timeout)
    except (DaskTimeout, TimeoutError):
        raise NoWorker(f"no worker joined the cluster within {timeout} seconds") from None
    return _though_workers_die(lambda: _prepare(client, model))


def _prepare(client: Any, model: Model) -> Signature:
    if model.cargo is not None:
        _bring(client, model.cargo)
    answers = _ask(client, dask_worker.describe, model)
    if not all(installed for installed, _ in answers.values()):
        _register(client, dask_worker.ContextPlugin(model))
        answers = _ask(client, dask_worker.describe, model)
    for address, (_, answer) in answers.items():
        if isinstance(answer, Error):
            answer.args = (f"worker {address}: {answer}",)
        if isinstance(answer, BaseException):
            raise answer
    signature: Signature = next(iter(answers.values()))[1]
    return signature


def release(client: Any, model: Model) -> None:
    """Closes the model on all workers, when runs under way have ended. Files of a carried model
    stay for the next time."""
    _though_workers_die(lambda: _release(client, dask_worker.plugin_name(model)))


def _release(client: Any, plugin: str) -> None:
    if any(plugin in names for names in _ask(client, _plugins).values()):
        client.unregister_worker_plugin(plugin)


def bring(client: Any, cargo: carried.Cargo) -> None:
    """Brings the files to every folder that lacks them, to each once."""
    _though_workers_die(lambda: _bring(client, cargo))


def _bring(client: Any, cargo: carried.Cargo) -> None:
    lacking = _ask(client, dask_worker.folder_without, cargo)
    chosen = {identity: address for address, identity in lacking.items() if identity is not None}
    if not chosen:
        return
    workers, token = list(chosen.values()), uuid.uuid4().hex
    described = cargo.described()
    try:
        client.run(dask_worker.begin, described, token, workers=workers)
        for file in cargo.files:
            for chunk in file.chunks():
                client.run(dask_worker.write, token, file.name, chunk, workers=workers)
        client.run(dask_worker.finish, token, workers=workers)
    except BaseException:
        client.run(dask_worker.abandon, token, workers=workers, on_error="ignore")
        raise


def _register(client: Any, plugin: Any) -> None:
    """Later releases of distributed have one function for all kinds of plugins."""
    if hasattr(client, "register_plugin"):
        client.register_plugin(plugin)
    else:
        client.register_worker_plugin(plugin)


def _plugins(dask_worker: Any) -> List[str]:
    return list(dask_worker.plugins)


def _ask(client: Any, function: Any, *arguments: Any) -> Dict[str, Any]:
    """Runs a function on all workers."""
    answers: Dict[str, Any] = client.run(function, *arguments)
    if not answers:
        raise NoWorker("the cluster has no worker any more")
    return answers


def _though_workers_die(work: Callable[[], T]) -> T:
    """Does it again when a worker that took part went away."""
    for attempt in range(1, _ATTEMPTS):
        try:
            return work()
        except (NoWorker, carried.FilesMissing):
            pass
        except OSError as error:
            # What a worker's own disk says has a number, and would be the same again.
            if isinstance(error, Error) or error.errno is not None:
                raise
        time.sleep(attempt)
    return work()

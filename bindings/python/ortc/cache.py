# SPDX-License-Identifier: MIT
"""Folders of compiled models. A session made with `cache_dir`, or with the config entry
"ep.context_cache_dir", finds what it would compile there, or compiles it once and keeps it; any
number of processes may use one folder."""

from typing import Optional

from ortc._core.handles import Path, create, encode_path, fitting_size
from ortc._native import lib
from ortc.env import Env, default_env
from ortc.inspection import Report, taken_report
from ortc.session_options import SessionOptions


def list_context_cache(cache_dir: Path) -> Report:
    """What is in the folder: `entries`, the one that was unused for the longest time first."""
    return taken_report(create(lib.OrtListContextCache, encode_path(cache_dir)))


def prune_context_cache(cache_dir: Path, max_bytes: int = 0) -> Report:
    """Removes entries, the longest unused first, until the others take no more than `max_bytes`."""
    return taken_report(create(lib.OrtPruneContextCache, encode_path(cache_dir),
                               fitting_size("max_bytes", max_bytes)))


def verify_context_cache(cache_dir: Path) -> Report:
    """Compares every byte with its hash; `report["sound"]` sums it up."""
    return taken_report(create(lib.OrtVerifyContextCache, encode_path(cache_dir)))


def explain_context_cache(model: Path, cache_dir: Path, options: Optional[SessionOptions] = None,
                          env: Optional[Env] = None) -> Report:
    """Whether the folder has what a session of the model would compile, and why."""
    return taken_report(create(lib.OrtExplainContextCache, (env or default_env())._native,
                               encode_path(model), encode_path(cache_dir),
                               options._native if options else None))

# SPDX-License-Identifier: MIT
"""Long measurements that somebody stops keep what they have measured."""

import signal
import sys

STOPPED = 130  # the exit code


def _interrupt(*_):
    raise KeyboardInterrupt


def collect(names, rows_of):
    """The rows of all names in turn, and whether Ctrl-C or SIGTERM came before the last."""
    rows = []
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        for number, name in enumerate(names):
            print(f"[{number + 1}/{len(names)}] {name}", file=sys.stderr, flush=True)
            rows += rows_of(name)
    except KeyboardInterrupt:
        print(f"stopped; {len(rows)} rows were measured", file=sys.stderr)
        return rows, True
    finally:
        signal.signal(signal.SIGTERM, before)
    return rows, False

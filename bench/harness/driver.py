# SPDX-License-Identifier: MIT
"""Starting the driver: a fresh process per sample, pinned, its files in the page cache."""

import json
import os
import subprocess

TIMEOUT_S = 1800
WARM_LIMIT_BYTES = 4 << 30


class DriverError(Exception):
    pass


def processors():
    """Those this process may use, in order."""
    return sorted(os.sched_getaffinity(0))


def pin(threads):
    """A prefix that pins a command to as many processors as it has threads."""
    mine = processors()
    if len(mine) < threads:
        raise DriverError(f"{threads} threads want as many processors, here are {len(mine)}")
    return ["taskset", "-c", ",".join(str(cpu) for cpu in mine[:threads])]


def warm(paths):
    """Reads the files once, so that no sample waits for the disk; of files that would drive
    others out of the page cache the beginning and the end."""
    buffer = bytearray(8 << 20)
    for path in paths:
        size = os.path.getsize(path)
        with open(path, "rb", buffering=0) as file:
            if size > WARM_LIMIT_BYTES:
                file.readinto(buffer)
                file.seek(size - len(buffer))
            while file.readinto(buffer):
                pass


def run(driver, arguments, threads):
    """The driver's result; DriverError with its own text when it failed."""
    command = [*pin(threads), driver, *arguments]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise DriverError(f"no result after {TIMEOUT_S} s: {' '.join(command)}") from None
    try:
        result = json.loads(done.stdout)
    except ValueError:
        tail = " ".join((done.stdout + done.stderr).split())[-300:]
        raise DriverError(f"exit code {done.returncode}: {tail}") from None
    if "error" in result or done.returncode != 0:
        raise DriverError(result.get("error", f"exit code {done.returncode}"))
    return result

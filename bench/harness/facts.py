# SPDX-License-Identifier: MIT
"""Numbers that no process measures: sizes of files, and limits."""

import os
import subprocess
import sys
import tempfile

from . import driver, ort_library, zoo
from .samples import MB, Unavailable


def _stripped_bytes(library):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "stripped")
        done = subprocess.run(["strip", "--strip-all", "-o", target, library],
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Unavailable(f"strip: {done.stderr.strip()}")
        return os.path.getsize(target)


def _weights(place, names):
    """Bytes of the initializers of the largest model: those of a pair are the same."""
    script = "import sys; sys.path.insert(0, sys.argv[1]); import shared_list\n" \
             "print(max(shared_list.weight_bytes(path) for path in sys.argv[2:]))"
    folder = os.path.join(zoo.ROOT, "bench", "harness")
    done = subprocess.run([zoo.PYTHON, "-c", script, folder, *map(place.source, names)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Unavailable(f"{done.stderr.strip().splitlines()[-1]}")
    return int(done.stdout)


# In the unit of their names.
LIMITS = {"sixteen_mb": 16, "low_memory_mb": 64}


def find(place, name):
    """The number, in the unit of its name. Raises Unavailable or DriverError."""
    kind, _, of = name.partition(".")
    if name in LIMITS:
        return LIMITS[name]
    if kind == "weights_mb":
        return _weights(place, zoo.PAIRS.get(of, (of,))) / MB
    if kind == "written_mb":
        files = place.files_of(place.pair_contexts(of)[0])
        return sum(os.path.getsize(path) for path in files) / MB
    if kind == "library_mb":
        return _stripped_bytes(os.path.realpath(place.libraries["ours"])) / MB
    if kind == "theirs_library_mb":
        return ort_library.LIBRARY_BYTES / MB
    if kind == "run_only_mb":
        library = os.path.join(os.path.dirname(place.libraries["ours"]), "libort_c_run.so")
        if not os.path.exists(library):
            raise Unavailable("there is no library that only runs contexts (libort_c_run.so)")
        return _stripped_bytes(os.path.realpath(library)) / MB
    raise driver.DriverError(f"there is no fact '{name}'")

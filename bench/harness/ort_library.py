# SPDX-License-Identifier: MIT
"""ONNX Runtime's CPU library, from the npm package of its Node binding.

The package's digest is fixed here, so what is measured is the same everywhere. With
ORTC_ORT_LIBRARY set nothing is fetched.
"""

import os
import platform
import shutil
import tarfile

from . import npm_package

VERSION = "1.30.0"
PACKAGE = npm_package.Package("onnxruntime-node", VERSION, "twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2"
                              "Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw==")
FOLDERS = {"x86_64": "x64", "aarch64": "arm64"}
NAME = "libonnxruntime.so.1"
# Of the x86-64 library; the rows of size divide by it on every machine.
LIBRARY_BYTES = 45_828_512


def _fetch(folder):
    """The package's archive in the folder; ends the program when it is not to be had."""
    try:
        return npm_package.obtain(PACKAGE, folder)
    except (npm_package.Missing, npm_package.Changed) as error:
        raise SystemExit(f"bench: {error}, and ORTC_ORT_LIBRARY is not set: there is nothing to "
                         "compare with") from None


def obtain(folder):
    """The path of the library: ORTC_ORT_LIBRARY, or out of the package; ends the program, and
    says why, when there is none."""
    given = os.environ.get("ORTC_ORT_LIBRARY")
    if given:
        if not os.path.isfile(given):
            raise SystemExit(f"bench: ORTC_ORT_LIBRARY names {given}, which is not a file")
        return os.path.abspath(given)
    if platform.machine() not in FOLDERS:
        raise SystemExit(f"bench: {PACKAGE.name} has no library for {platform.machine()}; "
                         "set ORTC_ORT_LIBRARY")
    library = os.path.join(folder, NAME)
    if not os.path.exists(library):
        archive = _fetch(folder)
        member = f"package/bin/napi-v6/linux/{FOLDERS[platform.machine()]}/{NAME}"
        with tarfile.open(archive) as tar, tar.extractfile(member) as source:
            with open(library + ".part", "wb") as target:
                shutil.copyfileobj(source, target)
        os.rename(library + ".part", library)
    return library

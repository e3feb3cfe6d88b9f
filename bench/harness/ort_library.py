# SPDX-License-Identifier: MIT
"""ONNX Runtime's CPU library, from the npm package of its Node binding.

The package's digest is fixed here, so what is measured is the same everywhere. With
ORTC_ORT_LIBRARY set nothing is fetched.
"""

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import tarfile

PACKAGE = "onnxruntime-node"
VERSION = "1.30.0"
SHA512 = "twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw=="
FOLDERS = {"x86_64": "x64", "aarch64": "arm64"}
NAME = "libonnxruntime.so.1"
# Of the x86-64 library; the rows of size divide by it on every machine.
LIBRARY_BYTES = 45_828_512


def _digest(path):
    digest = hashlib.sha512()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return base64.b64encode(digest.digest()).decode()


def _fetch(folder):
    """Packs the package into the folder; its verified archive."""
    archive = os.path.join(folder, f"{PACKAGE}-{VERSION}.tgz")
    if not os.path.exists(archive):
        if shutil.which("npm") is None:
            raise SystemExit("bench: npm is not installed, and ORTC_ORT_LIBRARY is not set: "
                             "there is nothing to compare with")
        os.makedirs(folder, exist_ok=True)
        done = subprocess.run(["npm", "pack", f"{PACKAGE}@{VERSION}", "--silent"], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0 or not os.path.exists(archive):
            raise SystemExit(f"bench: npm pack {PACKAGE}@{VERSION} failed, and ORTC_ORT_LIBRARY "
                             f"is not set: there is nothing to compare with\n{done.stderr}")
    if _digest(archive) != SHA512:
        os.remove(archive)
        raise SystemExit(f"bench: {PACKAGE}-{VERSION}.tgz is not the package that this program "
                         "knows (its SHA-512 differs); it was removed")
    return archive


def obtain(folder):
    """The path of the library: ORTC_ORT_LIBRARY, or out of the package; ends the program, and
    says why, when there is none."""
    given = os.environ.get("ORTC_ORT_LIBRARY")
    if given:
        if not os.path.isfile(given):
            raise SystemExit(f"bench: ORTC_ORT_LIBRARY names {given}, which is not a file")
        return os.path.abspath(given)
    if platform.machine() not in FOLDERS:
        raise SystemExit(f"bench: {PACKAGE} has no library for {platform.machine()}; "
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

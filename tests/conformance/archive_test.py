#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs conformance_test over all cases of ONNX 1.23, of which Debian packages those of 1.12.

    archive_test.py CONFORMANCE_TEST

The archive (folders node, simple and so on, in a tar file compressed with zstd) is looked for beside
the source tree, as shared/onnx-conformance/onnx-1.23.tar.zst, or where ORTC_ONNX_ARCHIVE says.
Without it, or without the program zstd, the test is skipped (exit code 77) and says so.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ARCHIVE = "shared/onnx-conformance/onnx-1.23.tar.zst"
EXPECTED = HERE / "archive_expected_failures.txt"
CASES = 1980
SKIPPED = 77


def find_archive():
    named = os.environ.get("ORTC_ONNX_ARCHIVE")
    places = [pathlib.Path(named)] if named else [ROOT.parent / ARCHIVE, ROOT.parents[1] / ARCHIVE]
    return next((place for place in places if place.is_file()), None)


def unpack(archive, work):
    """One folder with a link to each case; the sets of the archive share no name."""
    sets = work / "sets"
    sets.mkdir()
    subprocess.run(["tar", "--zstd", "-C", sets, "-xf", archive], check=True)
    cases = work / "archive"
    cases.mkdir()
    for case in sorted(sets.glob("*/*")):
        (cases / case.name).symlink_to(case)
    return cases


def main():
    archive = find_archive()
    if archive is None or shutil.which("zstd") is None:
        print(f"SKIPPED: {'the program zstd' if archive else ARCHIVE} is not here; "
              "the cases of ONNX 1.23 did not run")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        cases = unpack(archive, work)
        found = len(list(cases.iterdir()))
        if found != CASES:
            sys.exit(f"{archive} has {found} cases, and {CASES} were expected")
        report = os.environ.get("ORTC_CONFORMANCE_TSV", str(work / "archive.tsv"))
        environment = {**os.environ, "ORTC_CONFORMANCE_CASES": str(cases),
                       "ORTC_CONFORMANCE_EXPECTED": str(EXPECTED), "ORTC_CONFORMANCE_TSV": report}
        sys.exit(subprocess.run([sys.argv[1]], env=environment).returncode)


if __name__ == "__main__":
    main()

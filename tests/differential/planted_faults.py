#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ten faults, planted one at a time: the fuzzer finds each.

    planted_faults.py BUILD_FOLDER [WORD]
    planted_faults.py --lines

planted_faults.tsv says which lines are wrong in which source. For each fault the sources are
compiled again with that line changed, into a library of its own that the fuzzer is run with; the
build itself and the sources stay as they are. WORD takes the faults that have it in their names.
Ends with a table of how many graphs each needed. --lines only looks whether each source has the
line of its fault, once.
Without ONNX Runtime's library (ORTC_ORT_LIBRARY) faults that every route has are not found, and
are said to be so.
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "planted_faults.tsv")
LIBRARY = "lib/libortc_internals.so"
GRAPHS, STEP = 3000, 250
# In what all routes and the reference run: only another library can tell.
EVERYWHERE = ("a broadcast is missed", "an optional output is lost",
              "a body captures something else")


def faults():
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield (line.rstrip("\n") + "\t").split("\t")[:5]


def command(build, target):
    """The command that makes a file of the build."""
    lines = subprocess.run(["ninja", "-C", build, "-t", "commands", target], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    return [line for line in lines.split("\n") if line and not line.startswith("ninja:")][-1]


def text_with_fault(path, before, after):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    if text.count(before) != 1:
        sys.exit(f"{path} has the line of a planted fault {text.count(before)} times: {before}")
    return text.replace(before, after)


def changed(path, before, after, folder):
    """The file with its fault, below the folder; its place there."""
    text = text_with_fault(path, before, after)
    place = os.path.join(folder, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)
    return place


def object_of(link, source):
    """Its file among those that the command links."""
    for item in link.split():
        if item.endswith(f"objects.dir/{source}.o"):
            return item
    sys.exit(f"{source} is not part of {LIBRARY}")


def library_with(build, fault, folder):
    _, path, before, after, sources = fault
    place = changed(path, before, after, folder)
    link = command(build, LIBRARY)
    for source in sources.split() or [path]:
        item = object_of(link, source)
        fresh = os.path.join(folder, os.path.basename(source) + ".o")
        compile_it = command(build, item).replace(f"-o {item}", f"-o {fresh}")
        compile_it = compile_it.replace(f"-MF {item}.d", f"-MF {fresh}.d")
        compile_it = compile_it.replace(f"-I{ROOT} ", f"-I{folder} -I{ROOT} ", 1)
        if source == path:
            compile_it = compile_it.replace(f"-c {ROOT}/{source}", f"-c {place}")
        subprocess.run(compile_it, shell=True, cwd=build, check=True)
        link = link.replace(f" {item} ", f" {fresh} ")
    link = link.replace(f"-o {LIBRARY}", f"-o {folder}/libortc_internals.so")
    subprocess.run(link, shell=True, cwd=build, check=True)


def is_sound(build, line):
    """Whether the graph of a disagreement agrees without the fault."""
    done = subprocess.run([os.path.join(build, "test/bin/ortc_fuzzer"), "--first",
                           line.split()[2], "--count", "1"], stdout=subprocess.PIPE, text=True)
    return "DISAGREEMENT" not in done.stdout


def first_found(build, folder):
    """How many graphs it took, and what was said; nothing when all agreed. The graphs of a step
    are run in any order: the one with the smallest number counts."""
    environment = dict(os.environ, LD_LIBRARY_PATH=folder)
    for first in range(0, GRAPHS, STEP):
        done = subprocess.run(
            [os.path.join(build, "test/bin/ortc_fuzzer"), "--first", str(first), "--count",
             str(STEP), "--workers", "2"], env=environment, stdout=subprocess.PIPE, text=True)
        lines = [line for line in done.stdout.split("\n") if line.startswith("DISAGREEMENT")]
        for line in sorted(lines, key=lambda line: int(line.split()[2])):
            if is_sound(build, line):
                return int(line.split()[2]) + 1, line
    return None


def main():
    if sys.argv[1] == "--lines":
        for _, path, before, after, _ in faults():
            text_with_fault(path, before, after)
        return 0
    build, word = os.path.abspath(sys.argv[1]), (sys.argv[2:] + [""])[0]
    failed, table = 0, []
    for fault in faults():
        if word not in fault[0]:
            continue
        folder = tempfile.mkdtemp()
        try:
            library_with(build, fault, folder)
            found = first_found(build, folder)
        finally:
            shutil.rmtree(folder)
        if found:
            table.append(f"{found[0]:6} {fault[0]}")
            print(f"found by graph {found[0]}: {fault[0]}: {found[1][:160]}", flush=True)
        elif fault[0] in EVERYWHERE and not os.environ.get("ORTC_ORT_LIBRARY"):
            table.append(f"     - {fault[0]}")
            print(f"NOT RUN: {fault[0]}: every route has it, and ORTC_ORT_LIBRARY is not set")
        else:
            failed += 1
            table.append(f"   not {fault[0]}")
            print(f"NOT FOUND: {fault[0]}", flush=True)
    print("graphs fault", *table, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

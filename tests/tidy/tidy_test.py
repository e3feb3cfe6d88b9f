#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks what a compiler does not: the order of stages, where libraries are seen, rooms, names, texts.

  tidy_test.py [--cc COMPILER]

Looks at the source tree this file stands in, needs plain Python, and prints one line per problem.
"""

import argparse
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The law of core/README.md: a stage sees itself and the stages before it.
STAGES = ("base platform options proto graph ops kernel rewrite optimise plan provider partition "
          "compile context package run session api").split()
PROVIDERS_SEE = STAGES[: STAGES.index("compile") + 1]

# Includes that break the law for a reason.
EXCEPTIONS = {
    ("tests/api/api_testing.h", "cmocka.h"):
        "tests of the C interface are C, the shim of tests/support is C++",
}

# Each library is seen from one folder only, of the core and of the tool; headers generated from
# onnx.proto count as protobuf-c.
LIBRARIES = {
    r"uv\.h|uv/.*": "core/platform",
    r"zstd.*\.h": "core/platform",
    r"xxh(ash|3)\.h": "core/base",
    r"protobuf-c/.*|.*\.pb-c\.h": "core/proto",
    r"cmocka.*\.h": "tests/support",
    r"CLI/.*": "tools/ortc/command_line",
    r"nlohmann/.*": ("core/package", "tools/ortc/output"),
    r"re2/.*": "extra",
    r"jpeglib\.h|jerror\.h|openjpeg\.h|png\.h|tiff.*\.h|webp/.*": "extra/images",
}
# Programs: what they see is the public interface.
TOOLS = ("tools/ortc/", "tools/ep_weight_sharing_ctx_gen/")
LOADED = "providers/ortc_ep/"
# What libort_c_extra.so sees of the core: it is linked to nothing of it.
EXTRA_SEES = ("core/base/checked_math.h",)
# Of each folder the fewest files: some are slow to compile, and of libraries that may be missing one
# file is left out.
ONE_FILE = {r"CLI/.*": ("tools/ortc/command_line/arguments.cc",
                        "tools/ortc/command_line/command_builder.cc"),
            r"nlohmann/.*": ("core/package/json_tree.cc", "tools/ortc/output/json.cc"),
            r"re2/.*": ("extra/regex_re2.cc",),
            r"jpeglib\.h|jerror\.h": ("extra/images/read_jpeg.c",),
            r"openjpeg\.h": ("extra/images/read_jpeg2000.cc",),
            r"png\.h": ("extra/images/read_png.c",),
            r"tiff.*\.h": ("extra/images/read_tiff.c",),
            r"webp/.*": ("extra/images/read_webp.c",)}

# More than that is two rooms.
ENTRIES_MOST = 40
ROOMS = ("core/", "providers/")
# The core speaks to execution providers by the names that their factories have.
PROVIDER_NAME = re.compile(
    r"\b(?i:\w+ExecutionProvider|AOT|CPU (execution )?provider)\b|^CPU$")
NAMES_PROVIDERS = "core/api/abi/"  # ONNX Runtime's tables have functions for single providers

CODE = (".h", ".cc", ".c", ".inc")
TEXT = CODE + (".py", ".sh", ".md", ".txt", ".cmake", ".proto", ".tsv", ".map")
MACHINE_PATH = re.compile(r"(?<![\w.])/(root|work|home/\w+)/")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME)\b")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
STAGE_ROW = re.compile(r"^\| (\w+) \| `core/(\w+)/` \|", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)


def read_tree():
    """Path below the root -> text, of every text file that belongs to the project."""
    files = {}
    for folder, folders, names in os.walk(ROOT):
        below = os.path.relpath(folder, ROOT)
        folders[:] = [name for name in folders
                      if name not in ("__pycache__", ".git", ".cache")
                      and not (below == "." and name.startswith("build"))]
        for name in names:
            path = name if below == "." else f"{below}/{name}"
            is_text = name.endswith(TEXT) or name in ("Makefile", "run")
            if is_text and not os.path.islink(os.path.join(ROOT, path)):
                with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
                    files[path] = file.read()
    return files


def includes_of(files):
    for path, text in files.items():
        if path.endswith(CODE):
            for included in INCLUDE.findall(text):
                yield path, included


def check_stages(files):
    """Stages see earlier stages, providers the core up to compile, the tool the C interface."""
    for path, included in includes_of(files):
        if (path, included) in EXCEPTIONS:
            continue
        parts, seen = path.split("/"), included.split("/")
        if parts[0] == "core":
            if parts[1] not in STAGES:
                yield f"{path}: core/{parts[1]} is not a stage"
            elif seen[0] in ("providers", "tools", "tests"):
                yield f"{path}: the core does not see {included}"
            elif seen[0] == "core" and seen[1] not in STAGES:
                yield f"{path}: {included} is in no stage"
            elif seen[0] == "core" and STAGES.index(seen[1]) > STAGES.index(parts[1]):
                yield f"{path}: stage {parts[1]} does not see {included}"
        elif path.startswith(LOADED):  # what is loaded by other runtimes sees what it needs
            if seen[0] == "core" and seen[1] == "api":
                yield f"{path}: a library sees the tables of its host, not {included}"
        elif parts[0] == "providers" and len(parts) > 2:  # those above only list the providers
            if seen[0] == "core" and seen[1] not in PROVIDERS_SEE:
                yield f"{path}: providers see the core up to compile, not {included}"
        elif path.startswith(TOOLS) and seen[0] in ("core", "providers", "tests"):
            yield f"{path}: the tool sees include/ort_c only, not {included}"
        elif parts[0] == "bench" and seen[0] in ("core", "providers", "tools", "tests"):
            yield f"{path}: the benchmark sees include/ort_c only, not {included}"
        elif parts[0] == "extra" and seen[0] in ("core", "providers", "tools", "tests"):
            if included not in EXTRA_SEES:
                yield f"{path}: libort_c_extra.so sees {' '.join(EXTRA_SEES)} only, not {included}"
        elif parts[0] == "include" and seen[0] in ("core", "providers", "tools", "tests"):
            yield f"{path}: public headers see public headers only, not {included}"


def check_exceptions(files):
    """An exception that nothing uses is struck off the list."""
    used = set(includes_of(files))
    for pair in EXCEPTIONS:
        if pair not in used:
            yield f"tests/tidy/tidy_test.py: {pair[0]} does not include {pair[1]} any more"


def check_libraries(files):
    """Each library's headers are seen from one folder."""
    for path, included in includes_of(files):
        if (path, included) in EXCEPTIONS:
            continue
        for pattern, seen_from in LIBRARIES.items():
            folders = seen_from if isinstance(seen_from, tuple) else (seen_from,)
            if re.fullmatch(pattern, included) and not path.startswith(
                    tuple(folder + "/" for folder in folders)):
                yield f"{path}: <{included}> is seen from {' and '.join(folders)} only"
        for pattern, files_of in ONE_FILE.items():
            if re.fullmatch(pattern, included) and path not in files_of:
                yield f"{path}: <{included}> is seen from {' and '.join(files_of)} only"


def check_lost_files(files):
    """Every header and list is included by another file."""
    # By its path, or by its name from a file beside it.
    pairs = list(includes_of(files))
    included = {name for _, name in pairs} | {f"{os.path.dirname(path)}/{name}" for path, name in pairs}
    build = "".join(text for path, text in files.items()
                    if path.endswith((".cmake", "CMakeLists.txt")))
    for path in files:
        if path.endswith((".h", ".inc")) and path.startswith(("core/", "extra/", "providers/", "tools/")):
            if path not in included and path not in build:
                yield f"{path}: nobody includes it"


def check_names(files):
    """Files of the core have names of their own, so that a name finds a file."""
    places = collections.defaultdict(list)
    for path in files:
        if path.startswith("core/") and path.endswith(CODE):
            places[os.path.basename(path)].append(path)
    for name, paths in sorted(places.items()):
        if len(paths) > 1:
            yield f"{name} is the name of {' and '.join(sorted(paths))}"


def check_rooms(files):
    """A folder has at most ENTRIES_MOST entries; a folder beneath it is one of them."""
    entries = collections.defaultdict(set)
    for path in files:
        if path.startswith(ROOMS):
            parts = path.split("/")
            for depth in range(1, len(parts)):
                entries["/".join(parts[:depth])].add(parts[depth])
    for folder, names in sorted(entries.items()):
        if len(names) > ENTRIES_MOST:
            yield f"{folder}: {len(names)} entries, at most {ENTRIES_MOST}"


def check_provider_names(files):
    """No text of the core names a provider; comments may."""
    for path, text in files.items():
        if not path.startswith("core/") or path.startswith(NAMES_PROVIDERS):
            continue
        if not path.endswith(CODE):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if INCLUDE.match(line):
                continue
            for string in STRING.findall(line.split("// ")[0]):
                if PROVIDER_NAME.search(string):
                    yield f'{path}:{number}: "{string}" names a provider'


def check_stage_tables(files):
    """The tables of stages have every folder of the core, in the order of the law."""
    for document in ("core/README.md", "README.md"):
        rows = STAGE_ROW.findall(files.get(document, ""))
        if [name for name, _ in rows] != STAGES or any(name != folder for name, folder in rows):
            yield f"{document}: expected the stages {' '.join(STAGES)}, in this order"
    folders = {path.split("/")[1] for path in files
               if path.startswith("core/") and path.count("/") > 1}
    for stage in STAGES:
        if stage not in folders:
            yield f"tests/tidy/tidy_test.py: there is no core/{stage}"


def check_texts(files):
    """Licence lines first, lines of 100 columns, no unfinished work, no path of one machine."""
    for path, text in files.items():
        lines = text.split("\n")
        if path.endswith(CODE + (".py", ".sh")):
            first = lines[1:2] if lines[0].startswith("#!") else lines[0:1]
            if not first or "SPDX-License-Identifier: MIT" not in first[0]:
                yield f"{path}:1: the line SPDX-License-Identifier: MIT comes first"
        is_generated = path.endswith(".inc") and any("Generated by " in line for line in lines[:3])
        for number, line in enumerate(lines, 1):
            if path.endswith(CODE) and not is_generated and len(line) > 100:
                yield f"{path}:{number}: {len(line)} columns, at most 100"
            if MACHINE_PATH.search(line):
                yield f"{path}:{number}: a path of one machine"
            if UNFINISHED.search(line):
                yield f"{path}:{number}: unfinished work belongs in an error status or nowhere"


def check_documents(files):
    """Paths and names that the maps of the tree and the tour put in backticks are there."""
    sources = "\n".join(text for path, text in files.items()
                        if path.startswith(("core/", "providers/", "include/", "tools/")))
    words = set(re.findall(r"\w+", sources))
    tops = {path.split("/")[0] for path in files if "/" in path}
    basenames = {os.path.basename(path) for path in files}
    for document in ("README.md", "docs/tour.md", "core/README.md", "providers/README.md",
                     "tests/README.md", "CONTRIBUTING.md"):
        text = re.sub(r"```.*?```", "", files.get(document, ""), flags=re.DOTALL)
        if not text:
            yield f"{document}: is missing"
        named = re.findall(r"`([^`\n]+)`", text)
        named += [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if ":" not in link]
        for name in named:
            is_path = re.fullmatch(r"[\w.+-]+(/[\w.+-]+)*/?", name) and (
                name.split("/")[0] in tops or re.search(r"\.(h|cc|c|py|sh|md|inc|proto)$", name))
            if is_path and not name.startswith("build/"):
                beside = os.path.join(ROOT, os.path.dirname(document), name)
                exists = os.path.exists(os.path.join(ROOT, name)) or os.path.exists(beside)
                if not exists and not ("/" not in name and name in basenames):
                    yield f"{document}: there is no {name}"
            elif document == "docs/tour.md" and re.fullmatch(r"[A-Za-z_][\w:]*(\(\))?", name):
                word = re.split(r"::", name.rstrip("()"))[-1]
                if word not in words:
                    yield f"{document}: no source has the name {name}"


def check_samples(files, compiler):
    """C programs in the documents compile."""
    for document in ("README.md", "docs/tour.md"):
        for number, program in enumerate(
                re.findall(r"```c\n(.*?)```", files.get(document, ""), re.DOTALL), 1):
            command = [compiler, "-x", "c", "-std=c11", "-Wall", "-Wextra", "-Werror",
                       "-fsyntax-only", f"-I{ROOT}/include", "-"]
            done = subprocess.run(command, input=program, text=True, capture_output=True)
            if done.returncode != 0:
                yield f"{document}: C program {number} does not compile:\n{done.stderr}"


def check_example_of_a_row(files):
    """What the page about config keys says is added (its first diff) stands in the files it names."""
    document = "docs/add-a-config-key.md"
    example = re.search(r"```diff\n(.*?)```", files.get(document, ""), re.DOTALL)
    for part in example.group(1).split("--- ")[1:] if example else ():
        name, *lines = part.splitlines()
        text = " ".join(files.get(name, "").split())
        for line in lines:
            pieces = [" ".join(piece.split()) for piece in line[1:].split("...")]
            if name in files and not re.search(".*".join(map(re.escape, pieces)), text):
                yield f"{document}: {name} has no {line[1:].strip()}"


def check_generated(files):
    """What is generated from the headers is as fresh as they are."""
    done = subprocess.run([sys.executable, f"{ROOT}/tools/generate_functions.py", "--check"],
                          text=True, capture_output=True)
    if done.returncode != 0:
        yield f"tools/generate_functions.py --check:\n{done.stdout}{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cc", default="cc", help="a C compiler for the programs in documents")
    args = parser.parse_args()
    files = read_tree()
    problems = []
    for check in (check_stages, check_exceptions, check_libraries, check_stage_tables,
                  check_lost_files, check_names, check_rooms, check_provider_names, check_texts,
                  check_documents, check_example_of_a_row, check_generated):
        problems += check(files)
    problems += check_samples(files, args.cc)
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

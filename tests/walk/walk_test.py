#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Walks over the published schemas: every operator, every version that changed it, every type.

  walk_test.py LIBRARY_FOLDER [--routes level0,level99,aot] [--matrix FOLDER] [--only OPERATOR,...]

Each case is a model of one node, loaded and run; its result is compared with numpy. The test fails
when a case does not run and no line of not_run.tsv names it, when a line names one that runs, when
a number is wrong, when the library dies, or when a type of a constraint is in no case. Types that a
constraint does not allow are tried too: they are refused as an invalid graph, or run. With
--matrix the outcome of every case is written to matrix.tsv, and a line for each version of an
operator to matrix.txt. Exits 77 where numpy or python3-onnx is missing.
"""

import argparse
import collections
import fnmatch
import mmap
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
try:
    import numpy  # noqa: F401
    import onnx  # noqa: F401  (the numpy evaluator needs it)
except ImportError as missing:
    print(f"NOTHING RAN: {missing}; install python3-numpy and python3-onnx", file=sys.stderr)
    sys.exit(77)

import signatures
import walk

# Those of com.microsoft are tested operator by operator.
DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")
RUNS = ("numpy", "widened", "types")
# They need libort_c_extra.so, which may not be there; tests of their own compare what they give.
OPTIONAL = ("ImageDecoder", "RegexFullMatch")
LIST = os.path.join(HERE, "not_run.tsv")


def all_cases(only):
    walked = [signature for signature in signatures.read() if signature.domain in DOMAINS
              if not only or signature.name in only]
    newest = {(signature.domain, signature.name): signature for signature in walked}
    return [case for signature in walked for case in walk.cases_of(signature)] + [
        case for signature in newest.values() for case in walk.cases_beyond(signature)]


# In a worker: outcomes of a share of the cases, as lines of number, outcome, types of the results.


def work(arguments):
    import library

    cases = all_cases(arguments.only)
    routes = [(name, library.options_of(name)) for name in arguments.routes]
    with open(arguments.progress, "r+b") as file:
        progress = mmap.mmap(file.fileno(), 8)
    for number in range(arguments.first, len(cases), arguments.step):
        progress[:] = number.to_bytes(8, "little")
        outcome, kinds = examine(library, cases[number], routes)
        print(number, outcome.replace("\t", " ").replace("\n", " "), ",".join(kinds), sep="\t")
    progress[:] = (1 << 62).to_bytes(8, "little")


def examine(library, case, routes):
    model, values = walk.model_of(case), walk.inputs_of(case)
    first = None
    for name, options in routes:
        try:
            found = library.run(model, values, options)
        except library.Error as error:
            outcome = f"{type(error).__name__}: {error}"
            return (outcome if first is None else f"wrong: by {name} {outcome}"), []
        if case.is_beyond:
            return "more than asked", []
        if first is None:
            first = found
        wrong = compare(case, found, [value for _, value in first]) if found is not first else None
        if wrong:
            return f"wrong: by {name} {wrong}", []
    kinds = [kind for kind, _ in first]
    how, expected = expected_results(library, case, kinds, routes[0][1])
    wrong = None if expected is None else compare(case, first, expected)
    return (f"wrong: {wrong}" if wrong else how), kinds


def expected_results(library, case, kinds, options):
    expected = walk.evaluated(case, kinds)
    if expected is not None:
        return "numpy", expected
    wider = walk.widest(case) if case.form.expected == walk.WIDENED else None
    if wider is None:
        return "types", None
    values = walk.widened_inputs(case, wider)
    results = library.run(walk.model_of(wider, values), values, options)
    return "widened", [value for _, value in results]


def compare(case, found, expected):
    if len(found) != len(expected):
        return f"{len(found)} outputs, expected {len(expected)}"
    for (kind, value), other in zip(found, expected):
        wrong = walk.difference(kind, value, other, case.form.steps)
        if wrong:
            return f"{kind} {wrong}"
    return None


# The parent.


def run_share(arguments, share, count, outcomes, kinds):
    """Runs every `count`-th case from `share` on, in processes: a new one after each that dies."""
    first = share
    while first < count:
        with tempfile.NamedTemporaryFile() as progress:
            progress.write(bytes(8))
            progress.flush()
            command = [sys.executable, "-X", "faulthandler", __file__, arguments.library, "--first",
                       str(first), "--step", str(arguments.jobs), "--progress", progress.name,
                       "--routes", ",".join(arguments.routes)]
            if arguments.only:
                command += ["--only", ",".join(arguments.only)]
            environment = dict(os.environ, ORTC_LIBRARY_PATH=arguments.library,
                               PYTHONDONTWRITEBYTECODE="1")
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True, env=environment)
            yield  # the other share starts as well
            out, err = process.communicate()
            with open(progress.name, "rb") as file:
                current = int.from_bytes(file.read(8), "little")
        for line in out.splitlines():
            number, outcome, found = line.split("\t")
            outcomes[int(number)] = outcome
            kinds[int(number)] = [kind for kind in found.split(",") if kind]
        if process.returncode == 0:
            return
        if current not in range(count):
            raise SystemExit(f"a worker failed:\n{err}")
        outcomes[current] = f"crash: {err.strip().splitlines()[0] if err.strip() else 'no words'}"
        print(err, file=sys.stderr)
        first = current + arguments.jobs


def run_all(arguments, cases):
    outcomes, kinds = {}, {}
    shares = [run_share(arguments, share, len(cases), outcomes, kinds)
              for share in range(arguments.jobs)]
    while shares:
        shares = [share for share in shares if next(share, "ended") != "ended"]
    return outcomes, kinds


def listed():
    """(domain, operator, versions or None, pattern of types, reason) of each line of the list."""
    lines = []
    with open(LIST, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                domain, name, versions, types, reason = line.rstrip("\n").split("\t")
                lines.append((domain if domain != "ai.onnx" else "", name, None if versions == "*"
                              else tuple(int(v) for v in versions.split(",")), types, reason))
    return lines


def types_of(case):
    return ",".join(f"{name}={walk.short(kind)}" for name, kind in case.types.items()) or "-"


def names(line, case):
    domain, name, versions, types, _ = line
    return (case.signature.domain == domain and case.signature.name == name
            and (versions is None or case.signature.since in versions)
            and fnmatch.fnmatchcase(types_of(case), types))


def judge(cases, outcomes, lines):
    """What is wrong with the outcomes, in words."""
    by_operator = collections.defaultdict(list)
    for line in lines:
        by_operator[line[:2]].append(line)
    used = set()
    for number, case in enumerate(cases):
        outcome = outcomes.get(number, "crash: the worker never came to it")
        matching = [line for line in by_operator.get((case.signature.domain, case.signature.name), ())
                    if names(line, case)]
        if case.is_beyond:
            if not matching and not outcome.startswith(("more than asked", "InvalidGraph", "InvalidArgument")):
                yield f"{case}: {outcome}"
            continue
        used.update(matching)
        if outcome.startswith(("wrong", "crash")):
            yield f"{case}: {outcome}"
        elif case.signature.name in OPTIONAL:
            continue
        elif matching and outcome in RUNS:
            yield f"{case}: runs, although not_run.tsv has it: {matching[0][3]}"
        elif not matching and outcome not in RUNS:
            yield f"{case}: {outcome}"
    for line in lines:
        if line not in used:
            yield f"not_run.tsv: no case is {line[0] or 'ai.onnx'} {line[1]} {line[2]} {line[3]}"


def uncovered(cases, kinds, lines):
    """Types of constraints that no case has, neither given nor found."""
    seen = collections.defaultdict(set)
    for number, case in enumerate(cases):
        if case.is_beyond:
            continue
        signature = case.signature
        key = (signature.domain, signature.name, signature.since)
        for constraint, kind in case.types.items():
            seen[key, constraint].add(kind)
        for place, kind in enumerate(kinds.get(number, ())):
            seen[key, signature.output(place).type].add(kind)
    listed_operators = {line[:2] for line in lines}
    for signature in signatures.read():
        key = (signature.domain, signature.name, signature.since)
        if signature.domain not in DOMAINS or key[:2] in listed_operators:
            continue
        used = {parameter.type for parameter in signature.inputs + signature.outputs}
        for constraint, allowed in signature.constraints.items():
            if constraint not in used:
                continue
            missing = [kind for kind in allowed if kind not in seen[key, constraint]
                       and not _is_same(kind, seen[key, constraint])]
            if missing:
                yield f"{key[0] or 'ai.onnx'}:{key[1]}-{key[2]}: no case has {constraint}={missing}"


def _is_same(kind, seen):
    """An optional that has content is found as its content."""
    return kind.startswith("optional(") and kind[9:-1] in seen


def write_matrix(folder, cases, outcomes):
    os.makedirs(folder, exist_ok=True)
    rows = collections.defaultdict(collections.Counter)
    with open(os.path.join(folder, "matrix.tsv"), "w", encoding="utf-8") as file:
        print("domain", "operator", "version", "types", "form", "outcome", sep="\t", file=file)
        for number, case in enumerate(cases):
            signature = case.signature
            outcome = outcomes.get(number, "crash")
            print(signature.domain or "ai.onnx", signature.name, signature.since, types_of(case),
                  case.number, outcome, sep="\t", file=file)
            word = outcome if outcome in RUNS else outcome.split(":")[0]
            word = f"{word} of types not allowed" if case.is_beyond else word
            rows[signature.domain, signature.name, signature.since][word] += 1
    with open(os.path.join(folder, "matrix.txt"), "w", encoding="utf-8") as file:
        for (domain, name, since), counts in rows.items():
            text = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
            print(f"{(domain + '.' if domain else '') + name}-{since}: {text}", file=file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", help="the folder of libort_c.so")
    parser.add_argument("--routes", default="level0", type=lambda text: text.split(","))
    parser.add_argument("--matrix")
    parser.add_argument("--only", default=[], type=lambda text: text.split(","))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", type=int)
    parser.add_argument("--step", type=int)
    parser.add_argument("--progress")
    arguments = parser.parse_args()
    if arguments.progress:
        work(arguments)
        return 0
    cases, lines = all_cases(arguments.only), listed()
    outcomes, kinds = run_all(arguments, cases)
    if arguments.matrix:
        write_matrix(arguments.matrix, cases, outcomes)
    problems = list(judge(cases, outcomes, [] if arguments.only else lines))
    if not arguments.only:
        problems += uncovered(cases, kinds, lines)
    for problem in problems[:200]:
        print(problem)
    counts = collections.Counter(outcome if outcome in RUNS else outcome.split(":")[0]
                                 for outcome in outcomes.values())
    print(f"{len(cases)} cases by {', '.join(arguments.routes)}:",
          ", ".join(f"{count} {word}" for word, count in counts.most_common()))
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""Where the time goes: each library's own profile, summed by operator."""

import collections
import json
import os

from . import driver
from .samples import Unavailable

RUNS = 5
WHOLE = "EPContext"  # a compiled part; the kernels inside have events of their own


def by_operator(path, runs):
    """Milliseconds per run by operator, from a profile in Chrome's trace format: events of the
    category Node whose args name the operator. The first of all runs is a warm-up."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    times = collections.defaultdict(list)
    for event in events:
        if event.get("cat") == "Node" and "op_name" in event.get("args", {}) \
                and event["name"].endswith("_kernel_time"):
            times[(event["args"]["op_name"], event["name"])].append(event["dur"])
    totals = collections.defaultdict(lambda: [0.0, 0])
    for (operator, _), durations in times.items():
        calls = max(1, len(durations) // (runs + 1))
        steady = durations[calls:] or durations
        totals[operator][0] += sum(steady) / runs / 1e3
        totals[operator][1] += calls
    if not totals:
        raise Unavailable("the profile has no events of nodes")
    if len(totals) > 1:
        totals.pop(WHOLE, None)
    rows = [{"operator": name, "ms": ms, "nodes": nodes} for name, (ms, nodes) in totals.items()]
    return sorted(rows, key=lambda row: -row["ms"])


def _profile(place, side, name, folder):
    os.makedirs(folder, exist_ok=True)
    path = place.context(name) if side == "ours" else place.source(name)
    arguments = ["profile", "--library", place.libraries[side], "--model", path, "--profile",
                 os.path.join(folder, f"{name}.{side}"), "--least-runs", str(RUNS),
                 "--most-runs", str(RUNS)]
    if side == "ours":
        arguments += ["--provider", "AOT"]
    for key, value in place.inputs(name).items():
        arguments += ["--input", f"{key}={value}"]
    try:
        return {"operators": by_operator(driver.run(place.driver, arguments, 1)["profile"], RUNS)}
    except (driver.DriverError, Unavailable, OSError, ValueError) as error:
        return {"error": f"unavailable: {error}"}


def profile_of(place, name, folder):
    """One thread, both libraries."""
    return {"model": name, "threads": 1, "ours": _profile(place, "ours", name, folder),
            "theirs": _profile(place, "theirs", name, folder)}


def profile(place, names, folder, say):
    """One thread, both libraries, per model."""
    result = []
    for name in names:
        say(f"profile of {name}")
        result.append(profile_of(place, name, folder))
    return result

# SPDX-License-Identifier: MIT
"""Fields of the driver's samples, and what many samples say together."""

import statistics

MB = 1e6
NOT_ASKED = "not asked for in this run"


class Unavailable(Exception):
    """Why a row has no number."""


def field(sample, name):
    """A number of one sample; the derived ones are named after their unit."""
    try:
        if name == "first_result_ms":
            return sample["load_ms"] + sample["first_run_ms"]
        if name == "steady_ms":
            return sample["steady"]["median_ms"]
        if name == "processor_ms":
            return sample["steady"]["processor_ms"]
        if name == "memory_mb":
            memory = sample["memory"]
            return (max(memory["after_load_bytes"], memory["after_first_run_bytes"])
                    - memory["base_bytes"]) / MB
        if name == "pair_memory_mb":
            memory = sample["memory"]
            return (max(memory["after_second_load_bytes"], memory["after_first_runs_bytes"])
                    - memory["base_bytes"]) / MB
        if name == "peak_mb":
            return (sample["peak_compile_bytes"] - sample["base_bytes"]) / MB
        if name == "loaded_mb":
            return (sample["loaded_bytes"] - sample["base_bytes"]) / MB
        return sample[name]
    except KeyError as missing:
        raise Unavailable(f"the driver gave no {missing}") from None


def summary(values, statistic):
    return min(values) if statistic == "minimum" else statistics.median(values)


def spread(ours, theirs):
    """(largest - smallest) / median of the ratios of the rounds: 0 is perfectly steady."""
    ratios = [a / b for a, b in zip(ours, theirs) if b > 0]
    if len(ratios) < 2 or statistics.median(ratios) <= 0:
        return 0.0
    return (max(ratios) - min(ratios)) / statistics.median(ratios)


def verdict(ratio, must, ambitious):
    if ratio <= ambitious:
        return "ambitious"
    return "must" if ratio <= must else "miss"


def is_certain(row, ours, theirs):
    """Whether every round gives the same verdict: otherwise a target lies within the noise."""
    ratios = [a / b for a, b in zip(ours, theirs) if b > 0]
    return len({verdict(ratio, row.must, row.ambitious) for ratio in ratios}) <= 1


def result(row, ours, theirs):
    """The entry of results.json, from the numbers of each round (one number for a fact)."""
    a, b = summary(ours, row.statistic), summary(theirs, row.statistic)
    if b <= 0:
        raise Unavailable(f"nothing to divide by: {b} {row.unit}")
    ratio = max(a, 0.0) / b
    return {"name": row.name, "ratio": ratio, "ours": a, "theirs": b, "unit": row.unit,
            "must": row.must, "ambitious": row.ambitious, "spread": spread(ours, theirs),
            "verdict": verdict(ratio, row.must, row.ambitious),
            "certain": is_certain(row, ours, theirs), "statistic": row.statistic,
            "what": row.what, "note": row.note, "samples": {"ours": ours, "theirs": theirs}}


def processor_ratio(ours, theirs):
    """Ratio of the processor time per run. Work alone counts here, not waiting: where other
    programs disturb the times of one thread, this stays near the ratio of a quiet machine. With
    more threads it also counts those that spin."""
    a, b = (statistics.median([field(sample, "processor_ms") for sample in side])
            for side in (ours, theirs))
    return a / b if b > 0 else None


def failed(row, error):
    """The entry of a row that could not be measured: no numbers, and the reason."""
    return {"name": row.name, "ratio": None, "ours": None, "theirs": None, "unit": row.unit,
            "must": row.must, "ambitious": row.ambitious, "spread": None, "verdict": "error",
            "statistic": row.statistic, "what": row.what, "note": row.note, "error": error}


def was_asked(entry):
    return entry.get("error") != NOT_ASKED

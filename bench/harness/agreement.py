# SPDX-License-Identifier: MIT
"""Before anything is timed: do both libraries give the same numbers, and do our three ways of
loading give the same bits?"""

import os
import shutil

from . import compare, driver, zoo


def _outputs(place, side, name, path, threads, folder):
    folder = os.path.join(folder, f"{name}.{side}")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    arguments = ["session", "--library", place.libraries["theirs" if side == "theirs" else "ours"],
                 "--model", path, "--threads", str(threads), "--dump", folder]
    if side != "theirs":
        arguments += ["--provider", "AOT", *zoo.config_options(place.model(name))]
    for key, value in place.inputs(name).items():
        arguments += ["--input", f"{key}={value}"]
    driver.run(place.driver, arguments, threads)
    return compare.read(folder)


def check(place, name, folder):
    """{"model", "largest_error"} or {"model", "error"}."""
    model = place.model(name)
    entry = {"model": name, "arithmetic": model.arithmetic}
    threads = min(2, len(driver.processors()))
    try:
        theirs = _outputs(place, "theirs", name, place.source(name), threads, folder)
        ours = _outputs(place, "external", name, place.context(name), threads, folder)
        text = compare.difference(ours, theirs, model.arithmetic)
        if text:
            entry["error"] = f"outputs differ from ONNX Runtime's: {text}"
            return entry
        entry["largest_error"] = compare.largest_error(ours, theirs)
        text = _same_bits(place, name, ours, folder)
        if text:
            entry["error"] = text
    except driver.DriverError as error:
        entry["error"] = str(error)
    return entry


def _same_bits(place, name, external, folder):
    """Source, external and embedded context, and one thread instead of two."""
    one = _outputs(place, "external", name, place.context(name), 1, folder)
    text = compare.same_bits(external, one)
    if text:
        return f"one and two threads: {text}"
    source = _outputs(place, "source", name, place.source(name), 1, folder)
    text = compare.same_bits(external, source)
    if text:
        return f"source and external context: {text}"
    if not getattr(place.model(name), "is_embedded_too", True):
        return None
    try:
        embedded = _outputs(place, "embedded", name, place.embedded(name), 1, folder)
    finally:
        place.drop("embedded", name)
    text = compare.same_bits(external, embedded)
    return f"external and embedded context: {text}" if text else None

# SPDX-License-Identifier: MIT
"""From a probe to the driver's command line, and the rounds of samples."""

import os
import sys

from . import driver, zoo
from .samples import Unavailable
from .workplace import FASTEST_LOAD


GENERATE = ["--prompt", "128", "--tokens", "64", "--least-runs", "3"]


def _input_options(place, name, option="--input"):
    return [text for key, path in place.inputs(name).items() for text in (option, f"{key}={path}")]


def _session(place, probe, effort):
    if probe.form in ("context", "source"):
        path = place.context(probe.model) if probe.form == "context" else place.source(probe.model)
        arguments = ["--provider", "AOT", *zoo.config_options(place.model(probe.model)),
                     "--model", path]
    elif probe.form == "fastest":
        path = place.fastest(probe.model)
        arguments = ["--model", path]
        for entry in FASTEST_LOAD:
            arguments += ["--config", entry]
    else:
        path = place.source(probe.model)
        arguments = ["--model", path]
    arguments += _input_options(place, probe.model)
    return arguments + effort, _files(place, path)


def _files(place, path):
    """What a load reads. Sources lie together, so only those of the same pair count."""
    if os.path.dirname(path) not in (place.models, place.generated):
        return place.files_of(path)
    stem = os.path.splitext(os.path.basename(path))[0]
    shared = {"gpt2": "gpt2.bin", "decoder": "decoder.bin", "nbits": "nbits_decoder.bin",
              "genai": "genai.bin"}
    if stem.endswith("_f16"):
        shared["decoder"] = "decoder_f16.bin"
    data = [os.path.join(os.path.dirname(path), name)
            for name in (shared.get(stem.split("_")[0], ""), stem + ".bin") if name]
    return [path, *[file for file in data if os.path.isfile(file)]]


def _pair(place, probe):
    names = zoo.PAIRS[probe.model]
    if probe.form == "context":
        paths = place.pair_contexts(probe.model)
        arguments = ["--provider", "AOT", "--config", "ep.share_ep_contexts=1"]
    else:
        paths = [place.source(name) for name in names]
        arguments = ["--shared", place.shared_list(probe.model)]
    for path in paths:
        arguments += ["--model", path]
    arguments += _input_options(place, names[0]) + _input_options(place, names[1], "--input2")
    return arguments, sorted({file for path in paths for file in _files(place, path)})


def _generate(place, probe):
    if probe.form == "context":
        path = place.context(probe.model)
        return ["--provider", "AOT", "--model", path, *GENERATE], _files(place, path)
    path = place.source(probe.model)
    return ["--model", path, *GENERATE], _files(place, path)


def _compile(place, probe):
    output = os.path.join(place.peak_folder(probe.model), "model_ctx.onnx")
    path = place.source(probe.model)
    low = ["--config", "ep.aot.low_memory=1"] if probe.form == "low_memory" else []
    return ["--provider", "AOT", "--peak", *low, "--model", path, "--output", output], [path]


def command(place, probe, effort):
    """Arguments of the driver, and the files to be read before it starts."""
    arguments, files = [], []
    if probe.mode == "session":
        arguments, files = _session(place, probe, effort)
    elif probe.mode == "pair":
        arguments, files = _pair(place, probe)
    elif probe.mode == "generate":
        arguments, files = _generate(place, probe)
    elif probe.mode == "compile":
        arguments, files = _compile(place, probe)
    elif probe.mode == "parallel":
        path = place.context(probe.model)
        arguments = ["--provider", "AOT", "--model", path, "--least-runs", "10",
                     "--sessions", str(probe.sessions), *_input_options(place, probe.model)]
        files = place.files_of(path)
    elif probe.mode == "init":
        files = [place.libraries[probe.side]]
    return [probe.mode, "--library", place.libraries[probe.side], "--threads",
            str(probe.threads), *arguments], files


class Samples:
    """All samples by probe; a probe that failed once is not tried again."""

    def __init__(self):
        self.by_probe, self.errors = {}, {}

    def take(self, place, probe, effort):
        if probe in self.errors:
            return
        try:
            arguments, files = command(place, probe, effort)
            driver.warm(files)
            # Two sessions at once have a processor each; one of several threads has as many.
            processors = 2 if probe.mode == "parallel" else probe.threads
            sample = driver.run(place.driver, arguments, processors)
            self.by_probe.setdefault(probe, []).append(sample)
        except (driver.DriverError, OSError) as error:
            self.errors[probe] = str(error)
            print(f"bench: {probe}: {error}", file=sys.stderr)

    def of(self, probe):
        if probe in self.errors:
            raise Unavailable(f"{probe}: {self.errors[probe]}")
        if probe not in self.by_probe:
            raise Unavailable(f"{probe}: no sample was taken")
        return self.by_probe[probe]


def take_rounds(place, probes, rounds, effort_of, say):
    """Rounds over groups of probes that belong together: within a round ours and theirs follow
    each other, and every other round in the other order."""
    samples = Samples()
    groups = {}
    for probe in probes:
        model = "grow" if probe.model.startswith("grow_") else probe.model
        groups.setdefault((model, probe.mode, probe.threads), []).append(probe)
    for key, group in groups.items():
        say(" ".join(str(part) for part in key if part))
        for number in range(rounds):
            for probe in group if number % 2 == 0 else reversed(group):
                samples.take(place, probe, effort_of(probe))
    return samples

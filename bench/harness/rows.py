# SPDX-License-Identifier: MIT
"""The list of rows: what each compares, and the ratios it must reach.

A row divides one reading of ours by one of ONNX Runtime's (or by a constant). A reading is a
field of the samples that one kind of process gives (`Probe`); rows share probes. Lower is better
everywhere. `must` and `ambitious` are this project's targets.
"""

import dataclasses
from typing import Optional


@dataclasses.dataclass(frozen=True)
class Probe:
    """One kind of process: whose library, which driver mode, which form of which model."""
    side: str             # ours, theirs
    mode: str             # a mode of the driver
    model: str = ""       # a name of zoo.MODELS
    form: str = ""        # ours: context, source; theirs: default, fastest, shared
    threads: int = 1
    sessions: int = 2     # of a parallel one

    def __str__(self):
        parts = (self.side, self.mode, self.model, self.form, f"{self.threads} thread(s)",
                 f"{self.sessions} sessions" if self.sessions != 2 else "")
        return " ".join(part for part in parts if part)


@dataclasses.dataclass(frozen=True)
class Reading:
    probe: Probe
    field: str


@dataclasses.dataclass(frozen=True)
class Fact:
    """A number that no process measures: found by name when all files are there (facts.py)."""
    name: str


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    what: str
    unit: str
    ours: object          # Reading or Fact
    theirs: object        # Reading or Fact
    must: float
    ambitious: float
    statistic: str        # minimum, median
    models: tuple = ()    # whose outputs must agree before anything is timed
    note: Optional[str] = None

    def readings(self):
        return [side for side in (self.ours, self.theirs) if isinstance(side, Reading)]


def context(model, threads=1):
    return Probe("ours", "session", model, "context", threads)


def source(model):
    return Probe("ours", "session", model, "source")


def default(model, threads=1):
    return Probe("theirs", "session", model, "default", threads)


def load_rows():
    for name, must, ambitious in (
            ("mobilenetv2", 0.05, 0.025), ("resnet50", 0.02, 0.004), ("vit", 0.02, 0.004),
            ("bert128", 0.01, 0.002), ("gpt2_decode", 0.01, 0.003), ("decoder1b3", 0.005, 0.001)):
        yield Row("load." + name, "session from our external context / creation from the source",
                  "ms", Reading(context(name), "load_ms"), Reading(default(name), "load_ms"),
                  must, ambitious, "minimum", (name,))
    yield Row("load.bert128.vs_fastest",
              "the same, against a mapped .ort file without prepacking",
              "ms", Reading(context("bert128"), "load_ms"),
              Reading(Probe("theirs", "session", "bert128", "fastest"), "load_ms"),
              0.5, 0.14, "minimum", ("bert128",))
    yield Row("load.grow", "our load of 10 GB of weights / of 100 MB, as many tensors",
              "ms", Reading(context("grow_large"), "load_ms"),
              Reading(context("grow_small"), "load_ms"), 1.5, 1.1, "minimum",
              ("grow_small", "grow_large"), "both sides are this library")


def first_result_and_source_rows():
    for name in ("bert128", "decoder1b3"):
        yield Row("first_result." + name, "load and first run", "ms",
                  Reading(context(name), "first_result_ms"),
                  Reading(default(name), "first_result_ms"), 0.35, 0.20, "minimum", (name,))
    for name in ("bert128", "decoder1b3"):
        yield Row("source." + name, "session from the source model", "ms",
                  Reading(source(name), "load_ms"), Reading(default(name), "load_ms"),
                  0.8, 0.5, "minimum", (name,))
    yield Row("env.init", "library and environment", "ms", Reading(Probe("ours", "init"), "init_ms"),
              Reading(Probe("theirs", "init"), "init_ms"), 0.3, 0.11, "minimum")


def memory_rows():
    for name, must, ambitious in (("bert128", 0.05, 0.02), ("decoder1b3", 0.02, 0.01)):
        yield Row("memory." + name, "private memory after load or first run, the larger", "MB",
                  Reading(context(name), "memory_mb"), Reading(default(name), "memory_mb"),
                  must, ambitious, "median", (name,))
    ours = Probe("ours", "pair", "decoder_pair", "context")
    theirs = Probe("theirs", "pair", "decoder_pair", "shared")
    pair = ("decoder_prefill", "decoder1b3")
    yield Row("memory.pair", "prefill and decode in one process, against shared packed weights",
              "MB", Reading(ours, "pair_memory_mb"), Reading(theirs, "pair_memory_mb"),
              0.05, 0.01, "median", pair)
    yield Row("load.pair_second", "opening the second session of the pair", "ms",
              Reading(ours, "second_load_ms"), Reading(theirs, "second_load_ms"),
              0.01, 0.001, "minimum", pair)
    yield Row("peak.compile.bert128", "peak private memory while compiling / bytes of weights",
              "MB", Reading(Probe("ours", "compile", "bert128"), "peak_mb"),
              Fact("weights_mb.bert128"), 1.5, 1.2, "median", (),
              "the other side is the size of the weights")
    yield Row("peak.compile.low_memory", "the same with ep.aot.low_memory=1 / 64 MB",
              "MB", Reading(Probe("ours", "compile", "decoder1b3", "low_memory"), "peak_mb"),
              Fact("low_memory_mb"), 1.0, 0.5, "median", (), "the other side is a constant")
    yield Row("file.pair", "bytes of all files written for the pair / bytes of weights", "MB",
              Fact("written_mb.decoder_pair"), Fact("weights_mb.decoder_pair"), 1.02, 1.005,
              "median", (), "the other side is the size of the weights")


LATENCY = (  # model, thread counts, must, ambitious, what
    ("mobilenetv2", (1, 2), 1.0, 0.80, "steady run"),
    ("resnet50", (1, 2), 1.03, 0.95, "steady run"),
    ("vit", (1, 2), 0.90, 0.75, "steady run"),
    ("bert128", (1, 2), 0.90, 0.75, "steady run"),
    ("bert512", (2,), 0.90, 0.75, "steady run"),
    ("gpt2_prefill", (1, 2), 0.90, 0.75, "steady run"),
    ("gpt2_decode", (1, 2), 1.0, 0.93, "steady run"),
    ("decoder1b3", (1, 2), 1.0, 0.93, "steady run"),
    ("yolo640", (2,), 1.0, 0.90, "steady run"),
    ("resnet50_qdq", (1,), 1.0, 0.85, "int8, s8 weights"),
    ("bert_qdq", (1,), 1.0, 0.85, "int8, s8 weights"),
    ("matmul_u8", (1,), 0.35, 0.25, "int8, u8 weights"),
    ("nbits_decode", (1, 2), 0.6, 0.5, "4-bit, default accuracy level"),
    ("nbits_decode_acc4", (1,), 0.9, 0.75, "4-bit, accuracy level 4"),
)


def latency_rows():
    for name, thread_counts, must, ambitious, what in LATENCY:
        for threads in thread_counts:
            yield Row(f"latency.{name}.{threads}t", what, "ms",
                      Reading(context(name, threads), "steady_ms"),
                      Reading(default(name, threads), "steady_ms"), must, ambitious, "median",
                      (name,))


def winograd_rows():
    for model, threads, must, ambitious in (
            ("resnet50", 1, 0.90, 0.85), ("resnet50", 2, 0.90, 0.85), ("yolo640", 2, 0.80, 0.75)):
        name = model + "_winograd"
        yield Row(f"winograd.{model}.{threads}t", "steady run, compiled with ep.aot.winograd=1",
                  "ms", Reading(context(name, threads), "steady_ms"),
                  Reading(default(name, threads), "steady_ms"), must, ambitious, "median",
                  (name,))


def generate_rows():
    for model, what in (("genai", "4-bit, default accuracy level"),
                        ("genai_acc4", "4-bit, accuracy level 4")):
        for threads in (1, 2):
            ours = Probe("ours", "generate", model, "context", threads)
            theirs = Probe("theirs", "generate", model, "default", threads)
            for part, field in (("prompt", "prompt_token_ms"), ("token", "token_ms")):
                yield Row(f"generate.{part}.{model}.{threads}t",
                          f"{what}: milliseconds per token "
                          + ("of a prompt of 128" if part == "prompt" else "after it, one by one"),
                          "ms", Reading(ours, field), Reading(theirs, field), 0.5, 0.4, "median",
                          (model,))


def half_rows():
    for name, must, ambitious in (("resnet50", 1.05, 0.95), ("bert128", 1.05, 0.95),
                                  ("decoder1b3", 0.55, 0.52)):
        yield Row(f"f16.{name}.1t", "steady run of the float16 twin / of the float32 one", "ms",
                  Reading(context(name + "_f16"), "steady_ms"),
                  Reading(context(name), "steady_ms"), must, ambitious, "median",
                  (name, name + "_f16"), "both sides are this library")


def other_rows():
    parallel = Probe("ours", "parallel", "resnet50", "context", 1)
    yield Row("scale.two_sessions", "two sessions at once on two cores / one after the other",
              "ms", Reading(parallel, "concurrent_ms"), Reading(parallel, "sequential_ms"),
              0.62, 0.55, "median", ("resnet50",), "both sides are this library")
    many = Probe("ours", "parallel", "mobilenetv2", "context", 2, 16)
    yield Row("scale.sixteen_sessions", "sixteen sessions of two threads each, at once on two "
              "cores / one after the other", "ms", Reading(many, "concurrent_ms"),
              Reading(many, "sequential_ms"), 1.2, 1.1, "median", ("mobilenetv2",),
              "both sides are this library")
    yield Row("memory.sixteen_sessions", "private memory of sixteen sessions of one context / "
              "sixteen times 1 MB", "MB", Reading(many, "loaded_mb"), Fact("sixteen_mb"),
              1.0, 0.5, "median", ("mobilenetv2",), "the other side is a constant")
    yield Row("size.library", "stripped bytes of the library / ONNX Runtime 1.30.0's", "MB",
              Fact("library_mb"), Fact("theirs_library_mb"), 0.25, 0.15, "median")
    yield Row("size.run_only", "stripped bytes of a library that only runs / ONNX Runtime's", "MB",
              Fact("run_only_mb"), Fact("theirs_library_mb"), 0.07, 0.03, "median")


ROWS = [*load_rows(), *first_result_and_source_rows(), *memory_rows(), *latency_rows(),
        *winograd_rows(), *half_rows(), *generate_rows(), *other_rows()]


def select(patterns):
    """Rows whose names are given, or begin with a given name and a dot; all without any."""
    if not patterns:
        return list(ROWS)
    chosen = []
    for pattern in patterns:
        found = [row for row in ROWS
                 if row.name == pattern or row.name.startswith(pattern.rstrip(".") + ".")]
        if not found:
            raise SystemExit(f"there is no row '{pattern}'")
        chosen += [row for row in found if row not in chosen]
    return chosen

#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""GreedySearch, Sampling, BeamSearch and WhisperBeamSearch of com.microsoft, token by token.

  microsoft_search_models.py ORTC

Small models with random weights go through the ortc tool: from source without and with
optimisation, and compiled with an embedded and with an external context. Tokens must be those of
the searches in numpy (tests/support/numpy/token_search.py), and with the environment variable
ORTC_ORT_LIBRARY those of ONNX Runtime's library, which otherwise is skipped. Exits 77 where
python3-onnx is missing.
"""

import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"NOTHING RAN: {missing}; install python3-numpy and python3-onnx", file=sys.stderr)
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support/numpy"))

import token_search
from onnx_runtime import Library
from small_decoders import Gpt, T5, value
from small_speech import FEATURES, Speech

WORDS = 13
# Of the searches through speech: words, then what a prompt is made of, then timestamps.
SPEECH_WORDS, END, TIMESTAMP = 90, 10, 17
SPEECH_TOKENS = {"decoder_start_token_id": 11, "translate_token_id": 12, "transcribe_token_id": 13,
                 "start_of_lm_token_id": 14, "no_speech_token_id": 15, "no_timestamps_token_id": 16,
                 "beginning_timestamp_token_id": TIMESTAMP}
KINDS = {np.dtype(np.int32): TensorProto.INT32, np.dtype(np.float32): TensorProto.FLOAT}


def i32(x):
    return np.array(x, np.int32)


def give_branches(graph):
    """The last product of a decoder stands in both branches of an If."""
    product = graph.node.pop()
    branches = {}
    for name in ("then_branch", "else_branch"):
        node = helper.make_node(product.op_type, list(product.input), [f"{name}_logits"])
        branches[name] = helper.make_graph([node], name, [], [
            value(f"{name}_logits", TensorProto.FLOAT, ["B", "S", WORDS])])
    graph.initializer.append(numpy_helper.from_array(np.array(4), "few"))
    graph.node.extend([helper.make_node("Size", ["input_ids"], ["tokens"]),
                       helper.make_node("Greater", ["tokens", "few"], ["are_many"]),
                       helper.make_node("If", ["are_many"], list(product.output), **branches)])


class Case:
    """One model: the node's attributes and inputs, what the search in numpy is told, and its
    results, of which `found` says how much ONNX Runtime fills."""

    def __init__(self, op, seed):
        self.op, self.random = op, np.random.RandomState(seed)
        pick, r = self.random.choice, self.random
        self.decoder = Gpt(r, WORDS, sharpness=pick([1, 3, 6]))
        self.first = Gpt(r, WORDS, prefix="first_") if r.rand() < 0.2 else None
        self.captures = r.rand() < 0.3
        self.branches = r.rand() < 0.2
        self.batch, length = r.randint(1, 4), r.randint(1, 5)
        self.longest = length + r.randint(1, 9)
        self.ids = r.randint(2, WORDS, (self.batch, length)).astype(np.int32)
        if length > 2 and r.rand() < 0.5:
            self.ids[0, :r.randint(0, length)] = 0
        self.attributes = {"eos_token_id": 1, "pad_token_id": 0}
        self.a = dict(token_search.DEFAULTS, vocabulary=WORDS)
        self.inputs = {"input_ids": self.ids, "max_length": i32([self.longest])}
        getattr(self, op)()

    def common(self, places):
        """Inputs of all searches, in the order in which `places` names them."""
        r = self.random
        given = {"min_length": i32([r.randint(0, self.longest)]),
                 "repetition_penalty": np.array([r.choice([1, 1.5])], np.float32),
                 "vocab_mask": (r.rand(WORDS) < 0.8).astype(np.int32),
                 "prefix_vocab_mask": (r.rand(self.batch, WORDS) < 0.8).astype(np.int32),
                 "attention_mask": (r.rand(*self.ids.shape) < 0.7).astype(np.int32)}
        given["vocab_mask"][1] = 1
        for name in ("vocab_mask", "prefix_vocab_mask", "attention_mask"):
            if r.rand() < 0.4:
                given[name] = None
        for name in places:
            self.inputs[name] = given[name] if name in given else None
        self.a.update(min_length=given["min_length"][0], mask=given["attention_mask"],
                      penalty=given["repetition_penalty"][0], vocab_mask=given["vocab_mask"],
                      prefix_vocab_mask=given["prefix_vocab_mask"])

    def set(self, **attributes):
        self.attributes.update(attributes)
        names = {"no_repeat_ngram_size": "ngram"}
        self.a.update({names.get(name, name): x for name, x in attributes.items()})

    def GreedySearch(self):
        self.common(["min_length", "repetition_penalty", "vocab_mask", "prefix_vocab_mask",
                     "attention_mask"])
        self.set(no_repeat_ngram_size=int(self.random.choice([0, 1, 2, 3])))
        sequences, self.found = token_search.greedy(self.decoder, self.ids, self.longest, self.a,
                                                    self.first)
        self.expected = {"sequences": sequences}

    def Sampling(self):
        pick = self.random.choice
        self.common(["min_length", "repetition_penalty", "vocab_mask", "prefix_vocab_mask",
                     "attention_mask", "presence_mask", "seed"])
        self.a.update(sampling=True, seed=int(pick([0, 1, 5, 42, 2147483647])))
        self.inputs["seed"] = i32([self.a["seed"]])
        self.set(temperature=float(pick([1, 0.5, 2])), top_p=float(pick([0.0625, 0.25, 0.875])),
                 custom=int(pick([0, 1])), min_tokens_to_keep=int(pick([0, 1, 4])),
                 filter_value=float(pick([-1e20, -3])))
        sequences, self.found = token_search.greedy(self.decoder, self.ids, self.longest, self.a,
                                                    self.first)
        self.expected = {"sequences": sequences}

    def BeamSearch(self):
        beams = self.random.randint(1, 5)
        returned, penalty = self.random.randint(1, beams + 1), self.random.choice([1, 0, 2, 0.7])
        self.common(["min_length", "num_beams", "num_return_sequences", "length_penalty",
                     "repetition_penalty", "vocab_mask", "prefix_vocab_mask", "attention_mask"])
        self.inputs.update(num_beams=i32([beams]), num_return_sequences=i32([returned]),
                           length_penalty=np.array([penalty], np.float32))
        self.a["length_penalty"] = penalty
        self.set(early_stopping=self.random.randint(0, 2),
                 no_repeat_ngram_size=int(self.random.choice([0, 2])))
        sequences, scores, history = token_search.beam(self.decoder, self.ids, self.longest, beams,
                                                       returned, self.a, self.first)
        self.found = sequences.shape[2]
        self.expected = {"sequences": sequences, "scores": scores}
        self.expect_history(history, self.ids.shape[1])

    def expect_history(self, history, start):
        self.steps = len(history)
        rest = self.longest - start - self.steps
        self.expected["all"] = np.pad(history, ((0, rest), (0, 0), (0, 0), (0, 0)))

    def T5Search(self):
        """BeamSearch over an encoder and a decoder, by which sequences begin anew."""
        r = self.random
        self.op, self.first, self.captures = "BeamSearch", None, False
        has_first = r.rand() < 0.5
        t5 = T5(r, WORDS, r.choice([1, 3, 6]), has_first, has_first and r.rand() < 0.5)
        beams = r.randint(1, 5)
        self.longest = r.randint(3, 9)
        self.inputs["max_length"] = i32([self.longest])
        self.common(["min_length", "num_beams", "num_return_sequences", "length_penalty",
                     "repetition_penalty", "vocab_mask", "prefix_vocab_mask", "attention_mask"])
        self.inputs.update(num_beams=i32([beams]), num_return_sequences=i32([1]),
                           length_penalty=np.ones(1, np.float32))
        self.set(early_stopping=r.randint(0, 2))
        start = int(r.choice([0, 3]))
        self.attributes.update(model_type=1, decoder_start_token_id=start)
        mask = self.a["mask"]
        if mask is None:
            mask = (np.cumsum(self.ids != 0, 1) > 0).astype(np.int32)
        self.a["mask"] = None
        sequences, scores, history = token_search.beam(
            t5.encoded(self.ids, mask, beams), np.full((self.batch, 1), start, np.int32),
            self.longest, beams, 1, self.a)
        self.decoder, self.found = t5, self.longest
        self.expected = {"sequences": sequences, "scores": scores}
        self.expect_history(history, 1)

    def WhisperSearch(self):
        """WhisperBeamSearch over features and the first tokens; now and then BeamSearch of
        `model_type` 2, which knows no timestamps."""
        r, pick = self.random, self.random.choice
        self.first, self.captures, self.branches = None, False, False
        speech = Speech(r, SPEECH_WORDS, pick([1, 3, 6]), r.randint(1, 3), r.rand() < 0.5,
                        r.rand() < 0.5)
        beams, length = r.randint(1, 5), r.randint(1, 5)
        returned = r.randint(1, beams + 1)
        features = r.standard_normal((self.batch, FEATURES, r.randint(2, 6))).astype(np.float32)
        ids = r.randint(0, END, (self.batch, length))
        if r.rand() < 0.3:
            ids[:, -1] = r.randint(TIMESTAMP, 40, self.batch)
        elif r.rand() < 0.3:
            ids = pick([3, 11, 12, 13, 20, 21, 40, 60], (self.batch, length))
        self.longest, self.ids = length + r.randint(2, 12), ids.astype(np.int32)
        knows_timestamps = r.rand() < 0.8
        self.op = "WhisperBeamSearch" if knows_timestamps else "BeamSearch"
        self.inputs = {"features": features, "max_length": i32([self.longest])}
        self.common(["min_length", "num_beams", "num_return_sequences", "length_penalty",
                     "repetition_penalty", "vocab_mask", "prefix_vocab_mask", "no_mask",
                     "first_tokens", "logits_processor"])
        penalty, temperature = pick([1, 0, 2, 0.7]), pick([1, 0.5, 2, 0])
        self.inputs.update(num_beams=i32([beams]), num_return_sequences=i32([returned]),
                           length_penalty=np.array([penalty], np.float32), no_mask=None,
                           first_tokens=self.ids)
        masks = {"vocab_mask": (SPEECH_WORDS,), "prefix_vocab_mask": (self.batch, SPEECH_WORDS)}
        for name, shape in masks.items():
            mask = (r.rand(*shape) < 0.8).astype(np.int32) if r.rand() < 0.4 else None
            self.inputs[name] = self.a[name] = mask
        has_rules = knows_timestamps and r.rand() < 0.6
        self.inputs["logits_processor"] = i32([int(has_rules)])
        self.attributes = {"model_type": 2}
        self.a.update(vocabulary=SPEECH_WORDS, length_penalty=penalty, mask=None, eos=END, pad=END)
        self.set(early_stopping=r.randint(0, 2), no_repeat_ngram_size=int(pick([0, 3])))
        self.attributes.update(eos_token_id=END, pad_token_id=END)
        if knows_timestamps:
            self.attributes.update(SPEECH_TOKENS)
            self.inputs.update(no_heads=None, no_tokens=None,
                               temperature=np.array([temperature], np.float32))
            self.a["temperature"] = temperature or None
        if r.rand() < 0.2:
            self.inputs["first_tokens"] = None
            self.attributes["decoder_start_token_id"] = 11
            self.longest -= length - 1
            self.inputs["max_length"], self.ids = i32([self.longest]), np.full((self.batch, 1), 11)
        if has_rules:
            self.a["timestamps"] = dict(start=11, translate=12, transcribe=13, lm=14, none=16,
                                        begin=TIMESTAMP)
        heard = speech.heard(features, beams)
        sequences, scores, history = token_search.beam(heard, self.ids.astype(np.int32),
                                                       self.longest, beams, returned, self.a)
        self.decoder, self.found = speech, sequences.shape[2]
        self.expected = {"sequences": sequences, "scores": scores}
        self.expect_history(history, self.ids.shape[1])
        if knows_timestamps:
            rows = np.repeat(self.ids, beams, 0)
            logits = heard(rows, None, None, heard.state(len(rows)))[0][:, -1]
            speechless = np.exp(token_search.log_softmax(logits))[::beams, 15]
            self.expected.update({"": None, "no_speech": speechless.astype(np.float32)})

    def graphs(self):
        graphs = {"decoder": self.decoder.graph()}
        if isinstance(self.decoder, (T5, Speech)):
            graphs["encoder"] = self.decoder.encoder()
        if self.first is not None:
            graphs["init_decoder"] = self.first.graph()
        if self.branches:
            give_branches(graphs["decoder"])
        constants = []
        if self.captures:  # the weights are the outer graph's
            constants = list(graphs["decoder"].initializer)
            del graphs["decoder"].initializer[:]
        return graphs, constants

    def outputs(self):
        return [name for name in self.expected if name]

    def model(self):
        graphs, constants = self.graphs()
        names = [name if x is not None else "" for name, x in self.inputs.items()]
        node = helper.make_node(self.op, names, list(self.expected), domain="com.microsoft",
                                **graphs, **self.attributes)
        self.fed = {name: x for name, x in self.inputs.items() if x is not None}
        graph = helper.make_graph(
            [node], "search", [value(n, KINDS[x.dtype], x.shape) for n, x in self.fed.items()],
            [value(n, KINDS[y.dtype], [None] * y.ndim) for n, y in self.expected.items() if n],
            constants)
        return helper.make_model(graph, ir_version=8, opset_imports=[
            helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])


def difference(case, found, is_theirs=False):
    wanted = [(name, want) for name, want in case.expected.items() if name]
    for (name, want), y in zip(wanted, found):
        if name == "no_speech" and is_theirs:  # theirs leaves it as the memory is
            continue
        if y.dtype != want.dtype or y.shape != want.shape:
            return f"{name}: {y.dtype}{y.shape}, expected {want.dtype}{want.shape}"
        if is_theirs:  # what no step fills, theirs leaves as the memory is
            end = (slice(case.steps),) if name == "all" else (..., slice(case.found))
            y, want = (y[end], want[end]) if name != "scores" else (y, want)
        bound = 0 if y.dtype.kind == "i" else 1e-3
        if not np.allclose(y, want, rtol=bound, atol=bound):
            return f"{name}: {y.tolist()}, expected {want.tolist()}"
    return ""


def run(ortc, model, case, folder, extra):
    arguments = [ortc, "run", model, "--output-dir", folder] + extra
    for name in case.fed:
        arguments += ["--input", f"{name}={folder}/{name}.npy"]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr}")
    return [np.load(f"{folder}/{name}.npy") for name in case.outputs()]


def check(ortc, library, folder, case):
    path = f"{folder}/m.onnx"
    onnx.save(case.model(), path)
    for name, x in case.fed.items():
        np.save(f"{folder}/{name}.npy", x)
    # Its searches do not run when both decoders read weights of the graph around them.
    if library is not None and not (case.captures and case.first is not None):
        what = difference(case, library.run(path, case.fed, case.outputs()), True)
        if what:
            return f"ONNX Runtime: {what}"
    routes = [(path, ["--ep", "CPU"]), (path, ["--ep", "AOT"])]
    for name, extra in (("embedded", ["--embed"]), ("external", [])):
        context = f"{folder}/{name}_ctx.onnx"
        done = subprocess.run([ortc, "compile", path, "-o", context] + extra,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            return f"compile: {done.stderr}"
        routes.append((context, []))
    first = None
    for model, extra in routes:
        found = run(ortc, model, case, folder, extra)
        what = difference(case, found)
        if what:
            return f"{os.path.basename(model)} {extra}: {what}"
        first = first or found
        if any(x.tobytes() != y.tobytes() for x, y in zip(first, found)):
            return f"{os.path.basename(model)} {extra}: other bits than from the source"
    return ""


# What a run refuses: changes of inputs, and what the message says.
REFUSED = [("GreedySearch", {"max_length": i32([1])}, "max_length is 1, expected more than the"),
           ("GreedySearch", {"repetition_penalty": np.zeros(1, np.float32)},
            "repetition_penalty is 0, expected more than 0"),
           ("GreedySearch", {"vocab_mask": i32([1, 1])}, "expected 1 axes, the last of 13 tokens"),
           ("GreedySearch", {"attention_mask": i32([[1]])}, "expected that of input_ids"),
           ("Sampling", {"seed": i32([-1])}, "seed is -1, expected >= 0"),
           ("BeamSearch", {"num_beams": i32([0])}, "num_beams is 0, expected 1 to 128"),
           ("BeamSearch", {"num_return_sequences": i32([9])},
            "num_return_sequences is 9, expected 1 to"),
           ("WhisperSearch", {"logits_processor": i32([-1])}, "logits_processor is -1, expected >= 0"),
           ("WhisperSearch", {"temperature": np.ones(2, np.float32)}, "expected one number"),
           ("WhisperSearch", {"first_tokens": i32([[1, 2]] * 9)}, "dims 2 and 9 differ"),
           ("WhisperSearch", {"no_mask": i32([[[1]]])}, "no kernel for com.microsoft.Whisper"),
           ("WhisperSearch", {"no_heads": i32([[0, 0]])}, "no kernel for com.microsoft.Whisper"),
           ("WhisperSearch", {"no_tokens": i32([[1], [1]])}, "no kernel for com.microsoft.Whisper")]


def check_refusal(ortc, folder, op, changed, text):
    case = Case(op, 9)
    case.inputs.update(changed)
    onnx.save(case.model(), f"{folder}/m.onnx")
    for name, x in case.fed.items():
        np.save(f"{folder}/{name}.npy", x)
    try:
        run(ortc, f"{folder}/m.onnx", case, folder, [])
    except RuntimeError as error:
        return "" if text in str(error) else f"{error}, expected: {text}"
    return f"ran, expected: {text}"


def main():
    ortc = os.path.abspath(sys.argv[1])
    given = os.environ.get("ORTC_ORT_LIBRARY")
    library = Library(given) if given else None
    if library is None:
        print("SKIPPED: ORTC_ORT_LIBRARY is not set, nothing was compared with ONNX Runtime",
              file=sys.stderr)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for op in ("GreedySearch", "Sampling", "BeamSearch", "T5Search", "WhisperSearch"):
            for seed in range(count):
                try:
                    what = check(ortc, library, folder, Case(op, seed))
                except RuntimeError as error:
                    what = str(error)
                if what:
                    failures += 1
                    print(f"FAIL {op} {seed}: {what}", flush=True)
        for op, changed, text in REFUSED:
            what = check_refusal(ortc, folder, op, changed, text)
            if what:
                failures += 1
                print(f"FAIL {op}: {what}", flush=True)
    print(f"{5 * count} searches, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""The models of the rows: which generator writes them, and how near their outputs must be."""

import dataclasses
import glob
import hashlib
import os
import subprocess
import sys

from . import sparse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GENERATOR = os.path.join(ROOT, "tools", "generate_models.py")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


@dataclasses.dataclass(frozen=True)
class Model:
    generator: str        # a name of generate_models.py, or sparse (sparse.py)
    file: str             # without .onnx
    arithmetic: str = "f32"  # a key of compare.BOUNDS
    is_embedded_too: bool = True
    type: str = "f32"     # of its floats
    config: tuple = ()    # entries of our sessions and compilations


MODELS = {
    "mobilenetv2": Model("mobilenetv2", "mobilenetv2"),
    "resnet50": Model("resnet50", "resnet50"),
    "vit": Model("vit", "vit"),
    "bert128": Model("bert128", "bert128"),
    "bert512": Model("bert512", "bert512"),
    "gpt2_prefill": Model("gpt2-pair", "gpt2_prefill"),
    "gpt2_decode": Model("gpt2-pair", "gpt2_decode"),
    "decoder_prefill": Model("decoder-pair", "decoder_prefill"),
    "decoder1b3": Model("decoder-pair", "decoder_decode"),
    "yolo640": Model("yolo", "yolo"),
    "resnet50_qdq": Model("resnet50-qdq", "resnet50_qdq", "int8"),
    "bert_qdq": Model("bert-qdq", "bert_qdq", "int8"),
    "matmul_u8": Model("matmul-u8", "matmul_u8", "int8"),
    "nbits_decode": Model("nbits-decoder", "nbits_decoder", "4-bit"),
    "nbits_decode_acc4": Model("nbits-decoder", "nbits_decoder_acc4", "4-bit, int8 inside"),
    "genai": Model("genai", "genai", "4-bit"),
    "genai_acc4": Model("genai", "genai_acc4", "4-bit, int8 inside"),
    "resnet50_winograd": Model("resnet50", "resnet50", config=("ep.aot.winograd=1",)),
    "yolo640_winograd": Model("yolo", "yolo", config=("ep.aot.winograd=1",)),
    "resnet50_f16": Model("resnet50", "resnet50_f16", "f16 network", True, "f16"),
    "bert128_f16": Model("bert128", "bert128_f16", "f16 network", True, "f16"),
    "decoder1b3_f16": Model("decoder-pair", "decoder_decode_f16", "f16 network", True, "f16"),
    "grow_small": Model("sparse", "grow_small", "f32", False),
    "grow_large": Model("sparse", "grow_large", "f32", False),
    # Only compared, in the small form of the differential test.
    "matmul": Model("matmul", "matmul"),
    "genai_prefill": Model("genai", "genai_prefill", "4-bit, int8 inside"),
    "genai_decode": Model("genai", "genai_decode", "4-bit, int8 inside"),
    "transformer": Model("transformer", "transformer"),
    "bert": Model("bert", "bert"),
    "whisper_encoder": Model("whisper", "whisper_encoder"),
    "whisper_decoder": Model("whisper", "whisper_decoder"),
}
PAIRS = {"decoder_pair": ("decoder_prefill", "decoder1b3")}


def config_options(model):
    """For ortc and for our side's driver."""
    return [text for entry in getattr(model, "config", ()) for text in ("--config", entry)]


def inputs_of(folder, file):
    """Name -> path of the .npy files that the generator wrote beside the model."""
    start = os.path.join(folder, file) + "."
    return {path[len(start):-len(".npy")]: path for path in sorted(glob.glob(start + "*.npy"))}


def _stamp_text(model, is_small):
    """Changes when the generator's sources do."""
    digest = hashlib.sha256(f"{model.generator} {model.type} {is_small}".encode())
    for path in [GENERATOR, *sorted(glob.glob(os.path.join(ROOT, "tools", "models", "*.py")))]:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def _generate(model, folder, is_small):
    generator = model.generator
    command = [PYTHON, GENERATOR, generator, "--out", folder, "--inputs", "--type", model.type]
    done = subprocess.run(command + (["--small"] if is_small else []), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if "invalid choice" in done.stderr:
        raise RuntimeError(f"generate_models.py has no model '{generator}'")
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip().splitlines()[-1]}")


def prepare(name, folder, is_small, is_trusted=False):
    """Makes the model and its inputs unless they are there; a folder that is trusted is used as
    it is, others are made anew when the generator has changed. The path of the model."""
    model = MODELS[name]
    path = os.path.join(folder, model.file + ".onnx")
    if model.generator == "sparse":
        sparse.write(folder, model.file, is_small)
        return path
    if is_trusted and os.path.exists(path):
        return path
    stamp = os.path.join(folder, f".{model.generator}.{model.type}.stamp")
    wanted = _stamp_text(model, is_small)
    if os.path.exists(path) and os.path.exists(stamp):
        with open(stamp, encoding="ascii") as file:
            if file.read() == wanted:
                return path
    os.makedirs(folder, exist_ok=True)
    _generate(model, folder, is_small)
    if not os.path.exists(path):
        raise RuntimeError(f"generate_models.py {model.generator} wrote no {model.file}.onnx")
    with open(stamp, "w", encoding="ascii") as file:
        file.write(wanted)
    return path

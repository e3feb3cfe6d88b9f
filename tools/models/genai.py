# SPDX-License-Identifier: MIT
"""A decoder as the model builder of ONNX Runtime GenAI writes it, with random 4-bit weights, about
500 MB (small: 2 layers of 64): GroupQueryAttention that turns queries and keys itself and appends
to the cache, MatMulNBits in blocks of 32, SkipSimplifiedLayerNormalization, SiLU and gate, and an
embedding that is read from the head's 4-bit weights.

  genai.onnx          the default accuracy level
  genai_acc4.onnx     accuracy level 4
  genai_prefill.onnx  level 4, any number of tokens, logits of the last one only
  genai_decode.onnx   level 4, one token
  genai_packed.onnx   small only: queries, keys and values in one product, the embedding in float32
  genai_cache8.onnx   small only: as genai.onnx, with a cache of 8 bits, a scale for each column
  genai_cache4.onnx   small only: of 4 bits, a scale for each tensor

All share genai.bin.

  input_ids: int64 [batch_size, sequence_length]
  attention_mask: int64 [batch_size, total_sequence_length], ones for tokens that count
  past_key_values.<layer>.key, .value: float [batch_size, kv heads, past_sequence_length, width],
    int8 for a cache of 8 bits, uint8 and half as wide for one of 4
  logits: float [batch_size, sequence_length or 1, vocabulary]
  present.<layer>.key, .value: likewise [batch_size, kv heads, total_sequence_length, width]

Past and present may be one buffer of the largest length that the program will need.
"""

import dataclasses
import math

import numpy as np
from onnx import helper

from models.builder import Builder, ExternalFile, chosen

FULL = dict(vocabulary=32000, hidden=2048, layers=12, heads=32, groups=8, inner=8192,
            positions=4096)
SMALL = dict(vocabulary=128, hidden=64, layers=2, heads=4, groups=2, inner=160, positions=320)
SEED = 131
BLOCK = 32
EPSILON = 1e-5


@dataclasses.dataclass(frozen=True)
class Form:
    name: str
    level: int = 4        # 0: none is written
    sequence: object = "sequence_length"
    is_pruned: bool = False   # logits of the last token only
    is_packed: bool = False
    bits: int = 32        # of a number of the cache

    @property
    def cache_type(self):
        return {32: np.float32, 8: np.int8, 4: np.uint8}[self.bits]


class GenaiBuilder(Builder):
    """Weights are drawn by name, so that every form has the same ones."""

    def __init__(self, form, external, c):
        super().__init__(form.name, SEED, external)
        self.form, self.c = form, c
        self.width = c["hidden"] // c["heads"]

    def drawn(self, name):
        return np.random.default_rng([SEED, *name.encode()])

    def floats(self, name, shape, deviation, mean=0.0):
        values = self.drawn(name).standard_normal(shape, dtype=np.float32)
        return self.tensor(name, values * np.float32(deviation) + np.float32(mean))

    def codes(self, name, inputs, outputs, gain):
        """4-bit numbers [outputs, blocks, 16] and scales that give weights a deviation of
        gain / sqrt(inputs). Of weights of 16 bits, which checkpoints have, a scale is the largest
        by 8, so float16 holds it; these scales are such numbers too."""
        rng, blocks = self.drawn(name), -(-inputs // BLOCK)
        codes = rng.integers(0, 256, (outputs, blocks, BLOCK // 2), dtype=np.uint8)
        deviation = gain / math.sqrt(inputs) / math.sqrt((16 * 16 - 1) / 12)
        scales = rng.uniform(0.8, 1.2, (outputs, blocks)).astype(np.float32)
        return codes, (scales * np.float32(deviation)).astype(np.float16).astype(np.float32)

    def product(self, path, x, inputs, parts, result=None):
        """MatMulNBits; `parts` are (weight's name, outputs, gain), one below the other."""
        found = [self.codes(name, inputs, outputs, gain) for name, outputs, gain in parts]
        name = path.strip("/").replace("/", ".") + ".MatMul.weight"
        codes = self.tensor(f"{name}_Q4G{BLOCK}", np.concatenate([f[0] for f in found]))
        scales = self.tensor(f"{name}_scale", np.concatenate([f[1] for f in found]))
        level = {"accuracy_level": self.form.level} if self.form.level else {}
        return self.add("MatMulNBits", f"{path}/MatMul_Q4", x, codes, scales, result=result,
                        K=inputs, N=sum(outputs for _, outputs, _ in parts), bits=4,
                        block_size=BLOCK, domain="com.microsoft", **level)

    def add(self, op, name, *inputs, result=None, outputs=None, **attributes):
        results = outputs or [result or f"{name}/output_0"]
        self.nodes.append(helper.make_node(op, list(inputs), results, name=name, **attributes))
        return results[0]

    def int64(self, value):
        return self.tensor(f"/model/constants/INT64/{value}", np.array(value, np.int64))

    def model(self):
        model = super().model()
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        return model


def lengths(b, mask):
    """seqlens_k [batch_size, 1] and total_sequence_length, from the mask."""
    path = "/model/attn_mask_reformat/attn_mask_subgraph"
    total = b.add("ReduceSum", f"{path}/ReduceSum", mask, b.int64([1]))
    less = b.add("Sub", f"{path}/Sub", total, b.int64([1]))
    seqlens = b.add("Cast", f"{path}/Sub/Cast", less, to=6)
    shape = b.add("Shape", f"{path}/Shape", mask)
    length = b.add("Gather", f"{path}/Gather", shape, b.int64(1), axis=0)
    return seqlens, b.add("Cast", f"{path}/Gather/Cast", length, to=6)


def embedding(b, ids):
    c, path = b.c, "/model/embed_tokens"
    if b.form.is_packed:
        table = b.floats("model.embed_tokens.weight", (c["vocabulary"], c["hidden"]), 1.0)
        return b.add("Gather", f"{path}/Gather", table, ids)
    codes, scales = b.codes("lm_head", c["hidden"], c["vocabulary"], 1.0)
    codes = b.tensor(f"lm_head.MatMul.weight_Q4G{BLOCK}", codes)
    shape = b.int64([c["vocabulary"], c["hidden"] // 2])
    flat = b.add("Reshape", f"{path}/Reshape", codes, shape)
    return b.add("GatherBlockQuantized", f"{path}/GatherBlockQuantized", flat, ids,
                 b.tensor("lm_head.MatMul.weight_scale", scales), bits=4, block_size=BLOCK,
                 gather_axis=0, quantize_axis=1, domain="com.microsoft")


def rotary_caches(b):
    frequencies = 10000.0 ** (-np.arange(0, b.width, 2) / b.width)
    angles = np.outer(np.arange(b.c["positions"]), frequencies)
    return (b.tensor("cos_cache", np.cos(angles).astype(np.float32)),
            b.tensor("sin_cache", np.sin(angles).astype(np.float32)))


def cache_scales(b, narrow):
    """Inputs and attributes of a cache of integers; what goes in has a deviation of 2 and of 1."""
    if b.form.bits == 32:
        return [], {}
    kind, count = ("PER_CHANNEL", narrow) if b.form.bits == 8 else ("PER_TENSOR", 1)
    largest = (1 << (b.form.bits - 1)) - 1
    shape = (1, b.c["groups"], 1, b.width) if count > 1 else (1,)
    scales = [b.tensor(f"{part}_scale.{b.form.bits}", np.full(
        shape, 3 * deviation / largest, np.float32) * b.drawn(part).uniform(0.8, 1.2, shape).astype(
            np.float32)) for part, deviation in (("k", 2.0), ("v", 1.0))]
    return ["", "", "", *scales], {"k_quant_type": kind, "v_quant_type": kind,
                                   "kv_cache_bit_width": b.form.bits}


def attention(b, x, layer, seqlens, total):
    c, path = b.c, f"/model/layers.{layer}/attn"
    hidden, narrow = c["hidden"], c["groups"] * b.width
    parts = [(f"{path}/{part}_proj", outputs, gain)
             for part, outputs, gain in (("q", hidden, 2.0), ("k", narrow, 2.0),
                                         ("v", narrow, 1.0))]
    if b.form.is_packed:
        states = [b.product(f"{path}/qkv_proj", x, hidden, parts), "", ""]
    else:
        states = [b.product(part[0], x, hidden, [part]) for part in parts]
    width = b.width // 2 if b.form.bits == 4 else b.width
    cache = ["batch_size", c["groups"], "past_sequence_length", width]
    grown = ["batch_size", c["groups"], "total_sequence_length", width]
    past, present = [], []
    for part in ("key", "value"):
        past.append(b.input(f"past_key_values.{layer}.{part}", b.form.cache_type, cache))
        present.append(f"present.{layer}.{part}")
        b.output(present[-1], b.form.cache_type, grown)
    scales, quantised = cache_scales(b, narrow)
    y = b.add("GroupQueryAttention", f"{path}/GroupQueryAttention", *states, *past, seqlens, total,
              *rotary_caches(b), *scales, outputs=[f"{path}/GroupQueryAttention/output_0", *present],
              domain="com.microsoft", num_heads=c["heads"], kv_num_heads=c["groups"],
              scale=1 / math.sqrt(b.width), local_window_size=-1, softcap=0.0, do_rotary=1,
              rotary_interleaved=0, **quantised)
    return b.product(f"{path}/o_proj", y, hidden, [(f"{path}/o_proj", hidden, 1.0)])


def feed_forward(b, x, layer):
    hidden, inner, path = b.c["hidden"], b.c["inner"], f"/model/layers.{layer}/mlp"
    gate = b.product(f"{path}/gate_proj", x, hidden, [(f"{path}/gate_proj", inner, 1.5)])
    up = b.product(f"{path}/up_proj", x, hidden, [(f"{path}/up_proj", inner, 1.0)])
    turned = b.add("Sigmoid", f"{path}/act_fn/Sigmoid", gate)
    silu = b.add("Mul", f"{path}/act_fn/Mul", gate, turned)
    both = b.add("Mul", f"{path}/Mul", silu, up)
    return b.product(f"{path}/down_proj", both, inner, [(f"{path}/down_proj", hidden, 1.0)])


def skip_norm(b, name, residual, x, is_last=False):
    """The normalised sum, and the sum."""
    weight = b.floats(f"{name.strip('/').replace('/', '.')}.weight", (b.c["hidden"],), 0.05, 1.0)
    outputs = [f"{name}/output_0"] + ([] if is_last else ["", "", f"{name}/output_3"])
    b.add("SkipSimplifiedLayerNormalization", f"{name}/SkipLayerNorm", residual, x, weight,
          outputs=outputs, epsilon=EPSILON, domain="com.microsoft")
    return outputs[0], outputs[-1]


def decoder(form, external, c):
    b = GenaiBuilder(form, external, c)
    ids = b.input("input_ids", np.int64, ["batch_size", form.sequence])
    mask = b.input("attention_mask", np.int64, ["batch_size", "total_sequence_length"])
    b.output("logits", np.float32,
             ["batch_size", 1 if form.is_pruned else form.sequence, c["vocabulary"]])
    seqlens, total = lengths(b, mask)
    residual = embedding(b, ids)
    first = "/model/layers.0/input_layernorm"
    x = b.add("SimplifiedLayerNormalization", f"{first}/LayerNorm", residual,
              b.floats("model.layers.0.input_layernorm.weight", (c["hidden"],), 0.05, 1.0),
              result=f"{first}/output_0", axis=-1, epsilon=EPSILON, stash_type=1)
    for layer in range(c["layers"]):
        path = f"/model/layers.{layer}"
        x = attention(b, x, layer, seqlens, total)
        x, residual = skip_norm(b, f"{path}/post_attention_layernorm", residual, x)
        x = feed_forward(b, x, layer)
        is_last = layer + 1 == c["layers"]
        name = f"/model/layers.{layer + 1}/" + ("final_norm_layernorm" if is_last else
                                                "input_layernorm")
        x, residual = skip_norm(b, name, residual, x, is_last)
    if form.is_pruned:
        x = b.add("Gather", "/lm_head/Gather", x, b.int64([-1]), axis=1)
    b.product("/lm_head", x, c["hidden"], [("lm_head", c["vocabulary"], 1.0)], result="logits")
    return b


def forms(is_small):
    small = [Form("genai_packed", is_packed=True), Form("genai_cache8", level=0, bits=8),
             Form("genai_cache4", level=0, bits=4)] if is_small else []
    return [Form("genai", level=0), Form("genai_acc4"), Form("genai_prefill", is_pruned=True),
            Form("genai_decode", sequence=1), *small]


def cache_rows(rng, form, shape):
    if form.bits == 32:
        return rng.standard_normal(shape, dtype=np.float32)
    if form.bits == 8:
        return rng.integers(-128, 128, shape, dtype=np.int8)
    return rng.integers(0, 256, (*shape[:3], shape[3] // 2), dtype=np.uint8)


def inputs_of(form, c, shape, is_small):
    """One more token after 128 others, or a prompt of as many for the prefill."""
    batch = chosen(shape.batch, 1)
    is_prompt = form.is_pruned
    sequence = chosen(shape.sequence, (9 if is_small else 128) if is_prompt else 1)
    past = chosen(shape.past, 0 if is_prompt else 7 if is_small else 128)
    rng = np.random.default_rng(SEED + 1)
    inputs = {"input_ids": rng.integers(0, c["vocabulary"], (batch, sequence)),
              "attention_mask": np.ones((batch, past + sequence), np.int64)}
    for layer in range(c["layers"]):
        for part in ("key", "value"):
            inputs[f"past_key_values.{layer}.{part}"] = cache_rows(
                rng, form, (batch, c["groups"], past, c["hidden"] // c["heads"]))
    return inputs


def build(folder, small, shape):
    c = SMALL if small else FULL
    external = ExternalFile(folder, "genai.bin")
    models = [(decoder(form, external, c).save(folder), inputs_of(form, c, shape, small))
              for form in forms(small)]
    external.close()
    return models

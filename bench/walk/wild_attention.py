# SPDX-License-Identifier: MIT
"""Cases of chance of attention, of ai.onnx and of com.microsoft, and of what stands around it."""

from .case import Node, fed, numbers, weight
from .wild_case import MS, a_case, text


def _sizes(d):
    """Batch, heads, heads of keys and values, new rows, rows in a cache, and a head's width."""
    b, size = d.pick((1, 1, 2, 3)), 8 * d.size(1, 16)
    kv = d.pick((1, 2, 4))
    heads = kv * d.pick((1, 1, 2, 4))
    rows, past = d.pick((1, d.size(2, 200))), d.pick((0, d.size(1, 800)))
    return b, heads, kv, rows, past, size


def _marks(d, b, rows):
    """1 for the tokens of each text, 0 for what fills its row up."""
    lengths = [d.random.randint(1, rows) for _ in range(b)]
    return fed(b, rows, type="i32", data=[int(at < n) for n in lengths for at in range(rows)])


def attention(d):
    b, heads, kv, rows, past, size = _sizes(d)
    type, mask = d.pick(("f32", "f32", "f32", "f16")), d.pick((None, "bool", "float"))
    attributes, total = {"is_causal": d.pick((0, 1))}, rows + past
    q, k = fed(b, heads, rows, size, type=type), fed(b, kv, rows, size, type=type)
    if d.chance() < 0.5:  # heads beside each other
        q, k = (fed(b, rows, n * size, type=type) for n in (heads, kv))
        attributes.update(q_num_heads=heads, kv_num_heads=kv)
    values = [q, k, k]
    if mask or past:
        values.append(None if not mask else fed(
            rows, total, type="bool" if mask == "bool" else type))
    if past:
        values += [fed(b, kv, past, size, type=type)] * 2
    if d.chance() < 0.2:
        attributes["softcap"] = 5.0
    label = f"{b}x{heads}of{kv}x{rows}x{size}.past{past}.{mask}"
    label += ".causal" * attributes["is_causal"] + ".flat" * ("q_num_heads" in attributes)
    return a_case("Attention", f"{label}.{type}", Node(
        values, attributes, 3 if past else 1), "loose" if type == "f32" else type, 23)


def grouped(d):
    b, heads, kv, rows, past, size = _sizes(d)
    rotary, size = d.pick((0, 1)), (size + 15) // 16 * 16
    b = 1 if past and rows > 1 else b  # rows of a prompt behind a cache are one text's
    attributes = {"num_heads": heads, "kv_num_heads": kv, "do_rotary": rotary}
    values = [fed(b, rows, n * size) for n in (heads, kv, kv)]
    values += [fed(b, kv, past, size)] * 2 if past else [None, None]
    total = past + rows
    values += [numbers([total - 1] * b, "i32"), numbers(total, "i32")]
    if rotary:
        attributes["rotary_interleaved"] = d.pick((0, 1))
        values += [weight(total, size // 2, low=-1, high=1)] * 2
    if d.chance() < 0.3:
        attributes["local_window_size"] = d.size(1, 200)
    label = f"{b}x{heads}of{kv}x{rows}x{size}.past{past}"
    return a_case("GroupQueryAttention", label + "".join(f".{n}" for n in list(
        attributes.values())[2:]), Node(values, attributes, 3), "loose", domain=MS)


def heads(d):
    b, heads, _, rows, past, size = _sizes(d)
    wide, others = heads * size, d.pick((rows, d.size(1, 300)))
    if d.chance() < 0.5:
        bias, mask, more = (d.pick((True, False)) for _ in range(3))
        values = [fed(b, rows, wide), fed(b, others, wide), fed(b, others, wide),
                  weight(3 * wide) if bias else None,
                  _marks(d, b, others) if mask else None,
                  fed(1, heads, rows, others) if more else None]
        while values[-1] is None:
            values.pop()
        unidirectional = d.pick((0, 0, 1)) if others == rows else 0
        return a_case("MultiHeadAttention", f"{b}x{heads}x{rows}of{others}x{size}."
                      f"{int(bias)}{int(mask)}{int(more)}{unidirectional}", Node(
                          values, {"num_heads": heads, "unidirectional": unidirectional}),
                      "loose", domain=MS)
    x, mask = d.size(4, 400), d.pick((0, 1))
    values = [fed(b, rows, x, low=-0.5, high=0.5), weight(x, 3 * wide, low=-0.2, high=0.2),
              weight(3 * wide)]
    if mask:
        values.append(_marks(d, b, rows))
    causal = d.pick((0, 1))
    return a_case("Attention", f"ms.{b}x{rows}x{x}.{heads}x{size}.{mask}{causal}", Node(
        values, {"num_heads": heads, "unidirectional": causal}), "loose", domain=MS)


def rotary(d):
    b, heads, _, rows, past, size = _sizes(d)
    interleaved, type = d.pick((0, 1)), d.pick(("f32", "f32", "f16"))
    most = past + rows
    cache = [weight(most, size // 2, type=type, low=-1, high=1)] * 2
    places = d.places(b, rows, below=most)
    x = fed(b, heads, rows, size, type=type) if d.chance() < 0.5 else \
        fed(b, rows, heads * size, type=type)
    attributes = {"interleaved": interleaved, "num_heads": heads}
    label = f"{b}x{heads}x{rows}x{size}.{interleaved}.{len(x.shape)}d.{type}"
    if d.chance() < 0.5:
        return a_case("RotaryEmbedding", label, Node([x, *cache, places], attributes), type, 23)
    attributes["num_heads"] = heads if len(x.shape) == 3 else 0
    return a_case("RotaryEmbedding", f"ms.{label}", Node([x, places, *cache], attributes), type,
                  domain=MS)


def embedded(d):
    b, rows, wide, words = d.pick((1, 2, 4)), d.size(1, 300), d.size(4, 1000), d.size(10, 1000)
    part, mask = weight(wide), d.pick((0, 1))
    values = [fed(b, rows, type="i32", low=0, high=words), _marks(d, b, rows),
              weight(words, wide), weight(rows, wide), weight(2, wide), part, part]
    if mask:
        values.append(_marks(d, b, rows))
    return a_case("EmbedLayerNormalization", f"{b}x{rows}x{wide}.{words}.{mask}", Node(
        values, {}, 2), "loose", domain=MS)


def skip(d):
    name = d.pick(("SkipLayerNormalization", "SkipSimplifiedLayerNormalization"))
    type = d.pick(("f32", "f32", "f16"))
    shape = (d.pick((1, 1, 4)), d.size(1, 400), d.size(1, 2000))
    x, part = fed(*shape, type=type), weight(shape[2], type=type)
    other = fed(*shape[d.pick((0, 0, 1)):], type=type) if shape[0] == 1 else x
    values = [x, other, part] + ([part] if name == "SkipLayerNormalization" else [])
    if d.chance() < 0.5:
        values.append(part)
    return a_case(name, f"{text(shape)}.{len(values)}.{type}", Node(
        values, {"epsilon": 1e-5}), "loose" if type == "f32" else type, domain=MS)


FAMILIES = {attention: 3, grouped: 2, heads: 3, rotary: 2, embedded: 1, skip: 2}

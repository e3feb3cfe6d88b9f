#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of tests/fuzz/corpus: small models that use every part of the format, and what
they are compiled to.

    make_corpus.py build/bin/ortc

Needs python3-onnx. Fields newer than that package are appended as wire bytes. Run it from anywhere;
files that fuzzing has added are left alone.
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CORPUS = pathlib.Path(__file__).parent / "corpus"
FOLDER = CORPUS / "onnx_reader"
SEPARATOR = b"\n--binary--\n"  # of inspect_fuzz
X = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])
Y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def model(nodes, initializers=(), outputs=(Y,), inputs=(X,), **kwargs):
    graph = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), list(initializers),
                              **{k: v for k, v in kwargs.items() if k == "value_info"})
    imports = [helper.make_opsetid("", 15), helper.make_opsetid("local", 1),
               helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_model(graph, opset_imports=imports, producer_name="corpus",
                             functions=kwargs.get("functions", []))
    made.ir_version = 8
    return made


def plain():
    made = model([helper.make_node("Relu", ["x"], ["t"], name="relu"),
                  helper.make_node("Clip", ["t", "", "w"], ["y"])],
                 [numpy_helper.from_array(np.float32(6), "w")],
                 value_info=[helper.make_tensor_value_info("t", TensorProto.FLOAT, None)])
    helper.set_model_props(made, {"author": "nobody", "empty": ""})
    return made


def typed_tensors():
    numbers = [(t, [1, 0, 1, 1]) for t in (1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13)]
    tensors = [helper.make_tensor(f"w{t}", t, [2, 2], values) for t, values in numbers]
    tensors.append(helper.make_tensor("text", TensorProto.STRING, [2], [b"a\0b", b""]))
    tensors.append(helper.make_tensor("complex", TensorProto.COMPLEX64, [1], [1 + 2j]))
    return model([helper.make_node("Relu", ["x"], ["y"])], tensors)


def raw_tensors():
    tensors = [numpy_helper.from_array(np.arange(600, dtype=np.float32), "large")]
    for number, size in ((16, 2), (17, 1), (21, 1), (23, 1), (24, 1), (26, 1)):
        tensor = TensorProto(name=f"w{number}", dims=[1], raw_data=b"\1" * size)
        tensor.data_type = number
        tensors.append(tensor)
    return model([helper.make_node("Relu", ["x"], ["y"])], tensors)


def attributes():
    tensor = numpy_helper.from_array(np.ones(2, np.float32))
    sparse = helper.make_sparse_tensor(numpy_helper.from_array(np.ones(1, np.float32), "s"),
                                       numpy_helper.from_array(np.array([2], np.int64)), [4])
    node = helper.make_node("Relu", ["x"], ["y"], f=1.5, i=-1, s="text", t=tensor,
                            fs=[1.0, 2.0], ints=[1, 2, 3], ss=["a", "b"], ts=[tensor, tensor],
                            st=sparse, tp=X.type, tps=[X.type, Y.type])
    made = model([node])
    made.graph.sparse_initializer.append(sparse)
    return made


def body(name, nodes, output):
    value = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
    return helper.make_graph(nodes, name, [], [value])


def captures():
    deep = body("deep", [helper.make_node("Add", ["x", "t"], ["d"])], "d")
    inner = helper.make_node("If", ["c"], ["e"], then_branch=deep, else_branch=deep)
    then_body = body("then", [inner], "e")
    else_body = body("else", [helper.make_node("Neg", ["t"], ["x"]),
                              helper.make_node("Abs", ["x"], ["e"])], "e")
    nodes = [helper.make_node("Neg", ["x"], ["t"]),
             helper.make_node("If", ["c"], ["y"], then_branch=then_body, else_branch=else_body)]
    return model(nodes, [numpy_helper.from_array(np.array(True), "c")])


def types():
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, ["a", None, 3])
    sequence = helper.make_sequence_type_proto(tensor)
    optional = helper.make_optional_type_proto(sequence)
    mapping = onnx.TypeProto(denotation="MAP")
    mapping.map_type.key_type = TensorProto.INT64
    mapping.map_type.value_type.CopyFrom(tensor)
    sparse = helper.make_sparse_tensor_type_proto(TensorProto.FLOAT, [4])
    inputs = [helper.make_value_info(f"i{n}", t)
              for n, t in enumerate((tensor, sequence, optional, mapping, sparse))]
    return model([helper.make_node("Identity", ["i0"], ["y"])], inputs=inputs)


def functions():
    reference = onnx.AttributeProto(name="axis", type=onnx.AttributeProto.INT, ref_attr_name="n")
    leaf_node = helper.make_node("Softmax", ["a"], ["b"])
    leaf_node.attribute.append(reference)
    imports = [helper.make_opsetid("", 15), helper.make_opsetid("local", 1)]
    leaf = helper.make_function("local", "Leaf", ["a"], ["b"], [leaf_node], imports, ["n"])
    branch = body("branch", [helper.make_node("Neg", ["p"], ["z"])], "z")
    twice = [helper.make_node("Leaf", ["p"], ["q"], domain="local", name="one", n=1),
             helper.make_node("Leaf", ["q"], ["r"], domain="local", name="two"),
             helper.make_node("If", ["r"], ["s"], then_branch=branch, else_branch=branch)]
    outer = helper.make_function("local", "Outer", ["p"], ["s"], twice, imports)
    return model([helper.make_node("Outer", ["x"], ["y"], domain="local", name="call")],
                 functions=[leaf, outer])


def context():
    node = helper.make_node("EPContext", ["x"], ["y"], domain="com.microsoft", name="AOT_0",
                            embed_mode=1, main_context=1, source="AOT",
                            ep_cache_context=b"\0context" * 200)
    return model([node])


def external():
    tensor = TensorProto(name="w", data_type=1, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "w.bin"), ("offset", "0"), ("length", "8")):
        tensor.external_data.add(key=key, value=value)
    return model([helper.make_node("Relu", ["x"], ["y"])], [tensor])


def named_files():
    """Models that name files: where a name may stand, and how it may be spelled."""
    plain = external().graph.initializer[0]
    odd = TensorProto(name="v", data_type=TensorProto.FLOAT, dims=[2],
                      data_location=TensorProto.EXTERNAL)
    for value in ("other", ".//sub/./v.bin"):
        odd.external_data.add(key="location", value=value)
    sparse = onnx.SparseTensorProto(values=odd, indices=plain, dims=[4])
    relu = helper.make_node("Relu", ["x"], ["e"], t=plain, ts=[odd], st=sparse)
    inner = body("inner", [relu], "e")
    inner.initializer.append(odd)
    condition = numpy_helper.from_array(np.array(True), "c")

    def branches(of):
        return model([helper.make_node("If", ["c"], ["y"], then_branch=of, else_branch=inner)],
                     [condition])

    deep = inner
    for _ in range(18):
        deep = body("deep", [helper.make_node("If", ["c"], ["e"], then_branch=deep,
                                              else_branch=inner)], "e")
    node = helper.make_node("EPContext", ["x"], ["y"], domain="com.microsoft", embed_mode=0,
                            main_context=1, source="AOT", ep_cache_context="m_aot.bin")
    referring = helper.make_node("EPContext", ["x"], ["y"], domain="com.microsoft", embed_mode=0)
    referring.attribute.append(onnx.AttributeProto(
        name="ep_cache_context", type=onnx.AttributeProto.STRING, ref_attr_name="file"))
    imports = [helper.make_opsetid("", 15), helper.make_opsetid("com.microsoft", 1)]
    function = helper.make_function("local", "Call", ["x"], ["y"], [referring], imports, ["file"])
    call = helper.make_node("Call", ["x"], ["y"], domain="local", file="m_aot.bin")
    return {"initializers": model([helper.make_node("Relu", ["x"], ["y"])], [plain, odd]),
            "bodies": branches(inner), "deep": branches(deep), "context": model([node]),
            "function": model([call], functions=[function])}


def old_version():
    made = model([helper.make_node("Add", ["x", "w"], ["y"])],
                 [numpy_helper.from_array(np.ones(2, np.float32), "w")])
    made.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, [2]))
    made.ir_version = 3
    return made


def newer_fields():
    """Overloads, metadata and device configurations: wire bytes behind the node and the model."""
    node = helper.make_node("Relu", ["x"], ["y"]).SerializeToString()
    entry = field(1, b"key") + field(2, b"value")
    node += field(8, b"overload") + field(9, entry) + field(10, field(1, b"device"))
    graph = field(1, node) + field(2, b"g") + field(11, X.SerializeToString() + field(4, entry))
    graph += field(12, Y.SerializeToString()) + field(16, entry)
    return (b"\x08\x0e" + field(7, graph) + field(8, field(1, b"") + b"\x10\x17")
            + field(26, field(1, b"configuration")))


def network(name, nodes, weights, shape):
    """A model whose compilation leaves something to look at: packed weights, several kernels."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    random = np.random.default_rng(1)
    tensors = [numpy_helper.from_array(random.standard_normal(dims).astype(np.float32), key)
               for key, dims in weights.items()]
    graph = helper.make_graph(nodes, name, [x], [y], tensors)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)])
    made.ir_version = 8
    return made


def networks():
    dense = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Add", ["a", "b"], ["c"]),
             helper.make_node("Relu", ["c"], ["y"])]
    yield network("dense", dense, {"w": [8, 5], "b": [5]}, ["n", 8])
    conv = [helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["a"], ["b"]),
            helper.make_node("GlobalAveragePool", ["b"], ["y"])]
    yield network("conv", conv, {"w": [4, 2, 3, 3]}, ["n", 2, 6, 6])
    split = [helper.make_node("NonZero", ["x"], ["i"]), helper.make_node("Transpose", ["i"], ["t"]),
             helper.make_node("GatherND", ["x", "t"], ["g"]), helper.make_node("Exp", ["g"], ["e"]),
             helper.make_node("Softmax", ["e"], ["y"], axis=0)]
    yield network("data_dependent", split, {}, [3, 4])


def compiled(ortc):
    """Contexts of the networks: the binaries alone, and models with what belongs to them."""
    with tempfile.TemporaryDirectory() as folder:
        for made in networks():
            name = made.graph.name
            source = pathlib.Path(folder) / f"{name}.onnx"
            source.write_bytes(made.SerializeToString(deterministic=True))
            subprocess.run([ortc, "compile", source, "--progress", "none"], check=True,
                           stdout=subprocess.DEVNULL)
            model = source.with_name(f"{name}_ctx.onnx").read_bytes()
            binary = source.with_name(f"{name}_aot.bin").read_bytes()
            (CORPUS / "context_reader" / f"{name}.bin").write_bytes(binary)
            (CORPUS / "inspect" / f"{name}_binary").write_bytes(binary)
            # inspect_fuzz calls the pair m.
            model = model.replace(f"{name}_aot.bin".encode(), b"m_aot.bin")
            pair = model + SEPARATOR + binary
            (CORPUS / "inspect" / f"{name}_pair").write_bytes(pair)
            (CORPUS / "edit" / f"{name}_pair").write_bytes(pair)
            subprocess.run([ortc, "compile", source, "--progress", "none", "--embed"],
                           check=True, stdout=subprocess.DEVNULL)
            embedded = source.with_name(f"{name}_ctx.onnx").read_bytes()
            for target in ("inspect", "edit"):
                (CORPUS / target / f"{name}_embedded").write_bytes(embedded)


def several_targets(ortc):
    """A context for two targets, and one whose list has the second twice."""
    with tempfile.TemporaryDirectory() as folder:
        made = next(networks())
        source = pathlib.Path(folder) / "m.onnx"
        source.write_bytes(made.SerializeToString(deterministic=True))
        subprocess.run([ortc, "compile", source, "--progress", "none", "--target",
                        "x86-64-v3;aarch64"], check=True, stdout=subprocess.DEVNULL)
        binary = source.with_name("m_aot.bin").read_bytes()
        (CORPUS / "context_reader" / "several_targets.bin").write_bytes(binary)
        twice = binary.replace(b"x86-64-v3;aarch64\0\0\0\0\0\0\0\0", b"x86-64-v3;aarch64;aarch64")
        assert twice != binary and len(twice) == len(binary)
        (CORPUS / "context_reader" / "several_targets_one_twice").write_bytes(twice)
        pair = source.with_name("m_ctx.onnx").read_bytes() + SEPARATOR + binary
        for target in ("inspect", "edit"):
            (CORPUS / target / "several_targets_pair").write_bytes(pair)


def wounded_frames(binary):
    """The first frame of a context with records that lie; context_reader_fuzz gives the checksums."""
    metadata, = struct.unpack_from("<Q", binary, 232)
    table, count, stride = struct.unpack_from("<QII", binary, metadata + 24)
    records = [metadata + table + i * stride for i in range(count)]
    record = next(at for at in records if struct.unpack_from("<I", binary, at + 40)[0] == 1)
    offset, stored, size = struct.unpack_from("<QQQ", binary, record)

    def with_record(*numbers):
        made = bytearray(binary)
        struct.pack_into("<QQQ", made, record, *numbers)
        return bytes(made)

    damaged = bytearray(binary)
    damaged[offset + stored // 2] ^= 0x10
    return {"frame_claims_more": with_record(offset, stored, size - 1),
            "frame_claims_less": with_record(offset, stored, size + 1),
            "frame_cut": with_record(offset, stored - 1, size), "frame_damaged": bytes(damaged)}


def golden():
    """What `ortc compile` does not write: compressed tensors, headers that need more than is here."""
    folder = CORPUS.parent.parent / "golden" / "1.0"
    for binary in sorted((folder / "compressed").glob("*.bin")):
        (CORPUS / "context_reader" / f"compressed_{binary.name}").write_bytes(binary.read_bytes())
        (CORPUS / "inspect" / f"compressed_{binary.stem}").write_bytes(binary.read_bytes())
    binary = (folder / "compressed" / "image_external_aot.bin").read_bytes()
    for name, content in wounded_frames(binary).items():
        (CORPUS / "context_reader" / name).write_bytes(content)
    for name in ("more_graphs_in_the_header", "needs_encryption", "frame_that_promises_too_much"):
        content = (folder / "broken" / f"{name}.bin").read_bytes()
        (CORPUS / "context_reader" / name).write_bytes(content)


EXTERNAL = {
    "whole": b"\x10location=w.bin\noffset=0\nlength=8",
    "far_in": b"\x28location=sub/s.bin\noffset=4096\nlength=20",
    "link": b"\x0flocation=l.bin",
    "outside": b"\x10location=../secret.bin",
    "link_outside": b"\x10location=out.bin\noffset=0",
    "absolute": b"\x10location=/etc/passwd",
    "dots": b"\x10location=sub/../../secret.bin\nlength=8",
    "folder_link": b"\x10location=away/secret.bin",
    "inner_link": b"\x10location=near/s.bin\nchecksum=0123456789012345678901234567890123456789",
    "loop": b"\x10location=loop.bin",
    "folder": b"\x10location=sub",
    "empty": b"\x00location=empty.bin\nlength=0",
    "beyond": b"\x10location=w.bin\noffset=18446744073709551615\nlength=8",
    "zstd": b"\x10location=w.bin\ncompression=zstd\nlength=30",
    "zstd_whole": b"\x80location=z.bin\ncompression=zstd\nlength=77",
    "zstd_cut": b"\x80location=z.bin\ncompression=zstd\nlength=76",
    "zstd_claims_less": b"\x88location=z.bin\ncompression=zstd\nlength=77",
    "zstd_not_a_frame": b"\x80location=w.bin\noffset=8\ncompression=zstd\nlength=77",
    "zstd_without_length": b"\x10location=z.bin\ncompression=zstd",
    "other_compression": b"\x10location=z.bin\ncompression=gzip",
    "unknown_key": b"\x10location=w.bin\ncolour=red",
    "no_location": b"\x10offset=0",
    "memory": b"\x10location=*/_ORT_MEM_ADDR_/*\noffset=4096\nlength=8",
    "strings": b"\x0dlocation=w.bin",
    "twice": b"\x10location=w.bin\nlocation=sub/s.bin\noffset=x",
}



def text(content):
    return struct.pack("<I", len(content)) + content


def journals():
    """Without the checksum, which journal_fuzz appends."""
    def of(*names, version=1, replaces=1):
        entries = b"".join(text(b"." + name.split(b"/")[-1] + b".0123456789abcdef.tmp") + text(name)
                           for name in names)
        head = struct.pack("<III", version, len(names), replaces)
        return b"ORTCJRNL" + head + text(b"generation") + entries

    return {"one": of(b"m"), "two": of(b"m_aot.bin", b"m"), "newer": of(b"m", version=2),
            "twice": of(b"m", b"m"), "path": of(b"../w", b"m"), "beneath": of(b"sub/w", b"m"),
            "new_files": of(b"w", b"m", replaces=0), "odd": of(b"m", replaces=2), "other_model": of(b"n"),
            "cut": of(b"m")[:-3], "none": of()}


def lora_adapter(parameters, version=1, shift=0):
    """A FlatBuffer as ONNX Runtime's adapters are; the data begin at multiples of 16, plus `shift`."""
    out = bytearray(8)
    out[4:8] = b"TORT"

    def point(place, target=None):
        struct.pack_into("<I", out, place, (len(out) if target is None else target) - place)

    def table(*fields):
        """Four fields of four bytes, of which those that are None are absent."""
        entries = [4 + 4 * n if value is not None else 0 for n, value in enumerate(fields)]
        out.extend(struct.pack("<HH4H", 12, 20, *entries))
        place = len(out)
        out.extend(struct.pack("<i4i", 12, *(value or 0 for value in fields)))
        return place

    def vector(place, content, count, shift=0):
        out.extend(bytes((12 + shift - len(out)) % 16))
        point(place)
        out.extend(struct.pack("<I", count) + content)

    root = table(version, None, None, 0)
    point(0, root)
    vector(root + 16, bytes(4 * len(parameters)), len(parameters))
    list_place = len(out) - 4 * len(parameters)
    for number, (name, dims, dtype, data) in enumerate(parameters):
        made = table(0, 0, dtype, 0)
        point(list_place + 4 * number, made)
        vector(made + 4, name, len(name))
        vector(made + 8, struct.pack(f"<{len(dims)}q", *dims), len(dims))
        vector(made + 16, data, len(data), shift)
    return bytes(out)


def lora_adapters():
    first = (b"a.weight", (2, 2), 1, struct.pack("<4f", 1, 2, 3, 4))
    second = (b"b.weight", (3,), 7, bytes(24))
    return {"pair": lora_adapter([first, second]), "shifted": lora_adapter([first], shift=4),
            "empty": lora_adapter([]), "newer": lora_adapter([first], version=2),
            "twice": lora_adapter([first, first]), "strings": lora_adapter([first[:2] + (8, b"")]),
            "no_type": lora_adapter([first[:2] + (99, b"")]),
            "short_data": lora_adapter([first[:3] + (bytes(15),)]),
            "huge": lora_adapter([(b"h", (2**62, 2**62), 1, b"")]),
            "negative": lora_adapter([(b"n", (-1,), 1, b"")]),
            "other_file": b"\x08\0\0\0ORTM" + bytes(16)}


def cache_records():
    """Without the hash, which cache_record_fuzz appends."""
    def record(*fields, kind="ortc.cache.entry/1"):
        return "".join([kind + "\n"] + [f"{name}\t{value}\n" for name, value in fields]).encode()
    part = ("key model", "0123456789abcdef0123456789abcdef 5 bytes")
    return {"entry": record(("source", "m.onnx"), ("created_ms", "1"), ("file model_ctx.onnx", "5"),
                            part),
            "nothing_compiled": record(("source", "m.onnx"), part),
            "other_size": record(("file model_ctx.onnx", "6")),
            "missing_file": record(("file model_ctx.onnx", "5"), ("file w.bin", "1")),
            "outside": record(("file ../../../../etc/passwd", "1")),
            "no_number": record(("file model_ctx.onnx", "five")),
            "escapes": record(("a\\tb", "\\n\\\\\\x\\")),
            "other_kind": record(part, kind="ortc.cache.source/1"),
            "no_tab": b"ortc.cache.entry/1\nline\n", "empty": b""}


def main():
    makers = (plain, typed_tensors, raw_tensors, attributes, captures, types, functions, context,
              external, old_version, newer_fields)
    for name in ("onnx_reader", "context_reader", "external_data", "inspect", "edit", "journal",
                 "lora_adapter", "named_files", "cache_record"):
        (CORPUS / name).mkdir(parents=True, exist_ok=True)
    for make in makers:
        made = make()
        content = made if isinstance(made, bytes) else made.SerializeToString(deterministic=True)
        (FOLDER / f"{make.__name__}.onnx").write_bytes(content)
    for name, content in journals().items():
        (CORPUS / "journal" / name).write_bytes(content)
    for name, content in lora_adapters().items():
        (CORPUS / "lora_adapter" / name).write_bytes(content)
    for name, content in cache_records().items():
        (CORPUS / "cache_record" / name).write_bytes(content)
    for name, made in named_files().items():
        (CORPUS / "named_files" / name).write_bytes(made.SerializeToString(deterministic=True))
    for name, content in EXTERNAL.items():
        (CORPUS / "external_data" / name).write_bytes(content)
    compiled(pathlib.Path(sys.argv[1]).resolve())
    several_targets(pathlib.Path(sys.argv[1]).resolve())
    golden()


if __name__ == "__main__":
    main()

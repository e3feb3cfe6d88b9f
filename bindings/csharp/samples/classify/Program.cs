// SPDX-License-Identifier: MIT
// Reads the handwritten digits of the demo: classify DIGITS.onnx IMAGES.npy LABELS.npy
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using OrtC;
using TensorPrimitives = System.Numerics.Tensors.TensorPrimitives;

using var env = new Env("classify");
using var session = new Session(env, args[0]);
var images = MemoryMarshal.Cast<byte, float>(Body(args[1])).ToArray();
var labels = MemoryMarshal.Cast<byte, long>(Body(args[2])).ToArray();

using var batch = new Tensor<float>(images, labels.Length, 1, 8, 8);
using var outputs = session.Run(new Dictionary<string, Value> { ["images"] = batch }, ["logits"]);
var logits = outputs["logits"].AsSpan<float>();
var right = 0;
for (var i = 0; i < labels.Length; i++)
{
    right += TensorPrimitives.IndexOfMax<float>(logits.Slice(i * 10, 10)) == labels[i] ? 1 : 0;
}
Console.WriteLine($"{right} of {labels.Length} digits are read right");

// What follows the header of a .npy file: numbers, least significant byte first.
static Span<byte> Body(string path)
{
    var bytes = File.ReadAllBytes(path);
    return bytes.AsSpan(10 + BinaryPrimitives.ReadUInt16LittleEndian(bytes.AsSpan(8)));
}

// SPDX-License-Identifier: MIT
// Tokens of a language model, the likeliest after each: generate MODEL.onnx COUNT TOKEN...
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC;

// docs: begin
var ids = args.Skip(2).Select(long.Parse).ToArray();
var length = ids.Length + int.Parse(args[1]);
using var env = new Env("generate");
using var options = new SessionOptions().AppendExecutionProvider("AOT");
using var session = new Session(env, args[0], options);
using var binding = new IoBinding(session);

// One buffer for past and present of each layer: a run appends to it in place.
var caches = new List<Tensor<float>>();
foreach (var input in session.Inputs.Where(input => input.Name.StartsWith("past_key_values")))
{
    var shape = input.Type.Tensor!.Shape.ToArray();
    (shape[0], shape[2]) = (1, length);
    var cache = new Tensor<float>(new float[shape[1] * shape[2] * shape[3]], shape);
    caches.Add(cache);
    binding.BindInput(input.Name, cache);
    binding.BindOutput(input.Name.Replace("past_key_values", "present"), cache);
}

var vocabulary = session.Outputs[0].Type.Tensor!.Shape[2];
var ones = Enumerable.Repeat(1L, length).ToArray();
var tokens = new List<long>();
for (var past = ids.Length; past < length; past++) // first the prompt, then token by token
{
    using var now = new Tensor<long>(ids, 1, ids.Length);
    using var mask = new Tensor<long>(ones.AsMemory(0, past).ToArray(), 1, past);
    using var logits = new Tensor<float>(
        new float[ids.Length * vocabulary], 1, ids.Length, vocabulary);
    binding.BindInput("input_ids", now).BindInput("attention_mask", mask);
    binding.BindOutput("logits", logits).Run();
    var last = logits.Span[^(int)vocabulary..].ToArray();
    ids = new long[] { Array.IndexOf(last, last.Max()) };
    tokens.Add(ids[0]);
}

Console.WriteLine(string.Join(' ', tokens));
caches.ForEach(cache => cache.Dispose());
// docs: end

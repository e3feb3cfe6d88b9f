// SPDX-License-Identifier: MIT
// Compiles a model once and finds it the next time: cache MODEL.onnx FOLDER
using System;
using OrtC;

using var env = new Env("cache");
using var options = new SessionOptions().AppendExecutionProvider("AOT");
using var session = Session.FromCache(env, args[0], args[1], options);
var cache = session.GetReport().Root.GetProperty("cache");
Console.WriteLine(cache.GetProperty("result").GetString() switch
{
    "made" => "compiled and kept",
    "hit" => "found in the cache",
    var other => $"{other}: {cache.GetProperty("reason").GetString()}",
});
var bytes = new ContextCache(args[1]).List().Root.GetProperty("bytes").GetInt64();
Console.WriteLine($"the cache has {bytes} bytes");

// SPDX-License-Identifier: MIT
// Two models that share weights: share FIRST.onnx SECOND.onnx FOLDER
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using OrtC;

// docs: begin
var (sources, folder) = (args[..2], args[2]);
var compiled = new[] { "first", "second" }
    .Select(name => Path.Combine(folder, $"{name}_ctx.onnx")).ToArray();
using var env = new Env("share");
using var options = new SessionOptions().AppendExecutionProvider("AOT");

using (var group = new SharingGroup(env))
{
    foreach (var (source, output) in sources.Zip(compiled))
    {
        using var member = new ModelCompilationOptions(env, options);
        group.Add(member.SetInputModel(source).SetOutputModel(output));
    }
    group.Commit(); // two models and one binary appear here, or nothing
    var files = group.GetReport().Root.GetProperty("files");
    Console.WriteLine($"compiled {files.GetArrayLength()} files");
}

var ones = Enumerable.Repeat(1f, 256).ToArray();
using var x = new Tensor<float>(ones, 1, 256); // pins the array, copies nothing
var inputs = new Dictionary<string, Value> { ["x"] = x };
using var first = new Session(env, compiled[0], options);
using var second = new Session(env, compiled[1], options);
foreach (var (name, session) in new[] { ("first", first), ("second", second) })
{
    using var outputs = await session.RunAsync(inputs);
    var y = outputs["y"].ToArray<float>()
        .Select(number => number.ToString("F4", CultureInfo.InvariantCulture));
    Console.WriteLine($"{name}: {string.Join(' ', y)}");
}

using var stop = new CancellationTokenSource();
try
{
    var run = first.RunAsync(inputs, cancellationToken: stop.Token);
    stop.Cancel(); // may come at any time, also when the run has ended
    (await run).Dispose();
    await first.RunAsync(inputs, cancellationToken: stop.Token);
}
catch (OperationCanceledException)
{
    Console.WriteLine("cancelled");
}
// docs: end

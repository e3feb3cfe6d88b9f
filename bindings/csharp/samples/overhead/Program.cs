// SPDX-License-Identifier: MIT
// What a run costs that does next to nothing: overhead MODEL.onnx ITERATIONS
using System;
using System.Diagnostics;
using System.Globalization;
using OrtC;

const int Batch = 1000;
using var env = new Env("overhead");
using var session = new Session(env, args[0]);
using var x = new Tensor<float>(new float[4], 1, 4);

string[] inputNames = ["x"], outputNames = ["y"];
Value[] inputs = [x];
var outputs = new Value?[1];
var batches = Math.Max(1, int.Parse(args[1], CultureInfo.InvariantCulture) / Batch);
var times = new double[batches];
for (var batch = -Math.Min(batches, 20); batch < batches; batch++)
{
    var start = Stopwatch.GetTimestamp();
    for (var i = 0; i < Batch; i++)
    {
        outputs[0] = null;
        session.Run(inputNames, inputs, outputNames, outputs);
        outputs[0]!.Dispose();
    }
    if (batch >= 0) // the first ones let the compiler see what is hot
    {
        times[batch] = Stopwatch.GetElapsedTime(start).TotalNanoseconds / Batch;
    }
}
Array.Sort(times);
Console.WriteLine($"median_ns {times[batches / 2]:F0}");

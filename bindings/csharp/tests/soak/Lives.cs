// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace OrtC.Soak;

/// <summary>Sessions that come and go leave no memory behind.</summary>
internal static class Lives
{
    private const double Allowed = 12;

    internal static int Run(string model, int count)
    {
        using var env = new Env("soak");
        // The first half warms up: the compiler, and the heaps of both sides, find their sizes.
        Repeat(env, model, count);
        var before = Megabytes();
        Repeat(env, model, count);
        var after = Megabytes();
        Console.WriteLine($"{count} sessions: {before:F1} MB before, {after:F1} MB after");
        if (after - before <= Allowed)
        {
            return 0;
        }
        Console.Error.WriteLine($"memory grew by more than {Allowed} MB");
        return 1;
    }

    private static void Repeat(Env env, string model, int count)
    {
        for (var i = 0; i < count; i++)
        {
            using var options = new SessionOptions { IntraOpNumThreads = 1 };
            options.LoadProgress = _ => { };
            using var session = new Session(env, model, options);
            using var x = Tensor<float>.Allocate(1, 4);
            x.Span.Fill(i);
            var inputs = new Dictionary<string, Value> { ["x"] = x };
            using (var outputs = session.Run(inputs))
            {
                if (outputs["y"].AsSpan<float>()[0] != i + 1)
                {
                    throw new InvalidOperationException($"run {i} is wrong");
                }
            }
            if (i % 10 == 0)
            {
                session.RunAsync(inputs).GetAwaiter().GetResult().Dispose();
                Forget(session, inputs);
            }
        }
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
    }

    /// <summary>What nobody disposes the collector ends.</summary>
    private static void Forget(Session session, Dictionary<string, Value> inputs) =>
        _ = session.Run(inputs).Values.First().AsMemory<float>().Length;

    private static double Megabytes()
    {
        var line = File.ReadLines("/proc/self/status").First(text => text.StartsWith("VmRSS"));
        return double.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1]) / 1024;
    }
}

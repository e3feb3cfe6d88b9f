// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace OrtC.Soak;

/// <summary>
/// The collector runs inside callbacks and between the calls, and everything is garbage as soon as
/// it can be. Run with DOTNET_GCgen0size small.
/// </summary>
internal static class Collector
{
    internal static int Run(string model, int count)
    {
        var heard = 0;
        for (var i = 0; i < count; i++)
        {
            var compiled = Compile(model, () => heard++);
            var task = Begin(compiled, () => heard++, i);
            GC.Collect();
            GC.WaitForPendingFinalizers();
            var logits = task.GetAwaiter().GetResult();
            if (logits.Length != 10 || logits.Any(float.IsNaN))
            {
                Console.Error.WriteLine("a run gave something else");
                return 1;
            }
        }
        Console.WriteLine($"{count} rounds, {heard} callbacks with a collection in each");
        return heard > count ? 0 : 1;
    }

    private static byte[] Compile(string model, Action heard)
    {
        using var env = new Env(new EnvOptions
        {
            Severity = LoggingLevel.Info,
            Logger = _ => Collect(heard),
        });
        using var options = new SessionOptions().AppendExecutionProvider("AOT");
        using var compiler = new ModelCompiler(env, options, model);
        compiler.Options.SetEmbedMode(true).SetInitializerLocator((_, _, _) =>
        {
            Collect(heard);
            return null;
        });
        return compiler.CompileToBytes(new Hear(() => Collect(heard)));
    }

    /// <summary>Begins a run and lets go of everything that it needs.</summary>
    private static async Task<float[]> Begin(byte[] model, Action heard, int round)
    {
        var env = new Env("collector");
        var options = new SessionOptions { IntraOpNumThreads = 1 + (round % 2) };
        options.AppendExecutionProvider("AOT");
        options.LoadProgress = _ => Collect(heard);
        var session = Session.FromBytes(env, model, options);
        var images = new Tensor<float>(new float[64], 1, 1, 8, 8);
        var task = session.RunAsync(new Dictionary<string, Value> { ["images"] = images });
        if (round % 3 == 0)
        {
            images.Dispose();
            session.Dispose();
            options.Dispose();
            env.Dispose();
        }
        var outputs = await task.ConfigureAwait(false);
        return outputs["logits"].ToArray<float>();
    }

    private static void Collect(Action heard)
    {
        GC.Collect();
        heard();
    }

    private sealed class Hear(Action heard) : IProgress<CompileProgress>
    {
        public void Report(CompileProgress value) => heard();
    }
}

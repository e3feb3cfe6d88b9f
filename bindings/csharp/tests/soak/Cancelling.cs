// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace OrtC.Soak;

/// <summary>
/// Many runs at once, each stopped some time: before, while it goes on, or after.
/// </summary>
internal static class Cancelling
{
    internal static int Run(string model, int count)
    {
        using var env = new Env("cancel");
        using var options = new SessionOptions { IntraOpNumThreads = 4 };
        using var session = new Session(env, model, options);
        var runs = Enumerable.Range(0, count).Select(i => One(session, i)).ToArray();
        var done = Task.WhenAll(runs);
        if (!done.Wait(TimeSpan.FromMinutes(2)))
        {
            Console.Error.WriteLine($"{runs.Count(run => !run.IsCompleted)} runs did not end");
            return 1;
        }
        var ended = done.Result.Count(ended => ended);
        Console.WriteLine($"{ended} of {count} runs ended, {count - ended} were cancelled");
        return ended > 0 && ended < count ? 0 : 1;
    }

    private static async Task<bool> One(Session session, int seed)
    {
        var random = new Random(seed);
        using var source = new CancellationTokenSource();
        source.CancelAfter(random.Next(200));
        using var steps = new Tensor<long>(new[] { random.Next(4) == 0 ? 5 : 100_000_000L });
        try
        {
            var outputs = await session.RunAsync(
                new Dictionary<string, Value> { ["steps"] = steps },
                cancellationToken: source.Token).ConfigureAwait(false);
            outputs.Dispose();
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }
}

/// <summary>A process that ends while threads of all kinds are in the middle of runs.</summary>
internal static class Exiting
{
    internal static int Run(string model, int seed)
    {
        var env = new Env("exit");
        var options = new SessionOptions { IntraOpNumThreads = 2 };
        var session = new Session(env, model, options);
        var steps = new Tensor<long>(new[] { 100_000_000L });
        var inputs = new Dictionary<string, Value> { ["steps"] = steps };
        for (var i = 0; i < 3; i++)
        {
            new Thread(() => session.Run(inputs)) { IsBackground = true }.Start();
        }
        _ = session.RunAsync(inputs);
        Thread.Sleep(new Random(seed).Next(60));
        if (seed % 2 == 0)
        {
            Environment.Exit(0);
        }
        return 0;
    }
}

/// <summary>More bytes than 32 bits count.</summary>
internal static class Large
{
    internal static int Run(string model)
    {
        const long Count = 1_600_000_000;
        using var env = new Env("large");
        using var session = new Session(env, model);
        using var x = Tensor<Half>.Allocate(Count);
        x.Span.Clear();
        x.Span[(int)Count - 1] = (Half)3;
        using var outputs = session.Run(new Dictionary<string, Value> { ["x"] = x });
        var y = outputs["y"];
        Console.WriteLine($"{x.SizeInBytes} bytes in, {y.SizeInBytes} bytes out");
        return y.AsSpan<Half>()[(int)Count - 1] == (Half)6 && y.SizeInBytes == 2 * Count ? 0 : 1;
    }
}

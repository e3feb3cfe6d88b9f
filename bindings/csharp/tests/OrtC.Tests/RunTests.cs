// SPDX-License-Identifier: MIT
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace OrtC.Tests;

public class RunTests
{
    private const long ForMinutes = 100_000_000;

    private static Tensor<long> Steps(long count) => new([count]);

    [Fact]
    public async Task A_run_goes_on_while_the_caller_does_something_else()
    {
        foreach (var threads in new[] { 1, 2 })
        {
            using var options = new SessionOptions { IntraOpNumThreads = threads };
            using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"), options);
            Task<Outputs> task;
            using (var x = new Tensor<float>(new float[] { 1, 2, 3, 4 }, 1, 4))
            {
                task = session.RunAsync(Rig.Inputs("x", x));
            }
            GC.Collect();
            using var outputs = await task;
            Assert.Equal([2f, 3, 4, 5], outputs["y"].ToArray<float>());
            using var wrong = new Tensor<float>(new float[5], 1, 5);
            await Assert.ThrowsAsync<OrtArgumentException>(
                () => session.RunAsync(Rig.Inputs("x", wrong)));
            await Assert.ThrowsAsync<OrtArgumentException>(
                () => session.RunAsync(Rig.Inputs("x", wrong), []));
        }
    }

    // In the middle of a run; on a busy machine before it.
    private static void IsStopped(CancellationToken token, Action run)
    {
        var exception = Assert.ThrowsAny<OperationCanceledException>(run);
        Assert.Equal(token, exception.CancellationToken);
        if (exception is OrtCanceledException inTheMiddle)
        {
            Assert.Equal(ErrorCode.Fail, inTheMiddle.Code);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_token_stops_a_run(int threads)
    {
        using var options = new SessionOptions { IntraOpNumThreads = threads };
        using var session = new Session(Rig.Env, Rig.Model("slow.onnx"), options);
        using var steps = Steps(ForMinutes);
        using var source = new CancellationTokenSource(50);
        IsStopped(
            source.Token,
            () => session.Run(Rig.Inputs("steps", steps), cancellationToken: source.Token));
        Assert.Throws<OperationCanceledException>(
            () => session.Run(Rig.Inputs("steps", steps), cancellationToken: source.Token));

        using var second = new CancellationTokenSource(50);
        var task = session.RunAsync(Rig.Inputs("steps", steps), cancellationToken: second.Token);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        Assert.True(task.IsCanceled);
        Assert.True(session.RunAsync(
            Rig.Inputs("steps", steps), cancellationToken: second.Token).IsCanceled);

        using var few = Steps(3);
        using var outputs = session.Run(Rig.Inputs("steps", few));
        Assert.Equal(3, outputs[0].ToArray<float>()[0]);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_run_that_goes_on_keeps_its_options(int threads)
    {
        using var options = new SessionOptions { IntraOpNumThreads = threads };
        using var session = new Session(Rig.Env, Rig.Model("slow.onnx"), options);
        using var steps = Steps(ForMinutes);
        var run = new RunOptions();
        var task = session.RunAsync(Rig.Inputs("steps", steps), options: run);
        run.Dispose();
        Thread.Sleep(30);
        Assert.False(task.IsCompleted);
        run.Terminate(); // there as long as the run is
        Assert.Throws<OrtCanceledException>(() => task.GetAwaiter().GetResult());
        Assert.Throws<ObjectDisposedException>(run.Terminate);
    }

    [Fact]
    public void Options_stop_the_runs_that_use_them_and_no_other()
    {
        using var session = new Session(Rig.Env, Rig.Model("slow.onnx"));
        using var steps = Steps(ForMinutes);
        using var few = Steps(2);
        using var options = new RunOptions();
        using var source = new CancellationTokenSource();
        var plain = Task.Run(() => session.Run(Rig.Inputs("steps", steps), options: options));
        var both = Task.Run(() => session.Run(
            Rig.Inputs("steps", steps), options: options, cancellationToken: source.Token));
        using var stopped = new CancellationTokenSource(30);
        IsStopped(stopped.Token, () => session.Run(
            Rig.Inputs("steps", steps), options: options, cancellationToken: stopped.Token));
        Assert.False(plain.IsCompleted || both.IsCompleted);
        options.Terminate();
        Assert.Throws<OrtCanceledException>(() => plain.GetAwaiter().GetResult());
        Assert.Throws<OrtCanceledException>(() => both.GetAwaiter().GetResult());
        Assert.Throws<OrtCanceledException>(
            () => session.Run(Rig.Inputs("steps", few), options: options));
        options.Reset();
        session.Run(Rig.Inputs("steps", few), options: options).Dispose();
    }

    [Fact]
    public void A_binding_is_stopped_as_well()
    {
        using var session = new Session(Rig.Env, Rig.Model("slow.onnx"));
        using var binding = new IoBinding(session);
        using var steps = Steps(ForMinutes);
        binding.BindInput("steps", steps).BindOutput("y");
        using var source = new CancellationTokenSource(30);
        IsStopped(source.Token, () => binding.Run(null, source.Token));
    }

    [Fact]
    public void Eight_threads_run_one_session_and_some_are_stopped()
    {
        using var slow = new Session(Rig.Env, Rig.Model("slow.onnx"));
        using var digits = new Session(Rig.Env, Rig.Model("digits.onnx"));
        using var images = new Tensor<float>(new float[64], 1, 1, 8, 8);
        using var expected = digits.Run(Rig.Inputs("images", images));
        var logits = expected["logits"].ToArray<float>();
        var (ended, stopped) = (0, 0);
        var threads = Enumerable.Range(0, 8).Select(seed => new Thread(() =>
        {
            var random = new Random(seed);
            for (var i = 0; i < 20; i++)
            {
                using var outputs = digits.Run(Rig.Inputs("images", images));
                Assert.Equal(logits, outputs["logits"].ToArray<float>());
                using var source = new CancellationTokenSource();
                source.CancelAfter(random.Next(3));
                using var steps = Steps(random.Next(2) == 0 ? 3 : ForMinutes);
                try
                {
                    slow.Run(Rig.Inputs("steps", steps), cancellationToken: source.Token).Dispose();
                    Interlocked.Increment(ref ended);
                }
                catch (OperationCanceledException)
                {
                    Interlocked.Increment(ref stopped);
                }
            }
        })).ToArray();
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        Assert.Equal(160, ended + stopped);
        Assert.True(stopped > 0);
    }

    [Fact]
    public void A_session_that_is_disposed_during_a_run_ends_after_it()
    {
        using var options = new SessionOptions { IntraOpNumThreads = 2 };
        var session = new Session(Rig.Env, Rig.Model("slow.onnx"), options);
        using var source = new CancellationTokenSource();
        var steps = Steps(ForMinutes);
        var runs = new[]
        {
            session.RunAsync(Rig.Inputs("steps", steps), cancellationToken: source.Token),
            Task.Run(() => session.Run(
                Rig.Inputs("steps", steps), cancellationToken: source.Token)),
        };
        Thread.Sleep(30);
        steps.Dispose();
        session.Dispose();
        GC.Collect();
        source.Cancel();
        Assert.All(runs, run => Assert.ThrowsAny<OperationCanceledException>(
            () => run.GetAwaiter().GetResult()));
    }
}

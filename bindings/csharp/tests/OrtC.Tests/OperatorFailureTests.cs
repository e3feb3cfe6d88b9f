// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Xunit;
using static OrtC.Tests.OperatorRig;

namespace OrtC.Tests;

/// <summary>Operators that fail or misbehave, what they hold, and threads.</summary>
public class OperatorFailureTests
{
    private readonly Exception _error = new FormatException("mine");

    [Fact]
    public void What_compute_throws_comes_out_of_the_run()
    {
        using var fails = Computes("Fail", _ => throw _error);
        using var model = ModelOf(Node("Fail"));
        using var session = SessionOf(model, fails);
        for (var i = 0; i < 2; i++)
        {
            Assert.Same(_error, Record.Exception(() => Rig.RunFloats(session, [1], 1)));
        }
    }

    [Fact]
    public void What_a_part_of_a_loop_throws_comes_out_too()
    {
        using var fails = Computes(
            "Fail", context => context.ParallelFor(10, _ => throw _error));
        using var model = ModelOf(Node("Fail"));
        Assert.Same(_error, Record.Exception(() => Run(model, [1], fails)));
    }

    [Fact]
    public void What_the_making_of_a_kernel_throws_comes_out_of_the_load()
    {
        using var fails = new CustomOperator(
            "mine", "Fail", OneFloat, OneFloat, _ => throw _error);
        using var none = new CustomOperator("mine", "Fail", OneFloat, OneFloat, _ => null!);
        using var model = ModelOf(Node("Fail"));
        Assert.Same(_error, Record.Exception(() => SessionOf(model, fails)));
        Assert.Throws<InvalidOperationException>(() => SessionOf(model, none));
    }

    [Fact]
    public void What_inference_throws_comes_out_of_the_load()
    {
        ShapeInferContext? kept = null;
        using var fails = new CustomOperator("mine", "Fail", OneFloat, OneFloat,
            _ => _ => { }, context =>
            {
                kept = context;
                throw _error;
            });
        using var model = ModelOf(Node("Fail"));
        Assert.Same(_error, Record.Exception(() => SessionOf(model, fails)));
        Assert.Throws<ObjectDisposedException>(() => kept!.InputCount);
    }

    [Fact]
    public void Inference_that_contradicts_the_model_is_refused()
    {
        using var model = ModelOf(Node("Wrong"));
        foreach (var (code, words, infer) in new (ErrorCode, string, Action<ShapeInferContext>)[]
        {
            (ErrorCode.InvalidGraph, "", context => context.SetOutput(
                0, new TensorInfo(TensorElementType.Undefined, [1, 1]))),
            (ErrorCode.InvalidArgument, "'index' is 3", context => context.GetInput(3)),
            (ErrorCode.InvalidArgument, "'index' is 3", context => context.SetOutput(
                3, new TensorInfo(TensorElementType.Float, null))),
        })
        {
            using var wrong = new CustomOperator(
                "mine", "Wrong", OneFloat, OneFloat, _ => _ => { }, infer);
            Rig.Fails(code, words, () => SessionOf(model, wrong));
        }
    }

    [Fact]
    public void Wrong_values_are_refused()
    {
        using var left = new CustomOperator("mine", "Wrong",
            [TensorElementType.Float, FormalParameter.Optional(TensorElementType.Float),
                TensorElementType.Float],
            OneFloat, _ => context =>
            {
                Rig.Fails(ErrorCode.InvalidArgument, "'index' is 7", () => context.GetInput(7));
                Rig.Fails(ErrorCode.InvalidArgument, "'index' is 7", () => context.GetOutput(7, 1));
                Rig.Fails(ErrorCode.InvalidArgument, "not Int64",
                    () => context.GetInput<long>(0).ToArray());
                Rig.Fails(ErrorCode.InvalidArgument, "Input 1 is left out",
                    () => context.GetInput<float>(1).ToArray());
                Rig.Fails(ErrorCode.InvalidArgument, "not Double",
                    () => context.GetOutput<double>(0, 1).Clear());
                Rig.Fails(ErrorCode.InvalidArgument, "cannot become",
                    () => context.GetOutput(0, 2));
                context.GetOutput<float>(0, 1)[0] = 1;
            });
        using var model = ModelOf(Node("Wrong", "x _ x"));
        Assert.Equal([1f], Run(model, [1], left));
    }

    [Fact]
    public void Wrong_declarations_are_refused()
    {
        static Action<KernelContext> Nothing(KernelInfo info) => _ => { };
        Assert.Throws<ArgumentNullException>(
            () => new CustomOperator(null!, "A", OneFloat, OneFloat, Nothing));
        Assert.Throws<ArgumentNullException>(
            () => new CustomOperator("mine", "A", OneFloat, OneFloat, null!));
        Assert.Throws<ArgumentNullException>(
            () => new CustomOperator("mine", "A", [null!], OneFloat, Nothing));
        Assert.Throws<ArgumentException>(
            () => new CustomOperator("mine", "A\0", OneFloat, OneFloat, Nothing));
        Assert.Throws<ArgumentException>(() => new CustomOperator("mine", "A",
            [FormalParameter.Variadic(TensorElementType.Float), TensorElementType.Float], OneFloat,
            Nothing));
        using var model = ModelOf(Node("Wrong"));
        using var nameless = new CustomOperator("mine", "", OneFloat, OneFloat, Nothing);
        using var backwards = new CustomOperator(
            "mine", "Wrong", OneFloat, OneFloat, Nothing, null, 3, 2);
        using var arity = new CustomOperator("mine", "Wrong",
            [FormalParameter.Variadic(TensorElementType.Float, -1)], OneFloat, Nothing);
        using var one = new CustomOperator("mine", "Wrong", OneFloat, OneFloat, Nothing);
        using var same = new CustomOperator(
            "mine", "Wrong", OneFloat, OneFloat, Nothing, null, 2);
        using var young = new CustomOperator(
            "mine", "Wrong", OneFloat, OneFloat, Nothing, null, 2);
        Rig.Fails(ErrorCode.InvalidArgument, "has no name", () => SessionOf(model, nameless));
        Rig.Fails(ErrorCode.InvalidArgument, "3 to 2", () => SessionOf(model, backwards));
        Rig.Fails(ErrorCode.InvalidArgument, "-1", () => SessionOf(model, arity));
        Rig.Fails(ErrorCode.InvalidArgument, "same types", () => SessionOf(model, one, same));
        Rig.Fails(ErrorCode.InvalidGraph, "imports opset 1", () => SessionOf(model, young));
    }

    [Fact]
    public void What_is_kept_of_a_call_is_over_with_it()
    {
        KernelContext? context = null;
        Value? x = null;
        Memory<float> memory = default;
        using var keeps = Computes("Keep", call =>
        {
            (context, x) = (call, call.GetInput(0));
            memory = x!.AsMemory<float>();
            call.GetOutput<float>(0, 1)[0] = 1;
        });
        using var model = ModelOf(Node("Keep"));
        Assert.Equal([1f], Run(model, [0], keeps));
        Assert.Throws<ObjectDisposedException>(() => context!.GetInput(0));
        Assert.Throws<ObjectDisposedException>(() => x!.AsReadOnlySpan<float>().ToArray());
        Assert.Throws<ObjectDisposedException>(() => memory.ToArray());
    }

    [Fact]
    public void Any_order_of_release_is_right_and_kernels_are_disposed()
    {
        var alive = new StrongBox<int>();
        var operators = new CustomOperator(
            "mine", "Add", OneFloat, OneFloat, _ => new Adder(alive).Compute);
        using var model = ModelOf(Node("Add"));
        var options = new SessionOptions().RegisterOperators(operators);
        var first = Session.FromModel(Rig.Env, model, options);
        using var copy = options.Clone();
        operators.Dispose();
        options.Dispose();
        var second = Session.FromModel(Rig.Env, model, copy);
        Assert.Equal(2, alive.Value);
        first.Dispose();
        Assert.Equal(1, alive.Value);
        copy.Dispose();
        Assert.Equal([2f], Rig.RunFloats(second, [1], 1));
        second.Dispose();
        Assert.Equal(0, alive.Value);
        Assert.Throws<ObjectDisposedException>(() => new SessionOptions().RegisterOperators(operators));
    }

    [Fact]
    public async Task Everything_may_be_disposed_while_runs_are_under_way()
    {
        var alive = new StrongBox<int>();
        var running = Begin();
        while (!running.IsCompleted)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Thread.Sleep(1);
        }
        Assert.Equal(50, await running);
        for (var i = 0; Volatile.Read(ref alive.Value) != 0 && i < 1000; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            await Task.Delay(5);
        }
        Assert.Equal(0, alive.Value);

        async Task<int> Begin()
        {
            var add = new CustomOperator(
                "mine", "Add", OneFloat, OneFloat, _ => new Adder(alive).Compute);
            using var model = ModelOf(Node("Add"));
            var options = new SessionOptions { IntraOpNumThreads = 2 }.RegisterOperators(add);
            var session = Session.FromModel(Rig.Env, model, options);
            var runs = Enumerable.Range(0, 50).Select(async i =>
            {
                using var x = new Tensor<float>([i], 1);
                using var outputs = await session.RunAsync(Rig.Inputs("x", x));
                return outputs["y"].ToArray<float>()[0] == i + 1 ? 1 : 0;
            }).ToArray();
            add.Dispose();
            options.Dispose();
            session.Dispose();
            return (await Task.WhenAll(runs)).Sum();
        }
    }

    [Fact]
    public void A_thousand_sessions_leave_nothing()
    {
        var alive = new StrongBox<int>();
        using var model = ModelOf(Node("Add"));
        void Rounds(int count)
        {
            for (var i = 0; i < count; i++)
            {
                using var add = new CustomOperator(
                    "mine", "Add", OneFloat, OneFloat, _ => new Adder(alive).Compute);
                Assert.Equal([2f], Run(model, [1], add));
            }
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
        }

        Rounds(200);
        var before = Resident();
        Rounds(1000);
        Assert.Equal(0, alive.Value);
        Assert.True(Resident() - before < 16 << 20, $"{Resident() - before} bytes more");

        static long Resident()
        {
            using var process = Process.GetCurrentProcess();
            return process.WorkingSet64;
        }
    }

    [Fact]
    public void Threads_compute_at_once()
    {
        using var together = new Barrier(2);
        using var slow = Computes("Slow", context =>
        {
            var count = context.GetInput(0)!.ElementCount;
            Assert.True(together.SignalAndWait(TimeSpan.FromSeconds(30)));
            context.ParallelFor(count, i =>
                context.GetOutput<float>(0, count)[(int)i] = context.GetInput<float>(0)[(int)i] + 1);
        });
        using var model = ModelOf(Node("Slow"));
        using var options = new SessionOptions { IntraOpNumThreads = 3 }.RegisterOperators(slow);
        using var session = Session.FromModel(Rig.Env, model, options);
        var threads = Enumerable.Range(0, 2).Select(number => Task.Factory.StartNew(
            () =>
            {
                for (var step = 0; step < 20; step++)
                {
                    float x = (number * 100) + step;
                    Assert.Equal([x + 1, x + 1, x + 1], Rig.RunFloats(session, [x, x, x], 3));
                }
            }, TaskCreationOptions.LongRunning)).ToArray();
        Task.WaitAll(threads);
    }

    private sealed class Adder : IDisposable
    {
        private readonly StrongBox<int> _alive;

        internal Adder(StrongBox<int> alive)
        {
            _alive = alive;
            Interlocked.Increment(ref alive.Value);
        }

        public void Dispose() => Interlocked.Decrement(ref _alive.Value);

        internal void Compute(KernelContext context)
        {
            Assert.NotEqual(0, _alive.Value);
            var x = context.GetInput<float>(0);
            context.GetOutput<float>(0, x.Length)[0] = x[0] + 1;
        }
    }
}

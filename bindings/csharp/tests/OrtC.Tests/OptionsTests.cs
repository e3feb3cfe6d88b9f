// SPDX-License-Identifier: MIT
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using Xunit;

namespace OrtC.Tests;

public class OptionsTests
{
    [Fact]
    public void Config_entries_are_an_indexer()
    {
        using var options = new SessionOptions();
        options[SessionConfigKeys.EpContextFilePath] = "größe";
        Assert.Equal("größe", options[SessionConfigKeys.EpContextFilePath]);
        Assert.True(options.TryGetConfigEntry(SessionConfigKeys.EpContextFilePath, out _));
        Assert.False(options.TryGetConfigEntry(SessionConfigKeys.EpContextEnable, out _));
        Assert.Throws<KeyNotFoundException>(() => options[SessionConfigKeys.EpContextEnable]);
        Assert.Equal(
            "größe", options.ConfigEntries[SessionConfigKeys.EpContextFilePath]);
        Rig.Fails(ErrorCode.InvalidArgument, "ep.context_enable",
            () => options["ep.context_enabel"] = "1");
        Assert.Throws<ArgumentNullException>(() => options[null!] = "1");
        Assert.Throws<ArgumentNullException>(
            () => options[SessionConfigKeys.EpContextEnable] = null!);
        using var copy = options.Clone();
        options[SessionConfigKeys.EpContextFilePath] = "another";
        Assert.Equal("größe", copy[SessionConfigKeys.EpContextFilePath]);
    }

    [Fact]
    public void Settings_are_properties()
    {
        using var options = new SessionOptions
        {
            GraphOptimizationLevel = GraphOptimizationLevel.EnableBasic,
            IntraOpNumThreads = 2,
            InterOpNumThreads = 1,
            ExecutionMode = ExecutionMode.Parallel,
            EnableMemoryPattern = false,
            EnableCpuMemArena = false,
            LogId = "größe",
            LogSeverity = LoggingLevel.Error,
            LogVerbosity = 1,
        };
        Assert.Equal(GraphOptimizationLevel.EnableBasic, options.GraphOptimizationLevel);
        Assert.Equal(ExecutionMode.Parallel, options.ExecutionMode);
        Assert.False(options.EnableMemoryPattern);
        Assert.False(options.EnableCpuMemArena);
        options.EnableMemoryPattern = true;
        options.EnableCpuMemArena = true;
        Assert.True(options.EnableMemoryPattern);
        options.SetDeterministicCompute(true).EnableProfiling("p").DisableProfiling();
        using var copy = options.Clone();
        Assert.Equal((2, 1), (copy.IntraOpNumThreads, copy.InterOpNumThreads));
        Assert.Equal(("größe", LoggingLevel.Error), (copy.LogId, copy.LogSeverity));
        Assert.Equal(1, copy.LogVerbosity);
        using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"), copy);
        Assert.Equal([2f, 2, 2, 2], Rig.RunFloats(session, Rig.Ones(4), 1, 4));
        Rig.Fails(ErrorCode.InvalidArgument, () => options.IntraOpNumThreads = -1);
        Rig.Fails(ErrorCode.InvalidArgument, () => options.InterOpNumThreads = -1);
        Rig.Fails(ErrorCode.InvalidArgument, () => options.ExecutionMode = (ExecutionMode)7);
        Rig.Fails(ErrorCode.InvalidArgument,
            () => options.GraphOptimizationLevel = (GraphOptimizationLevel)7);
        Rig.Fails(ErrorCode.InvalidArgument, () => options.LogId = null);
        Assert.Throws<ArgumentNullException>(() => options.LogSeverity = null);
    }

    [Fact]
    public void Free_dimensions_get_sizes()
    {
        using var options = new SessionOptions().AddFreeDimensionOverride("batch", 3);
        using var session = new Session(Rig.Env, Rig.Model("digits.onnx"), options);
        Assert.Equal(3, session.Inputs[0].Type.Tensor!.Shape[0]);
        using var second = new SessionOptions()
            .AddFreeDimensionOverrideByDenotation("DATA_BATCH", 5);
        using var foldable = new Session(Rig.Env, Rig.Data("foldable.onnx"), second);
        Assert.Equal(5, foldable.Inputs[0].Type.Tensor!.Shape[0]);
        Rig.Fails(ErrorCode.InvalidArgument, () => options.AddFreeDimensionOverride("N", -1));
    }

    [Fact]
    public void The_optimised_model_is_written()
    {
        var file = Path.Combine(Rig.NewFolder(), "optimiert.onnx");
        using var options = new SessionOptions { OptimizedModelFilePath = file };
        Assert.Equal(file, options.OptimizedModelFilePath);
        new Session(Rig.Env, Rig.Data("foldable.onnx"), options).Dispose();
        Assert.True(File.Exists(file));
        options.OptimizedModelFilePath = null;
    }

    [Fact]
    public void Loads_are_heard_and_stopped()
    {
        var stages = new List<LoadProgress>();
        var lines = new ConcurrentQueue<LogRecord>();
        using var options = Rig.Aot();
        options.LogSeverity = LoggingLevel.Verbose;
        options.SetLogger(lines.Enqueue).LoadProgress = stages.Add;
        Assert.NotNull(options.LoadProgress);
        new Session(Rig.Env, Rig.Model("digits.onnx"), options).Dispose();
        Assert.Equal("done", stages[^1].Stage);
        Assert.Equal(1, stages[^1].Fraction);
        Assert.NotEmpty(stages[^1].ToString() + stages[0].Detail);
        Assert.NotEmpty(lines);
        stages.Clear();
        using (var source = new System.Threading.CancellationTokenSource())
        {
            new Session(Rig.Env, Rig.Model("digits.onnx"), options, source.Token).Dispose();
            Assert.Equal("done", stages[^1].Stage);
        }
        options.LoadProgress = null;
        options.CancelLoads();
        var exception = Assert.Throws<OrtCanceledException>(
            () => new Session(Rig.Env, Rig.Model("digits.onnx"), options));
        Assert.Equal(ErrorCode.ModelLoadCanceled, exception.Code);
        options.CancelLoads(false);
        new Session(Rig.Env, Rig.Model("digits.onnx"), options).Dispose();
    }

    [Fact]
    public void What_a_progress_function_throws_comes_out_of_the_load()
    {
        using var options = new SessionOptions();
        var thrown = new TimeoutException("enough");
        options.LoadProgress = _ => throw thrown;
        Assert.Same(thrown, Assert.Throws<TimeoutException>(
            () => new Session(Rig.Env, Rig.Model("digits.onnx"), options)));
        options.LoadProgress = _ => throw new OrtException(ErrorCode.EpFail, "my own");
        Rig.Fails(ErrorCode.EpFail, "my own",
            () => new Session(Rig.Env, Rig.Model("digits.onnx"), options));
    }

    [Fact]
    public void Weights_come_from_memory()
    {
        var bytes = MemoryMarshal.AsBytes<float>([1, 2, 3, 4, 10, 20]).ToArray();
        using var files = new SessionOptions().AddExternalInitializersFromFilesInMemory(
            new Dictionary<string, ReadOnlyMemory<byte>> { ["weights.bin"] = bytes });
        using var first = new Session(Rig.Env, Rig.Data("weights_elsewhere.onnx"), files);
        Assert.Equal([14f, 26], Rig.RunFloats(first, [1, 1], 1, 2));

        using var weight = new Tensor<float>([1, 2, 3, 4], 2, 2);
        using var bias = new Tensor<float>([10, 20], 2);
        using var tensors = new SessionOptions().AddExternalInitializers(
            new Dictionary<string, Value> { ["weight"] = weight, ["bias"] = bias });
        using var second = new Session(Rig.Env, Rig.Data("weights_elsewhere.onnx"), tensors);
        Assert.Equal([14f, 26], Rig.RunFloats(second, [1, 1], 1, 2));
        Rig.Fails(ErrorCode.InvalidArgument, () => tensors.AddExternalInitializers(
            new Dictionary<string, Value> { ["bias"] = bias }));
        using var nothing = new SessionOptions();
        Rig.Fails(ErrorCode.Fail, "weights.bin",
            () => new Session(Rig.Env, Rig.Data("weights_elsewhere.onnx"), nothing));
    }

    [Fact]
    public void An_initializer_is_replaced()
    {
        using var options = new SessionOptions();
        using (var one = new Tensor<float>([5, 5, 5, 5], 4))
        {
            options.AddInitializer("one", one);
            Rig.Fails(ErrorCode.InvalidArgument, () => options.AddInitializer("one", one));
        }
        using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"), options);
        options.Dispose();
        GC.Collect();
        Assert.Equal([6f, 6, 6, 6], Rig.RunFloats(session, Rig.Ones(4), 1, 4));
    }
}

// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using Xunit;

namespace OrtC.Tests;

public class SessionTests
{
    [Fact]
    public void A_session_runs_a_model_from_a_file_from_bytes_and_from_a_stream()
    {
        var path = Rig.CopyOf(Rig.Model("trivial.onnx"));
        var bytes = File.ReadAllBytes(path);
        using var prepacked = new PrepackedWeightsContainer();
        using var stream = new MemoryStream(bytes);
        Session[] sessions =
        [
            new(Rig.Env, path),
            new(Rig.Env, path, prepackedWeights: prepacked),
            Session.FromBytes(Rig.Env, bytes),
            Session.FromBytes(Rig.Env, bytes, prepackedWeights: prepacked),
            Session.FromStream(Rig.Env, stream),
            Session.LoadAsync(Rig.Env, path).Result,
        ];
        foreach (var session in sessions)
        {
            Assert.Equal([2f, 3, 4, 5], Rig.RunFloats(session, [1, 2, 3, 4], 1, 4));
            session.Dispose();
        }
    }

    [Fact]
    public void A_session_tells_what_it_takes_and_gives()
    {
        using var session = new Session(Rig.Env, Rig.Model("digits.onnx"));
        Assert.Equal("images: Float[batch,1,8,8]", session.Inputs.Single().ToString());
        Assert.Equal(["logits", "probabilities"], session.Outputs.Select(output => output.Name));
        Assert.Equal(-1, session.Inputs[0].Type.Tensor!.Shape[0]);
        Assert.Null(session.Inputs[0].Type.Tensor!.ElementCount);
        Assert.Equal("batch", session.Inputs[0].Type.Tensor!.DimensionNames[0]);
        Assert.True(session.Inputs[0].Type.Tensor!.HasShape);
        Assert.Equal(MemoryInfo.Cpu.Name, session.GetInputMemory().Single().Name);
        Assert.Equal(2, session.GetOutputMemory().Count);
        Assert.Equal(HardwareDeviceType.Cpu, session.GetInputDevices().Single()!.Device.Type);
        Assert.Equal(2, session.GetOutputDevices().Count);
        using var unread = new Session(Rig.Env, Rig.Model("unread.onnx"));
        Assert.Equal([true, false], unread.GetInputDevices().Select(device => device is not null));
        Assert.True(session.GetOpset("") >= 13);
        Rig.Fails(ErrorCode.Fail, () => session.GetOpset("nobody's"));
    }

    [Fact]
    public void A_model_says_who_made_it()
    {
        using var session = new Session(Rig.Env, Rig.Data("described.onnx"));
        var metadata = session.Metadata;
        Assert.NotEmpty(metadata.GraphName);
        Assert.NotEmpty(metadata.ProducerName);
        Assert.NotNull(metadata.Domain);
        Assert.NotNull(metadata.Description);
        Assert.NotNull(metadata.GraphDescription);
        Assert.NotNull(metadata.Version);
        Assert.NotEmpty(metadata.Custom);
        Assert.Equal("bias", session.OverridableInitializers.Single().Name);
        using var trivial = new Session(Rig.Env, Rig.Model("trivial.onnx"));
        Assert.Null(trivial.Metadata.Version);
        Assert.Equal("ortc tests", trivial.Metadata.ProducerName);
    }

    [Fact]
    public void Values_of_other_types_go_through_a_run()
    {
        using var half = new Session(Rig.Env, Rig.Model("half.onnx"));
        using var x = new Tensor<Float16>([(Float16)1.5f, (Float16)(-2)], 2);
        using (var y = half.Run(Rig.Inputs("x", x)))
        {
            Assert.Equal([3f, -4f], y["y"].ToArray<Float16>().Select(number => (float)number));
        }
        using var brain = new Session(Rig.Env, Rig.Model("brain.onnx"));
        using var b = new Tensor<BFloat16>([(BFloat16)1.5f], 1);
        using (var y = brain.Run(Rig.Inputs("x", b)))
        {
            Assert.Equal(3f, (float)y["y"].ToArray<BFloat16>()[0]);
        }
        using var texts = new Session(Rig.Env, Rig.Model("texts.onnx"));
        using var t = Value.FromStrings(["größe", "", "数字"]);
        using (var y = texts.Run(Rig.Inputs("x", t)))
        {
            Assert.Equal(["größe", "", "数字"], y["y"].GetStrings());
        }
        using var none = new Tensor<Float16>([], 0);
        using (var y = half.Run(Rig.Inputs("x", none)))
        {
            Assert.Equal([0L], y["y"].Shape);
        }
    }

    [Fact]
    public void A_run_fills_a_value_that_is_given()
    {
        using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"));
        using var x = new Tensor<float>([1, 2, 3, 4], 1, 4);
        var array = new float[4];
        using var y = new Tensor<float>(array, 1, 4);
        Value?[] outputs = [y];
        session.Run(["x"], [x], ["y"], outputs);
        Assert.Same(y, outputs[0]);
        Assert.Equal([2f, 3, 4, 5], array);
    }

    [Fact]
    public void Outputs_are_a_dictionary()
    {
        using var session = new Session(Rig.Env, Rig.Model("digits.onnx"));
        using var images = new Tensor<float>(new float[64], 1, 1, 8, 8);
        using var outputs = session.Run(Rig.Inputs("images", images), ["probabilities", "logits"]);
        Assert.Equal(["probabilities", "logits"], outputs.Keys);
        Assert.Equal(2, outputs.Count);
        Assert.Same(outputs[0], outputs["probabilities"]);
        Assert.True(outputs.ContainsKey("logits"));
        Assert.False(outputs.TryGetValue("nothing", out _));
        Assert.Throws<KeyNotFoundException>(() => outputs["nothing"]);
        Assert.Equal(outputs.Values, outputs.Select(pair => pair.Value));
    }

    [Fact]
    public void What_does_not_fit_is_said_with_both_sides()
    {
        using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"));
        using var wrong = new Tensor<float>(new float[5], 1, 5);
        using var right = new Tensor<float>(new float[4], 1, 4);
        using var texts = Value.FromStrings(["a"]);
        Rig.Fails(ErrorCode.InvalidArgument, "5", () => session.Run(Rig.Inputs("x", wrong)));
        Rig.Fails(ErrorCode.InvalidArgument, "größe",
            () => session.Run(Rig.Inputs("größe", right)));
        Rig.Fails(ErrorCode.InvalidArgument, "string", () => session.Run(Rig.Inputs("x", texts)));
        Rig.Fails(ErrorCode.InvalidArgument, "no",
            () => session.Run(Rig.Inputs("x", right), ["no"]));
        Rig.Fails(ErrorCode.InvalidArgument, () => session.Run(Rig.Inputs("x", right), []));
        Assert.Throws<ArgumentNullException>(() => session.Run(null!));
        Assert.Throws<ArgumentNullException>(() => session.Run(Rig.Inputs("x", null!)));
        Assert.Throws<ArgumentException>(() => session.Run(["x"], [], ["y"], new Value?[1]));
        Assert.Throws<ArgumentException>(() => session.Run(Rig.Inputs("x\0y", right)));
        right.Dispose();
        Assert.Throws<ObjectDisposedException>(() => session.Run(Rig.Inputs("x", right)));
        session.Dispose();
        Assert.Throws<ObjectDisposedException>(() => session.Run(Rig.Inputs("x", wrong)));
    }

    [Fact]
    public void Results_outlive_everything_they_came_from()
    {
        Value y;
        using (var env = new Env("short"))
        using (var options = new SessionOptions())
        using (var session = new Session(env, Rig.Model("trivial.onnx"), options))
        using (var x = new Tensor<float>([1, 2, 3, 4], 1, 4))
        {
            y = session.Run(Rig.Inputs("x", x))["y"];
        }
        Assert.Equal([2f, 3, 4, 5], y.ToArray<float>());
        y.Dispose();
        y.Dispose();
    }

    [Fact]
    public void A_session_reports_and_profiles()
    {
        var folder = Rig.NewFolder();
        using var options = Rig.Aot();
        options[SessionConfigKeys.RecordEpGraphAssignmentInfo] = "1";
        options.EnableProfiling(Path.Combine(folder, "lauf"));
        using var session = new Session(Rig.Env, Rig.Model("digits.onnx"), options);
        Rig.RunFloats(session, new float[64], 1, 1, 8, 8);
        Assert.StartsWith("{", session.GetReport().Json);
        Assert.Contains("mapped_bytes", session.GetMemoryReport().ToString());
#if NEW_DOTNET
        Assert.Equal(System.Text.Json.JsonValueKind.Object, session.GetReport().Root.ValueKind);
#endif
        Assert.True(session.ProfilingStartTimeNs > 0);
        var file = session.EndProfiling();
        Assert.StartsWith(Path.Combine(folder, "lauf"), file);
        Assert.True(File.Exists(file));
        Assert.Equal("", session.EndProfiling());
        var parts = session.GetEpAssignment();
        Assert.Contains(parts, part => part.EpName == "AotExecutionProvider");
        Assert.All(parts.SelectMany(part => part.Nodes), node =>
        {
            Assert.NotEmpty(node.OperatorType);
            Assert.NotNull(node.Name + node.Domain);
        });
        using var plain = new Session(Rig.Env, Rig.Model("digits.onnx"));
        Rig.Fails(ErrorCode.Fail, () => plain.GetEpAssignment());
    }

    [Fact]
    public void Dynamic_options_are_checked()
    {
        using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"));
        session.SetDynamicOptions([new(DynamicOptionKeys.WorkloadType, "Default")]);
        Rig.Fails(ErrorCode.InvalidArgument,
            () => session.SetDynamicOptions([new("ep.dynamic.nothing", "1")]));
    }

    [Fact]
    public void Adapters_feed_inputs()
    {
        using var session = new Session(Rig.Env, Rig.Data("described.onnx"));
        var file = Rig.Data("bias.onnx_adapter");
        foreach (var adapter in new[]
        {
            new LoraAdapter(file), LoraAdapter.FromBytes(File.ReadAllBytes(file)),
        })
        {
            using var options = new RunOptions().AddLoraAdapter(adapter);
            adapter.Dispose();
            using var x = new Tensor<float>([1, 1], 2);
            using var source = new CancellationTokenSource();
            using var outputs = session.Run(
                Rig.Inputs("x", x), ["y"], options, source.Token);
            Assert.Equal([2f, 3], outputs["y"].ToArray<float>());
        }
        Rig.Fails(ErrorCode.Fail, () => LoraAdapter.FromBytes([1, 2, 3]));
        Assert.Throws<OrtFileNotFoundException>(() => new LoraAdapter("nothing.onnx_adapter"));
    }

    [Fact]
    public void A_binding_ties_values_to_a_session()
    {
        using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"));
        using var binding = new IoBinding(session);
        var (x, y) = (new float[] { 1, 2, 3, 4 }, new float[4]);
        using (var input = new Tensor<float>(x, 1, 4))
        using (var output = new Tensor<float>(y, 1, 4))
        {
            binding.BindInput("x", input).BindOutput("y", output);
        }
        GC.Collect();
        binding.SynchronizeInputs();
        binding.Run();
        binding.SynchronizeOutputs();
        Assert.Equal([2f, 3, 4, 5], y);
        x[0] = 10;
        using (var options = new RunOptions())
        {
            binding.Run(options);
        }
        Assert.Equal(11, y[0]);
        Assert.Equal(["y"], binding.GetOutputNames());
        using (var outputs = binding.GetOutputs())
        {
            Assert.Equal(11, outputs["y"].ToArray<float>()[0]);
        }
        binding.ClearOutputs();
        binding.BindOutput("y");
        binding.Run();
        using (var outputs = binding.GetOutputs())
        {
            Assert.Equal([11f, 3, 4, 5], outputs["y"].ToArray<float>());
        }
        binding.ClearInputs();
        Rig.Fails(ErrorCode.InvalidArgument, () => binding.Run());
        using var value = new Tensor<float>(x, 1, 4);
        Rig.Fails(ErrorCode.Fail, () => binding.BindInput("nothing", value));
        using var other = new IoBinding(session);
        other.BindInput("x", value).BindOutput("y").Run();
    }

    [Fact]
    public void A_binding_that_is_forgotten_gives_back_what_was_bound()
    {
        using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"));
        var (x, y) = BindAndForget(session);
        for (var i = 0; i < 10 && (x.IsAlive || y.IsAlive); i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        Assert.False(x.IsAlive);
        Assert.False(y.IsAlive);
    }

    /// <summary>In a function of its own, which leaves no reference on the stack.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference X, WeakReference Y) BindAndForget(Session session)
    {
        var (x, y) = (new float[] { 1, 2, 3, 4 }, new float[4]);
        using var input = new Tensor<float>(x, 1, 4);
        using var output = new Tensor<float>(y, 1, 4);
        var binding = new IoBinding(session);
        binding.BindInput("x", input).BindOutput("y", output).Run();
        return (new WeakReference(x), new WeakReference(y));
    }

    [Fact]
    public void Profiles_of_runs_are_written()
    {
        var folder = Rig.NewFolder();
        using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"));
        using var x = new Tensor<float>([1, 2, 3, 4], 1, 4);
        using var options = new RunOptions { RunTag = "größe", LogVerbosity = 1 };
        Assert.Null(options.LogSeverity);
        options.LogSeverity = LoggingLevel.Error;
        Assert.Equal("größe", options.RunTag);
        Assert.Equal(LoggingLevel.Error, options.LogSeverity);
        Assert.Equal(1, options.LogVerbosity);
        options.EnableProfiling(Path.Combine(folder, "run"));
        session.Run(Rig.Inputs("x", x), options: options).Dispose();
        Assert.Single(Directory.GetFiles(folder));
        options.DisableProfiling();
        session.Run(Rig.Inputs("x", x), options: options).Dispose();
        Assert.Single(Directory.GetFiles(folder));
        options[RunConfigKeys.DisableSynchronizeExecutionProviders] = "1";
        Assert.Equal("1", options[RunConfigKeys.DisableSynchronizeExecutionProviders]);
        Assert.Throws<KeyNotFoundException>(() => options[RunConfigKeys.QnnLoraConfig]);
        Rig.Fails(ErrorCode.InvalidArgument, () => options["nothing.such"] = "1");
        using var stream = SyncStream.None;
        options.SetSyncStream(stream);
        Assert.Equal(0, stream.DeviceHandle);
        session.Run(Rig.Inputs("x", x), options: options).Dispose();
    }
}

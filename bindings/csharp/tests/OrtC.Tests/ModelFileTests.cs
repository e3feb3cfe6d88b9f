// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Xunit;

namespace OrtC.Tests;

public class ModelFileTests
{
    private static readonly string s_first = Path.Combine(Rig.Model("service"), "first_ctx.onnx");
    private static readonly string s_second = Path.Combine(Rig.Model("service"), "second_ctx.onnx");

    [Fact]
    public void A_file_is_described()
    {
        var report = ModelFile.Inspect(
            Rig.Model("digits_ctx.onnx"), InspectFlags.Details | InspectFlags.VerifyData);
        Assert.Contains("onnx_model", report.Json);
        Assert.Contains("context_binary", ModelFile.Inspect(Rig.Model("digits_aot.bin")).Json);
        Rig.Fails(ErrorCode.InvalidArgument,
            () => ModelFile.Inspect(Rig.Model("digits.onnx"), (InspectFlags)4096));
        Assert.Throws<OrtFileNotFoundException>(() => ModelFile.Inspect("nothing.onnx"));
    }

    [Fact]
    public void Two_files_are_compared()
    {
        Assert.Contains("false", ModelFile.Diff(s_first, s_second).Json);
        Assert.Contains("true", ModelFile.Diff(s_first, s_first).Json);
        Rig.Fails(ErrorCode.InvalidArgument,
            () => ModelFile.Diff(s_first, Rig.Model("digits_aot.bin")));
    }

    [Fact]
    public void A_compiled_model_says_where_it_runs()
    {
        var info = ModelFile.GetCompatibilityInfo(s_first, "AotExecutionProvider");
        Assert.NotNull(info);
        Assert.Equal(info, ModelFile.GetCompatibilityInfo(
            File.ReadAllBytes(s_first), "AotExecutionProvider"));
        Assert.Null(ModelFile.GetCompatibilityInfo(s_first, "SomeExecutionProvider"));
        var devices = Rig.Env.EpDevices
            .Where(device => device.EpName == "AotExecutionProvider").ToArray();
        Assert.Equal(CompiledModelCompatibility.SupportedOptimal,
            ModelFile.GetCompatibility(devices, info));
        Rig.Fails(ErrorCode.InvalidArgument, () => ModelFile.GetCompatibility([], info));
    }

    [Fact]
    public void A_model_gives_its_inner_values()
    {
        var bytes = ModelFile.ExposeValues(Rig.Model("first.onnx"));
        using var session = Session.FromBytes(Rig.Env, bytes);
        Assert.Equal(["a", "b", "y"], session.Outputs.Select(output => output.Name).Order());
    }

    [Fact]
    public void Compiled_models_are_packed_merged_cut_and_renamed()
    {
        var folder = Rig.NewFolder();
        string At(string name) => Path.Combine(folder, name);
        var heard = new List<CompileProgress>();
        var packed = ModelFile.Pack(
            s_first, At("packed_ctx.onnx"), progress: new Hear<CompileProgress>(heard.Add));
        Assert.Contains("files", packed.Json);
        Assert.NotEmpty(heard);
        Assert.Single(Directory.GetFiles(folder));
        ModelFile.AddPrefix(s_first, "größe_", At("prefixed_ctx.onnx"));
        var node = NodeOf(s_second);
        ModelFile.ExtractContext(s_second, node, At("extracted_ctx.onnx"));
        using var options = Rig.Aot();
        foreach (var name in new[] { "packed_ctx.onnx", "prefixed_ctx.onnx", "extracted_ctx.onnx" })
        {
            using var session = new Session(Rig.Env, At(name), options);
            Assert.Equal(4, Rig.RunFloats(session, Rig.Ones(256), 1, 256).Length);
        }
        ModelFile.Merge([s_first, s_second], [], At("merged_ctx.onnx"));
        using var merged = new Session(Rig.Env, At("merged_ctx.onnx"), options);
        Assert.Equal(2, merged.Outputs.Count);
    }

    [Fact]
    public void An_edit_is_stopped_and_leaves_nothing()
    {
        var folder = Rig.NewFolder();
        var output = Path.Combine(folder, "x_ctx.onnx");
        using var source = new CancellationTokenSource();
        Assert.Throws<OrtCanceledException>(() => ModelFile.Merge(
            [s_first, s_second], [], output,
            progress: new Hear<CompileProgress>(_ => source.Cancel()),
            cancellationToken: source.Token));
        var thrown = new TimeoutException("enough");
        Assert.Same(thrown, Assert.Throws<TimeoutException>(() => ModelFile.Pack(
            s_first, output, progress: new Hear<CompileProgress>(_ => throw thrown))));
        Rig.Fails(ErrorCode.InvalidArgument, "EPContext",
            () => ModelFile.Pack(Rig.Model("digits.onnx"), output));
        Assert.Empty(Directory.GetFiles(folder));
    }

    private static string NodeOf(string model)
    {
        using var graph = Graph.Load(Rig.Env, model);
        return graph.Nodes.First(node => node.OperatorType == "EPContext").Name;
    }
}

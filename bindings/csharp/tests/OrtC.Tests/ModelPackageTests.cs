// SPDX-License-Identifier: MIT
using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace OrtC.Tests;

public class ModelPackageTests
{
    private static readonly string s_first = Rig.Model("first.onnx");

    /// <summary>A package whose component "net" has first.onnx as "any" and compiled.</summary>
    private static (string Root, string Asset) WritePackage()
    {
        var folder = Rig.NewFolder();
        string At(string name) => Path.Combine(folder, name);
        using var aot = Rig.Aot();
        using var compiler = new ModelCompiler(Rig.Env, aot, s_first);
        compiler.CompileToFile(At("first_ctx.onnx"));
        Directory.CreateDirectory(At("tokens"));
        File.WriteAllText(At("tokens/t.txt"), "a");
        using var writer = new ModelPackageWriter("pair", version: "2", description: "größe");
        writer.AddVariant("net", "any", s_first,
            new VariantSettings { SessionOptions = { ["session.intra_op_num_threads"] = "1" } });
        writer.AddVariant("net", "compiled", At("first_ctx.onnx"));
        var asset = writer.AddSharedAsset(At("tokens"));
        var report = writer.Write(At("pkg"));
        Assert.Contains("any/first.onnx", report.Json);
        return (At("pkg"), asset);
    }

    private static void RunsAsFirst(Session session)
    {
        using var source = new Session(Rig.Env, s_first);
        var expected = Rig.RunFloats(source, Rig.Ones(256), 1, 256);
        var found = Rig.RunFloats(session, Rig.Ones(256), 1, 256);
        Assert.All(expected.Zip(found), pair => Assert.Equal(pair.First, pair.Second, 4));
    }

    [Fact]
    public void A_package_tells_what_it_has()
    {
        var (root, asset) = WritePackage();
        using var package = new ModelPackage(root);
        Assert.Equal(1, package.SchemaVersion);
        Assert.Equal(1, package.ComponentCount);
        Assert.Equal(["net"], package.Components);
        Assert.Equal(2, package.GetVariantCount("net"));
        Assert.Equal(["any", "compiled"], package.GetVariants("net"));
        Assert.Equal("AotExecutionProvider", package.GetProvider("net", "compiled"));
        Assert.Equal("a", File.ReadAllText(package.Resolve(asset + "/t.txt")));
        var later = package.Resolve("later.bin", Path.Combine(root, "net"), mustExist: false);
        Assert.EndsWith("net/later.bin", later);
    }

    [Fact]
    public void The_variant_of_the_provider_runs()
    {
        var (root, _) = WritePackage();
        using var package = new ModelPackage(root);
        using var plain = package.Select(Rig.Env, "net");
        Assert.Equal("any", plain.Variant);
        using var aot = Rig.Aot();
        using var selected = package.Select(Rig.Env, "net", aot);
        Assert.Equal("compiled", selected.Variant);
        Assert.EndsWith("net/compiled", selected.Folder);
        using var source = new CancellationTokenSource();
        foreach (var options in new[] { null, aot })
        {
            using var session = selected.CreateSession(Rig.Env, options, source.Token);
            RunsAsFirst(session);
        }
        using var best = package.CreateSession(Rig.Env, "net");
        RunsAsFirst(best);
    }

    [Fact]
    public void A_package_is_described_and_verified()
    {
        var (root, _) = WritePackage();
        using var package = new ModelPackage(root);
        using var aot = Rig.Aot();
        Assert.DoesNotContain("\"selected\":\"", package.Describe().Json);
        Assert.Contains("\"selected\":\"any\"", package.Describe(Rig.Env).Json);
        Assert.Contains("\"selected\":\"compiled\"", package.Describe(Rig.Env, aot).Json);
        Assert.Contains("\"verdict\":\"sound\"", package.Verify().Json);
        File.AppendAllText(Path.Combine(root, "net", "any", "first.onnx"), "x");
        Assert.Contains("\"verdict\":\"broken\"", package.Verify().Json);
    }

    [Fact]
    public void A_session_outlives_all_that_it_was_made_of()
    {
        var (root, _) = WritePackage();
        var env = new Env("short");
        var package = new ModelPackage(root);
        var aot = Rig.Aot();
        var selected = package.Select(env, "net", aot);
        package.Dispose();
        package.Dispose();
        aot.Dispose();
        using var session = selected.CreateSession(env);
        selected.Dispose();
        env.Dispose();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        RunsAsFirst(session);
        Assert.Throws<ObjectDisposedException>(() => package.GetVariants("net"));
        Assert.Throws<ObjectDisposedException>(() => selected.Variant);
    }

    [Fact]
    public void A_package_is_used_by_many_threads_at_once()
    {
        var (root, asset) = WritePackage();
        using var package = new ModelPackage(root);
        string[] names = ["/t.txt", "/none", "/longer than the others"];
        Parallel.ForEach(Enumerable.Range(0, 600), number =>
        {
            var name = names[number % names.Length];
            Assert.EndsWith(name, package.Resolve(asset + name, mustExist: false));
        });
    }

    [Fact]
    public void Wrong_use_of_a_package_says_what_is_wrong()
    {
        Assert.Throws<OrtFileNotFoundException>(() => new ModelPackage("nothing"));
        Rig.Fails(ErrorCode.InvalidArgument, "package_root", () => new ModelPackage(null!));
        Assert.Throws<ArgumentException>(() => new ModelPackage("a\0b"));
        var (root, asset) = WritePackage();
        using var package = new ModelPackage(root);
        Rig.Fails(ErrorCode.InvalidArgument, "it has 'net'",
            () => package.Select(Rig.Env, "other"));
        Assert.Throws<ArgumentNullException>(() => package.Select(null!, "net"));
        Assert.Throws<ArgumentNullException>(() => package.Describe(null!));
        Rig.Fails(ErrorCode.InvalidArgument, "other", () => package.GetVariantCount("other"));
        Rig.Fails(ErrorCode.InvalidArgument, "it has 'any', 'compiled'",
            () => package.GetProvider("net", "neither"));
        Rig.Fails(ErrorCode.InvalidArgument, "'..'",
            () => package.Resolve("../x", mustExist: false));
        Rig.Fails(ErrorCode.NoSuchFile, "none", () => package.Resolve(asset + "/none"));
        using var selected = package.Select(Rig.Env, "net");
        Assert.Throws<ArgumentNullException>(() => selected.CreateSession(null!));
        var ended = new CancellationToken(canceled: true);
        Assert.ThrowsAny<OperationCanceledException>(
            () => package.CreateSession(Rig.Env, "net", cancellationToken: ended));
    }

    [Fact]
    public void Wrong_use_of_a_writer_says_what_is_wrong()
    {
        var root = Path.Combine(Rig.NewFolder(), "pkg");
        using var writer = new ModelPackageWriter();
        Rig.Fails(ErrorCode.InvalidArgument, "needs a variant", () => writer.Write(root));
        Assert.Throws<OrtFileNotFoundException>(
            () => writer.AddVariant("net", "any", "nothing.onnx"));
        Rig.Fails(ErrorCode.InvalidArgument, "'../net'",
            () => writer.AddVariant("../net", "any", s_first));
        Rig.Fails(ErrorCode.InvalidArgument, "'abacus'", () => writer.AddVariant(
            "net", "any", s_first, new VariantSettings { Device = "abacus" }));
        Assert.Throws<OrtFileNotFoundException>(() => writer.AddSharedAsset("nothing"));
        writer.AddVariant("net", "any", s_first, new VariantSettings
        {
            Provider = "OtherExecutionProvider",
            Compatibility = "x",
            ProviderOptions = { ["speed"] = "2" },
        });
        Rig.Fails(ErrorCode.InvalidArgument, "flags",
            () => writer.Write(root, (ModelPackageWriteFlags)4096));
        Assert.False(Directory.Exists(root));
        writer.Write(root, ModelPackageWriteFlags.LinkFiles);
        Rig.Fails(ErrorCode.Fail, "exist", () => writer.Write(root));
        // The only provider that a variant is for is not there.
        using var package = new ModelPackage(root);
        Rig.Fails(ErrorCode.Fail, "OtherExecutionProvider was not chosen",
            () => package.Select(Rig.Env, "net"));
        writer.Dispose();
        Assert.Throws<ObjectDisposedException>(() => writer.AddVariant("net", "b", s_first));
    }
}

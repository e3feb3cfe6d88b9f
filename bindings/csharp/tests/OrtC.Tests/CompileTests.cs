// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace OrtC.Tests;

public class CompileTests
{
    private static readonly float[] s_image =
        Enumerable.Range(0, 64).Select(i => i / 64f).ToArray();

    private static void RunsAsTheSource(string compiled, SessionOptions? options = null)
    {
        using var aot = options is null ? Rig.Aot() : null;
        using var source = new Session(Rig.Env, Rig.Model("digits.onnx"));
        using var session = new Session(Rig.Env, compiled, options ?? aot);
        var (expected, found) = (Rig.RunFloats(source, s_image, 1, 1, 8, 8),
            Rig.RunFloats(session, s_image, 1, 1, 8, 8));
        Assert.All(expected.Zip(found), pair => Assert.Equal(pair.First, pair.Second, 4));
    }

    [Fact]
    public void A_model_is_compiled_to_a_file_with_progress_and_a_report()
    {
        var folder = Rig.NewFolder();
        var output = Path.Combine(folder, "数字_ctx.onnx");
        var stages = new List<CompileProgress>();
        using var options = Rig.Aot();
        using var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("digits.onnx"));
        Assert.Null(compiler.Report);
        var report = compiler.CompileToFile(output, new Hear<CompileProgress>(stages.Add));
        Assert.Same(report, compiler.Report);
        Assert.Contains("\"files\"", report.Json);
        Assert.Equal("done", stages[^1].Stage);
        Assert.Contains("done", stages[^1].ToString());
        Assert.Equal(2, Directory.GetFiles(folder).Length);
        RunsAsTheSource(output);
        compiler.Options.SetFlags(CompileFlags.ErrorIfOutputFileExists);
        Rig.Fails(ErrorCode.Fail, "exist", () => compiler.CompileToFile(output));
        Assert.NotNull(compiler.Report);
    }

    [Fact]
    public async Task A_model_is_compiled_to_bytes_and_to_a_stream()
    {
        using var options = Rig.Aot();
        using var compiler = new ModelCompiler(Rig.Env, options);
        compiler.Options.SetInputModel(File.ReadAllBytes(Rig.Model("digits.onnx")))
            .SetEmbedMode(true).SetGraphOptimizationLevel(GraphOptimizationLevel.EnableAll);
        GC.Collect();
        var bytes = compiler.CompileToBytes();
        using var session = Session.FromBytes(Rig.Env, bytes, options);
        Rig.RunFloats(session, s_image, 1, 1, 8, 8);
        using var stream = new MemoryStream();
        await compiler.CompileToStreamAsync(stream);
        Assert.Equal(bytes.Length, stream.Length);
        Assert.Equal(bytes, await compiler.CompileToBytesAsync());
        var file = Path.Combine(Rig.NewFolder(), "x_ctx.onnx");
        await compiler.CompileToFileAsync(file);
        RunsAsTheSource(file);
        Assert.Throws<ArgumentNullException>(() => compiler.CompileToStream(null!));
    }

    // y = x + 1, with the ones in the model or in the file.
    private static void AddsOne(byte[] model, byte[]? ones)
    {
        using var options = new SessionOptions();
        if (ones is not null)
        {
            options.AddExternalInitializersFromFilesInMemory(
                new Dictionary<string, ReadOnlyMemory<byte>> { ["w.bin"] = ones });
        }
        using var session = Session.FromBytes(Rig.Env, model, options);
        Assert.Equal(new[] { 2f, 3, 4, 5 }, Rig.RunFloats(session, new[] { 1f, 2, 3, 4 }, 1, 4));
    }

    [Fact]
    public async Task Initializers_go_to_memory_of_their_own()
    {
        using var options = new SessionOptions();
        using var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("trivial.onnx"));
        var model = compiler.CompileToBytes("./w.bin", 0, out var ones);
        Assert.Equal(
            Enumerable.Repeat(new byte[] { 0, 0, 0x80, 0x3f }, 4).SelectMany(one => one), ones);
        AddsOne(model, ones);
        Assert.ThrowsAny<OrtException>(() => AddsOne(model, null));
        var both = await compiler.CompileToBytesAsync("w.bin", 0);
        Assert.Equal(model, both.Model);
        Assert.Equal(ones, both.Initializers);
        model = compiler.CompileToBytes("w.bin", 17, out var none);
        Assert.Empty(none);
        AddsOne(model, null);
        foreach (var name in new[] { "", "/w.bin", "../w.bin" })
        {
            Rig.Fails(ErrorCode.InvalidArgument, "logical_file_name",
                () => compiler.CompileToBytes(name, 0, out _));
        }
    }

    [Fact]
    public void Memory_takes_one_compile_only()
    {
        using var options = new SessionOptions();
        using var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("trivial.onnx"));
        compiler.CompileToBytes("w.bin", 0, out var ones);
        Assert.Equal(16, ones.Length);
        var missing = Assert.Throws<InvalidOperationException>(() => compiler.CompileToBytes());
        Assert.Contains("SetInitializerLocator", missing.Message);
        compiler.Options.SetInitializerLocator((_, _, _) => null);
        AddsOne(compiler.CompileToBytes(), null);
        missing = Assert.Throws<InvalidOperationException>(() => compiler.CompileToFile());
        Assert.Contains("SetOutputModel", missing.Message);
        Assert.Throws<InvalidOperationException>(compiler.Options.CompileModel);
    }

    [Fact]
    public void A_stream_takes_one_compile_only()
    {
        using var options = Rig.Aot();
        using var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("digits.onnx"));
        compiler.Options.SetEmbedMode(true);
        using var stream = new MemoryStream();
        compiler.CompileToStream(stream);
        var length = stream.Length;
        var missing = Assert.Throws<InvalidOperationException>(() => compiler.CompileToFile());
        Assert.Contains("SetOutputModel", missing.Message);
        compiler.CompileToFile(Path.Combine(Rig.NewFolder(), "x_ctx.onnx"));
        Assert.Equal(length, stream.Length);
    }

    [Fact]
    public void A_deadline_is_no_negative_time()
    {
        using var options = Rig.Aot();
        using var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("digits.onnx"));
        compiler.Options.SetEmbedMode(true);
        compiler.Deadline = TimeSpan.FromHours(1);
        Assert.Throws<ArgumentOutOfRangeException>(
            () => compiler.Deadline = TimeSpan.FromMilliseconds(-2));
        Assert.Equal(TimeSpan.FromHours(1), compiler.Deadline);
        compiler.Deadline = Timeout.InfiniteTimeSpan;
        compiler.CompileToBytes();
    }

    [Fact]
    public void Initializers_begin_where_the_program_says()
    {
        static int Size(nuint alignment, nuint minimumSize)
        {
            using var options = new SessionOptions();
            using var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("first.onnx"));
            compiler.Options.SetExternalInitializersAlignment(alignment, minimumSize);
            compiler.CompileToBytes("w.bin", 0, out var block);
            return block.Length;
        }

        // A weight of 256 KiB and one of 4 KiB.
        Assert.Equal(260 << 10, Size(0, 0));
        Assert.Equal(260 << 10, Size(1 << 20, 1 << 20));
        Assert.True(Size(1 << 20, 0) > 1 << 20);
        foreach (var wrong in new nuint[] { 3, (nuint)1 << 31 })
        {
            Rig.Fails(ErrorCode.InvalidArgument, "power of two", () => Size(wrong, 0));
        }
    }

    [Fact]
    public void What_functions_of_a_compile_throw_comes_out_of_it()
    {
        using var options = Rig.Aot();
        using var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("digits.onnx"));
        compiler.Options.SetContextBinary(Rig.NewFolder(), "digits");
        using var closed = new MemoryStream();
        closed.Close();
        Assert.Throws<ObjectDisposedException>(() => compiler.CompileToStream(closed));
        var thrown = new TimeoutException("enough");
        Assert.Same(thrown, Assert.Throws<TimeoutException>(() => compiler.CompileToBytes(
            new Hear<CompileProgress>(_ => throw thrown))));
        compiler.Options.SetContextDataWriter((_, _) => throw thrown);
        Assert.Same(thrown, Assert.Throws<TimeoutException>(() => compiler.CompileToBytes()));
        compiler.Options.SetContextDataWriter(null);
        compiler.Options.SetInitializerLocator((_, _, _) => throw thrown);
        using var cpu = new SessionOptions();
        using var nothing = new ModelCompiler(Rig.Env, cpu, Rig.Model("digits.onnx"));
        nothing.Options.SetInitializerLocator((_, _, _) => throw thrown);
        Assert.Same(thrown, Assert.Throws<TimeoutException>(() => nothing.CompileToBytes()));
    }

    [Fact]
    public void A_compile_is_stopped_by_a_token_by_a_call_and_by_a_deadline()
    {
        using var options = Rig.Aot();
        using var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("digits.onnx"));
        var folder = Rig.NewFolder();
        var output = Path.Combine(folder, "x_ctx.onnx");
        using var source = new CancellationTokenSource();
        var stop = new Hear<CompileProgress>(_ => source.Cancel());
        var exception = Assert.Throws<OrtCanceledException>(
            () => compiler.CompileToFile(output, stop, source.Token));
        Assert.Equal(source.Token, exception.CancellationToken);
        Assert.Throws<OperationCanceledException>(
            () => compiler.CompileToFile(output, null, source.Token));
        var task = compiler.CompileToFileAsync(output, null, source.Token);
        Assert.Throws<TaskCanceledException>(() => task.GetAwaiter().GetResult());
        Assert.Throws<OrtCanceledException>(() => compiler.CompileToFile(
            output, new Hear<CompileProgress>(_ => compiler.Cancel())));
        compiler.Deadline = TimeSpan.FromMilliseconds(1);
        Assert.Throws<OrtCanceledException>(() => compiler.CompileToFile(
            output, new Hear<CompileProgress>(_ => Thread.Sleep(5))));
        Assert.Empty(Directory.GetFiles(folder));
        compiler.Deadline = TimeSpan.Zero;
        compiler.Cancel();
        compiler.CompileToFile(output);
        Assert.Throws<InvalidOperationException>(() => compiler.CompileToFile(
            output, new Hear<CompileProgress>(_ => compiler.CompileToFile(output))));
    }

    [Fact]
    public void Contexts_go_through_functions_of_the_program()
    {
        var kept = new Dictionary<string, byte[]>();
        var folder = Rig.NewFolder();
        var output = Path.Combine(folder, "x_ctx.onnx");
        using var options = Rig.Aot();
        using (var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("digits.onnx")))
        {
            compiler.Options.SetContextDataWriter((name, data) => kept[name] = data.ToArray());
            compiler.CompileToFile(output);
        }
        Assert.Single(kept);
        Assert.Single(Directory.GetFiles(folder));
        options.SetContextDataReader(name => kept[name]);
        RunsAsTheSource(output, options);
        options.SetContextDataReader(_ => throw new TimeoutException("not today"));
        Assert.Equal("not today", Assert.Throws<TimeoutException>(
            () => new Session(Rig.Env, output, options)).Message);
        options.SetContextDataReader(null);
        Assert.ThrowsAny<Exception>(() => new Session(Rig.Env, output, options));
    }

    [Fact]
    public void Initializers_go_to_a_file_or_where_a_function_says()
    {
        var folder = Rig.NewFolder();
        using var options = new SessionOptions();
        using var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("digits.onnx"));
        compiler.Options.SetExternalInitializersFile("weights.bin", 64);
        compiler.CompileToFile(Path.Combine(folder, "x_ctx.onnx"));
        Assert.True(File.Exists(Path.Combine(folder, "weights.bin")));

        var seen = new Dictionary<string, byte[]>();
        using var second = new ModelCompiler(Rig.Env, options, Rig.Model("digits.onnx"));
        using var file = File.Create(Path.Combine(folder, "mine.bin"));
        second.Options.SetInitializerLocator((name, value, current) =>
        {
            Assert.Null(current);
            var data = value.AsBytes().ToArray();
            seen[name] = data;
            if (data.Length < 64)
            {
                return null;
            }
            var info = new ExternalInitializerInfo("mine.bin", file.Position, (nuint)data.Length);
            file.Write(data);
            return info;
        });
        var output = Path.Combine(folder, "y_ctx.onnx");
        second.CompileToFile(output);
        file.Flush();
        Assert.NotEmpty(seen);
        RunsAsTheSource(output, options);
        using var third = new ModelCompiler(Rig.Env, options, output);
        var places = new List<ExternalInitializerInfo?>();
        third.Options.SetInitializerLocator((_, _, current) =>
        {
            places.Add(current);
            return current;
        });
        third.CompileToFile(Path.Combine(folder, "z_ctx.onnx"));
        Assert.Contains(places, place => place?.FilePath == "mine.bin");
    }

    [Fact]
    public void A_provider_that_needs_weights_says_so()
    {
        var output = Path.Combine(Rig.NewFolder(), "x_ctx.onnx");
        using var options = Rig.Aot();
        using (var compile = new ModelCompilationOptions(Rig.Env, options))
        {
            compile.SetInputModel(Rig.Model("digits.onnx")).SetOutputModel(output)
                .SetWeightless(true);
            Rig.Fails(ErrorCode.EpFail, "weights", compile.CompileModel);
            Assert.False(File.Exists(output));
            compile.SetWeightless(false).CompileModel();
        }
        options.SetWeightlessSourceModel(File.ReadAllBytes(Rig.Model("digits.onnx")));
        GC.Collect();
        RunsAsTheSource(output, options);
    }

    [Fact]
    public void Wrong_compiles_say_why()
    {
        using var options = Rig.Aot();
        using var cpu = new SessionOptions();
        using var compiler = new ModelCompiler(Rig.Env, options);
        Rig.Fails(ErrorCode.InvalidArgument, () => compiler.CompileToFile());
        Rig.Fails(ErrorCode.InvalidArgument, () => compiler.Options.SetInputModel(""));
        Rig.Fails(ErrorCode.InvalidArgument,
            () => compiler.Options.SetInputModel(ReadOnlyMemory<byte>.Empty));
        compiler.Options.SetInputModel(Rig.Model("digits_ctx.onnx"));
        Rig.Fails(ErrorCode.InvalidGraph, () => compiler.CompileToBytes());
        compiler.Options.SetInputModel(new byte[] { 1, 2, 3 });
        Rig.Fails(ErrorCode.InvalidProtobuf, () => compiler.CompileToBytes());
        using var nothing = new ModelCompiler(Rig.Env, cpu, Rig.Model("trivial.onnx"));
        nothing.Options.SetFlags(CompileFlags.ErrorIfNoNodesCompiled);
        Rig.Fails(ErrorCode.Fail, () => nothing.CompileToBytes());
        Rig.Fails(ErrorCode.InvalidArgument,
            () => nothing.Options.SetGraphOptimizationLevel((GraphOptimizationLevel)5));
        Assert.Throws<ArgumentNullException>(() => new ModelCompiler(Rig.Env, null!));
        Assert.Throws<ArgumentNullException>(() => new ModelCompiler(null!, cpu));
        Rig.Fails(ErrorCode.InvalidArgument, () => new ModelCompiler(Rig.Env, cpu, ""));
    }

    [Fact]
    public void Models_of_a_group_share_a_binary()
    {
        var folder = Rig.NewFolder();
        using var options = Rig.Aot();
        using (var group = new SharingGroup(Rig.Env))
        {
            foreach (var name in new[] { "first", "second" })
            {
                using var member = new ModelCompilationOptions(Rig.Env, options);
                group.Add(member.SetInputModel(Rig.Model(name + ".onnx"))
                    .SetOutputModel(Path.Combine(folder, name + "_ctx.onnx")));
            }
            Assert.Empty(Directory.GetFiles(folder));
            group.Commit();
            Assert.Contains("files", group.GetReport().Json);
            group.Abort();
            Rig.Fails(ErrorCode.Fail, () => group.Commit());
        }
        Assert.Equal(3, Directory.GetFiles(folder).Length);
        using var first = new Session(Rig.Env, Path.Combine(folder, "first_ctx.onnx"), options);
        Assert.Equal(4, Rig.RunFloats(first, Rig.Ones(256), 1, 256).Length);
        using var given = new SharingGroup(Rig.Env);
        options.SetSharingGroup(given).SetSharingGroup(null);
        given.Abort();
        Rig.Fails(ErrorCode.Fail, () => given.Commit());
    }

    [Fact]
    public void A_token_gives_a_group_up()
    {
        var folder = Rig.NewFolder();
        using var group = new SharingGroup(Rig.Env);
        using var source = new CancellationTokenSource();
        using var options = Rig.Aot();
        options.LogSeverity = LoggingLevel.Verbose;
        options.SetLogger(_ => source.Cancel());
        using var member = new ModelCompilationOptions(Rig.Env, options);
        member.SetInputModel(Rig.Model("first.onnx"))
            .SetOutputModel(Path.Combine(folder, "first_ctx.onnx"));
        var stopped = Assert.ThrowsAny<OperationCanceledException>(
            () => group.Add(member, source.Token));
        Assert.Equal(source.Token, stopped.CancellationToken);
        Rig.Fails(ErrorCode.Fail, "abort", () => group.Commit());
        using var other = new SharingGroup(Rig.Env);
        Assert.Throws<OperationCanceledException>(() => other.Add(member, source.Token));
        other.Add(member); // what did not begin gave nothing up
        Assert.Empty(Directory.GetFiles(folder));
    }

    [Fact]
    public void A_compiler_makes_a_member_with_progress_and_a_token()
    {
        var folder = Rig.NewFolder();
        using var group = new SharingGroup(Rig.Env);
        using var options = Rig.Aot().SetSharingGroup(group);
        var stages = new HashSet<string>();
        using var first = new ModelCompiler(Rig.Env, options, Rig.Model("first.onnx"));
        first.CompileToFile(
            Path.Combine(folder, "first_ctx.onnx"),
            new Hear<CompileProgress>(at => stages.Add(at.Stage)));
        Assert.Contains("compile", stages);
        using var source = new CancellationTokenSource();
        using var second = new ModelCompiler(Rig.Env, options, Rig.Model("second.onnx"));
        Assert.ThrowsAny<OperationCanceledException>(() => second.CompileToFile(
            Path.Combine(folder, "second_ctx.onnx"),
            new Hear<CompileProgress>(_ => source.Cancel()), source.Token));
        Rig.Fails(ErrorCode.ModelLoadCanceled, () => group.Commit());
        Assert.Empty(Directory.GetFiles(folder));
    }

    [Fact]
    public void A_cache_keeps_what_was_compiled()
    {
        var cache = new ContextCache(Path.Combine(Rig.NewFolder(), "cache"));
        using var options = Rig.Aot();
        Assert.Throws<OrtFileNotFoundException>(() => cache.List());
        Assert.Contains("missing",
            cache.Explain(Rig.Env, Rig.Model("digits.onnx"), options).Json);
        foreach (var result in new[] { "made", "hit" })
        {
            using var session = Session.FromCache(
                Rig.Env, Rig.Model("digits.onnx"), cache.Folder, options);
            Assert.Contains($"\"{result}\"", session.GetReport().Json);
        }
        Assert.Contains("whole", cache.Explain(Rig.Env, Rig.Model("digits.onnx"), options).Json);
        Assert.Contains("digits.onnx", cache.List().Json);
        Assert.Contains("true", cache.Verify().Json);
        Assert.Contains("removed", cache.Prune(0).Json);
        Assert.DoesNotContain("digits.onnx", cache.List().Json);
    }
}

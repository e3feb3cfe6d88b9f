// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Xunit;

namespace OrtC.Tests;

/// <summary>Models and folders of the tests. tests/bindings/run.sh sets the variables.</summary>
internal static class Rig
{
    private static readonly string s_models =
        Environment.GetEnvironmentVariable("ORTC_MODELS") ?? throw new InvalidOperationException(
            "ORTC_MODELS is not set: run the tests by tests/bindings/run.sh csharp test");

    private static int s_folders;

    internal static Env Env { get; } = new("tests");

    /// <summary>A model of tests/bindings/make_models.py.</summary>
    internal static string Model(string name) => Path.Combine(s_models, name);

    /// <summary>A file of tests/data.</summary>
    internal static string Data(string name) => Path.Combine(Root(), "tests", "data", name);

    internal static string Root([CallerFilePath] string here = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(here)!, "../../../.."));

    /// <summary>An empty folder, with a name that is not ASCII.</summary>
    internal static string NewFolder()
    {
        var number = System.Threading.Interlocked.Increment(ref s_folders);
        var root = Environment.GetEnvironmentVariable("ORTC_OUT") ?? Path.GetTempPath();
        var folder = Path.Combine(root, "tests", $"größe-{Environment.ProcessId}-{number}");
        Directory.CreateDirectory(folder);
        return folder;
    }

    /// <summary>A copy of a model in a folder of its own.</summary>
    internal static string CopyOf(string model)
    {
        var copy = Path.Combine(NewFolder(), "模型.onnx");
        File.Copy(model, copy);
        return copy;
    }

    internal static SessionOptions Aot() => new SessionOptions().AppendExecutionProvider("AOT");

    internal static Dictionary<string, Value> Inputs(string name, Value value) =>
        new() { [name] = value };

    /// <summary>Runs a session of one float input and one float output.</summary>
    internal static float[] RunFloats(Session session, float[] x, params long[] shape)
    {
        using var input = new Tensor<float>(x, shape);
        using var outputs = session.Run(Inputs(session.Inputs[0].Name, input));
        return outputs[0].ToArray<float>();
    }

    internal static float[] Ones(int count) => Enumerable.Repeat(1f, count).ToArray();

    /// <summary>A failure with a code and words that must be in its text.</summary>
    internal static Exception Fails(ErrorCode code, string words, Action action)
    {
        var exception = Record.Exception(action);
        Assert.NotNull(exception);
        var error = Assert.IsAssignableFrom<IOrtError>(exception);
        Assert.Equal(code, error.Code);
        Assert.Contains(words, exception.Message, StringComparison.OrdinalIgnoreCase);
        return exception;
    }

    internal static Exception Fails(ErrorCode code, Action action) => Fails(code, "", action);
}

/// <summary>Hears progress at once, on the thread that reports it.</summary>
internal sealed class Hear<T>(Action<T> heard) : IProgress<T>
{
    public void Report(T value) => heard(value);
}

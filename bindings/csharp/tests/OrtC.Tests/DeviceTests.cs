// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Xunit;

namespace OrtC.Tests;

/// <summary>Devices that a function chooses, hardware that a provider does not serve.</summary>
public class DeviceTests
{
    private const string Aot = "AotExecutionProvider";
    private const string Cpu = "CPUExecutionProvider";

    [Fact]
    public void A_function_chooses_devices()
    {
        var heard = new List<EpSelection>();
        var wanted = Aot;
        var thread = 0;
        using var options = Choosing(selection =>
        {
            heard.Add(selection);
            thread = Environment.CurrentManagedThreadId;
            return Named(selection.Devices, wanted);
        });
        Assert.Equal(Aot, ProviderOf(Rig.Env, options));
        Assert.Equal(Environment.CurrentManagedThreadId, thread);
        Assert.Equal(8, heard[0].MaxSelections);
        Assert.Contains("producer_name", heard[0].ModelMetadata.Keys);
        Assert.Empty(heard[0].RuntimeMetadata);
        Assert.Equal(Cpu, heard[0].Devices[^1].EpName);
        Assert.Equal(Rig.Env.EpDevices.Count, heard[0].Devices.Count);
        wanted = Cpu;
        using var clone = options.Clone();
        options.Dispose();
        GC.Collect();
        Assert.Equal(Cpu, ProviderOf(Rig.Env, clone));
        Assert.Equal(2, heard.Count);
        clone.SetEpSelectionDelegate(null);
        Assert.Equal(Cpu, ProviderOf(Rig.Env, clone));
        Assert.Equal(2, heard.Count);
    }

    [Fact]
    public void Devices_of_the_environment_may_be_chosen()
    {
        var own = Named(Rig.Env.EpDevices, Aot);
        using var options = Choosing(_ => own);
        Assert.Equal(Aot, ProviderOf(Rig.Env, options));
        using var other = new Env("other");
        Rig.Fails(ErrorCode.Fail, "that it was not given, at place 0",
            () => ProviderOf(other, options));
    }

    [Fact]
    public void A_compile_asks_too()
    {
        var calls = 0;
        using var options = Choosing(selection =>
        {
            calls++;
            return Named(selection.Devices, Aot);
        });
        var output = Path.Combine(Rig.NewFolder(), "trivial_ctx.onnx");
        using var compiler = new ModelCompiler(Rig.Env, options, Rig.Model("trivial.onnx"));
        compiler.CompileToFile(output);
        Assert.Equal(1, calls);
        Assert.True(File.Exists(output));
    }

    [Fact]
    public void A_device_outlives_its_environment()
    {
        EpDevice? kept = null;
        using (var env = new Env("short"))
        using (var options = Choosing(s => Named(s.Devices, (kept = s.Devices[0]).EpName)))
        {
            ProviderOf(env, options);
        }
        GC.Collect();
        Assert.Equal("0", kept!.Device.Metadata[DeviceMetadataKeys.IsVirtual]);
        Assert.Null(kept.GetMemoryInfo(DeviceMemoryType.Default));
    }

    [Fact]
    public void What_a_choice_throws_comes_out_as_it_was()
    {
        foreach (var thrown in new Exception[]
                 {
                     new TimeoutException("no device is good enough"),
                     new OrtNotSupportedException("not for such models"),
                 })
        {
            using var options = Choosing(_ => throw thrown);
            Assert.Same(thrown, Record.Exception(() => ProviderOf(Rig.Env, options)));
        }
    }

    [Fact]
    public void A_wrong_choice_refuses_the_session()
    {
        Refused(ErrorCode.Fail, "did not select anything", _ => []);
        Refused(ErrorCode.Fail, "twice, the second time at place 1",
            selection => [selection.Devices[0], selection.Devices[0]]);
        Refused(ErrorCode.InvalidArgument, "at most 8 may be",
            selection => Enumerable.Repeat(selection.Devices[0], 9).ToArray());
        Refused(ErrorCode.InvalidArgument, "a null", _ => null!);
        Refused(ErrorCode.InvalidArgument, "a null", _ => [null!]);
    }

    [Fact]
    public void A_provider_says_why_it_does_not_serve_hardware()
    {
        using var env = new Env("hardware");
        env.RegisterProviderLibrary(
            "npu.virtual", Environment.GetEnvironmentVariable("ORTC_PROVIDER_LIBRARY")!);
        var processor = env.GetHardwareDevices()[0];
        var npu = env.EpDevices[^1];
        Assert.Null(env.GetIncompatibility(Cpu, processor));
        Assert.Null(env.GetIncompatibility(npu.EpName, npu.Device));
        var found = env.GetIncompatibility("CPU", npu.Device)!;
        Assert.Equal(IncompatibilityReasons.Device, found.Reasons);
        Assert.Equal("CPUExecutionProvider serves no such hardware", found.Notes);
        Assert.Equal(0, found.ErrorCode);
        Assert.Equal(found.Notes, found.ToString());
        Rig.Fails(ErrorCode.InvalidArgument, "Nobody",
            () => env.GetIncompatibility("Nobody", processor));
        Rig.Fails(ErrorCode.InvalidArgument, "empty", () => env.GetIncompatibility("", processor));
        Rig.Fails(ErrorCode.InvalidArgument, "another environment",
            () => Rig.Env.GetIncompatibility(Cpu, processor));
        Assert.Throws<ArgumentNullException>(() => env.GetIncompatibility(null!, processor));
        Assert.Throws<ArgumentNullException>(() => env.GetIncompatibility(Cpu, null!));
    }

    [Fact]
    public void A_graph_that_nobody_captured_is_released()
    {
        var session = new Session(Rig.Env, Rig.Model("trivial.onnx"));
        session.ReleaseCapturedGraph();
        session.ReleaseCapturedGraph(7);
        Assert.Equal([2f, 2, 2, 2], Rig.RunFloats(session, Rig.Ones(4), 1, 4));
        session.Dispose();
        Assert.Throws<ObjectDisposedException>(() => session.ReleaseCapturedGraph());
    }

    private static SessionOptions Choosing(EpSelectionDelegate choose)
    {
        var options = new SessionOptions().SetEpSelectionDelegate(choose);
        options[SessionConfigKeys.RecordEpGraphAssignmentInfo] = "1";
        return options;
    }

    private static EpDevice[] Named(IEnumerable<EpDevice> devices, string name) =>
        devices.Where(device => device.EpName == name).Take(1).ToArray();

    /// <summary>The provider that runs the model.</summary>
    private static string ProviderOf(Env env, SessionOptions options)
    {
        using var session = new Session(env, Rig.Model("trivial.onnx"), options);
        Assert.Equal([2f, 2, 2, 2], Rig.RunFloats(session, Rig.Ones(4), 1, 4));
        return session.GetEpAssignment()[0].EpName;
    }

    private static void Refused(ErrorCode code, string words, EpSelectionDelegate choose)
    {
        using var options = Choosing(choose);
        Rig.Fails(code, words, () => ProviderOf(Rig.Env, options));
    }
}

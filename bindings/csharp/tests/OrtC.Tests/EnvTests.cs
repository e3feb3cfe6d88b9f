// SPDX-License-Identifier: MIT
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Xunit;

namespace OrtC.Tests;

public class EnvTests
{
    [Fact]
    public void The_library_says_what_it_is()
    {
        Assert.StartsWith("1.", OrtLibrary.Version);
        Assert.Contains(OrtLibrary.Version, OrtLibrary.BuildInfo);
        Assert.Contains("AotExecutionProvider", OrtLibrary.GetAvailableProviders());
        Assert.Equal("CPUExecutionProvider", OrtLibrary.GetAvailableProviders()[^1]);
        Assert.NotEqual(0, OrtLibrary.ApiBase);
    }

    [Fact]
    public void An_environment_has_devices()
    {
        Assert.Same(Rig.Env.EpDevices, Rig.Env.EpDevices);
        var aot = Rig.Env.EpDevices.First(device => device.EpName == "AotExecutionProvider");
        Assert.NotEmpty(aot.EpVendor);
        Assert.Equal(OrtLibrary.Version, aot.Metadata[EpMetadataKeys.Version]);
        Assert.NotNull(aot.Options);
        Assert.Equal(HardwareDeviceType.Cpu, aot.Device.Type);
        Assert.Equal("0", aot.Device.Metadata[DeviceMetadataKeys.IsVirtual]);
        Assert.True(aot.Device.VendorId >= 0 && aot.Device.DeviceId >= 0);
        Assert.NotNull(aot.Device.Vendor);
        Assert.Null(aot.GetMemoryInfo(DeviceMemoryType.Default));
        Assert.Contains("AotExecutionProvider on", aot.ToString());
        Assert.NotEmpty(Rig.Env.GetHardwareDevices());
        Assert.Throws<InvalidOperationException>(() => aot.Metadata["version"] = "2");
        Rig.Fails(ErrorCode.InvalidArgument, () => new SyncStream(aot));
        Rig.Fails(ErrorCode.InvalidArgument, () => Rig.Env.CreateSharedAllocator(
            aot, DeviceMemoryType.Default, AllocatorType.Device));
        Rig.Fails(ErrorCode.InvalidArgument,
            () => Rig.Env.ReleaseSharedAllocator(aot, DeviceMemoryType.Default));
    }

    [Fact]
    public void A_library_of_providers_adds_devices_and_takes_them_away()
    {
        using var env = new Env("libraries");
        var path = Environment.GetEnvironmentVariable("ORTC_PROVIDER_LIBRARY")!;
        Rig.Fails(ErrorCode.NoSuchFile,
            () => env.RegisterProviderLibrary("npu", "/nowhere/at/all.so"));
        Rig.Fails(ErrorCode.Fail, () => env.UnregisterProviderLibrary("npu"));

        var before = env.EpDevices;
        env.RegisterProviderLibrary("npu.virtual", path);
        Assert.Equal(before.Count + 1, env.EpDevices.Count);
        var npu = env.EpDevices[^1];
        Assert.Equal("1", npu.Device.Metadata[DeviceMetadataKeys.IsVirtual]);
        env.UnregisterProviderLibrary("npu.virtual");
        Assert.Equal(before.Count, env.EpDevices.Count);
        using var options = new SessionOptions();
        Rig.Fails(ErrorCode.InvalidArgument,
            () => options.AppendExecutionProvider(env, new[] { npu }));
    }

    [Fact]
    public void What_lies_on_a_device_is_copied_and_not_read()
    {
        using var env = new Env("device");
        var path = Environment.GetEnvironmentVariable("ORTC_DEVICE_LIBRARY")!;
        env.RegisterProviderLibrary("device.virtual", path);
        using var memory = env.EpDevices[^1].GetMemoryInfo(DeviceMemoryType.Default)!;
        var allocator = env.GetSharedAllocator(memory)!;
        using var there = Value.Allocate(allocator, TensorElementType.Float, 2);
        using var here = new Tensor<float>([1, 2], 2);
        using var back = new Tensor<float>([0, 0], 2);
        env.CopyTensors([here], [there]);
        env.CopyTensors([there], [back]);
        Assert.Equal([1f, 2], back.ToArray<float>());
        Rig.Fails(ErrorCode.InvalidArgument, () => there.ToArray<float>());
        Rig.Fails(ErrorCode.InvalidArgument, () => there.AsSpan<float>().Clear());
        Rig.Fails(ErrorCode.InvalidArgument, () => there.AsBytes().Clear());
        Assert.NotEqual(0, there.DataPointer);
    }

    [Fact]
    public void A_library_of_operators_is_loaded()
    {
        using var options = new SessionOptions();
        options.RegisterOperatorLibrary(
            Environment.GetEnvironmentVariable("ORTC_OPERATOR_LIBRARY")!);
        Rig.Fails(ErrorCode.Fail, () => options.RegisterOperatorLibrary("/nowhere/at/all.so"));
        Rig.Fails(ErrorCode.Fail, () => options.RegisterOperatorFunction("no_such_function"));
        Rig.Fails(ErrorCode.Fail, () => options.EnableOrtCustomOps());
    }

    [Fact]
    public void Devices_outlive_their_environment()
    {
        EpDevice device;
        using (var env = new Env("short"))
        {
            device = env.EpDevices[0];
        }
        Assert.NotEmpty(device.Metadata);
    }

    [Fact]
    public void A_session_takes_devices()
    {
        var devices = Rig.Env.EpDevices
            .Where(device => device.EpName == "AotExecutionProvider").Take(1).ToArray();
        using var options = new SessionOptions().AppendExecutionProvider(Rig.Env, devices);
        using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"), options);
        Assert.Equal([2f, 2, 2, 2], Rig.RunFloats(session, Rig.Ones(4), 1, 4));
        using var chosen = new SessionOptions().SetEpSelectionPolicy(DevicePolicy.PreferCpu);
        using var second = new Session(Rig.Env, Rig.Model("trivial.onnx"), chosen);
        Rig.Fails(ErrorCode.InvalidArgument,
            () => new SessionOptions().SetEpSelectionPolicy((DevicePolicy)99));
        Rig.Fails(ErrorCode.InvalidArgument,
            () => new SessionOptions().AppendExecutionProvider(Rig.Env, []));
        Rig.Fails(ErrorCode.InvalidArgument, "nobody's",
            () => new SessionOptions().AppendExecutionProvider("nobody's"));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public void Loggers_and_threads_of_the_program_serve_an_environment(bool threads, bool entries)
    {
        var lines = new ConcurrentQueue<LogRecord>();
        var made = 0;
        var options = new EnvOptions { LogId = "größe", Severity = LoggingLevel.Verbose };
        options.Logger = lines.Enqueue;
        if (threads)
        {
            options.Threading = new ThreadingOptions
            {
                IntraOpNumThreads = 2,
                InterOpNumThreads = 1,
                AllowSpinning = false,
                DenormalAsZero = true,
                IntraOpThreadAffinity = "1",
                ThreadFactory = work =>
                {
                    Interlocked.Increment(ref made);
                    return new Thread(work) { IsBackground = true };
                },
            };
        }
        if (entries)
        {
            options.ConfigEntries[EnvConfigKeys.AllowVirtualDevices] = "1";
        }
        using (var env = new Env(options))
        using (var session = new SessionOptions())
        {
            if (threads)
            {
                session.DisablePerSessionThreads();
            }
            using var used = new Session(env, Rig.Model("trivial.onnx"), session);
            env.Dispose();
            GC.Collect();
            Rig.RunFloats(used, Rig.Ones(4), 1, 4);
        }
        Assert.Equal(threads ? 1 : 0, made);
        Assert.Contains(lines, line => line.LogId == "größe");
        Assert.All(lines, line => Assert.NotEmpty(line.Category + line.CodeLocation + line));
    }

    [Fact]
    public void Environments_are_made_without_a_logger_as_well()
    {
        using var plain = new Env(new EnvOptions { Threading = new ThreadingOptions() });
        plain.SetSeverity(LoggingLevel.Error);
        plain.SetTelemetry(true);
        plain.SetTelemetry(false);
        var options = new EnvOptions();
        options.ConfigEntries["nothing.such"] = "1";
        Rig.Fails(ErrorCode.InvalidArgument, "nothing.such", () => new Env(options));
        var pinned = new ThreadingOptions { IntraOpNumThreads = 2, IntraOpThreadAffinity = "1;1" };
        Rig.Fails(ErrorCode.InvalidArgument, // two groups for one thread
            () => new Env(new EnvOptions { Threading = pinned }));
        Assert.Throws<ArgumentNullException>(() => new Env((EnvOptions)null!));
        Rig.Fails(ErrorCode.InvalidArgument, () => new Env((string)null!));
    }

    [Fact]
    public void Functions_hear_of_the_work_of_a_sessions_threads()
    {
        int enqueued = 0, started = 0, stopped = 0, abandoned = 0;
        var callbacks = new ThreadPoolCallbacks
        {
            OnEnqueue = () => Interlocked.Increment(ref enqueued),
            OnStartWork = work => Interlocked.Add(ref started, (int)work!),
            OnStopWork = work => Interlocked.Add(ref stopped, (int)work!),
            OnAbandon = work =>
            {
                Interlocked.Add(ref abandoned, (int)work!);
                throw new TimeoutException("lost");
            },
        };
        using var options = new SessionOptions { IntraOpNumThreads = 3 };
        using (var env = new Env("test"))
        {
            env.SetThreadPoolCallbacks(callbacks);
            using var session = new Session(env, Rig.Data("layers.onnx"), options);
            env.SetThreadPoolCallbacks(new ThreadPoolCallbacks());
            env.SetThreadPoolCallbacks(null);
            env.Dispose();
            GC.Collect();
            Rig.RunFloats(session, Rig.Ones(256 * 64), 256, 64);
        }
        var closed = new Env("closed");
        closed.Dispose();
        Assert.Throws<ObjectDisposedException>(() => closed.SetThreadPoolCallbacks(callbacks));
        Assert.True(enqueued > 0);
        Assert.Equal(started, stopped);
        Assert.Equal(enqueued * (enqueued + 1) / 2, started + abandoned);
    }

    [Fact]
    public void What_a_thread_factory_throws_comes_back()
    {
        var options = new EnvOptions
        {
            Threading = new ThreadingOptions
            {
                IntraOpNumThreads = 2,
                ThreadFactory = _ => throw new TimeoutException("no threads today"),
            },
        };
        Assert.Equal("no threads today",
            Assert.Throws<TimeoutException>(() => new Env(options)).Message);
        using var session = new SessionOptions { IntraOpNumThreads = 2 };
        session.SetThreadFactory(_ => throw new TimeoutException("nor here"));
        Assert.Throws<TimeoutException>(
            () => new Session(Rig.Env, Rig.Model("trivial.onnx"), session));
        Rig.Fails(ErrorCode.NoSuchFile, () => new Session(Rig.Env, "nothing.onnx", session));
        var made = 0;
        session.SetThreadFactory(work =>
        {
            made++;
            var thread = new Thread(work);
            thread.Start();
            return thread;
        });
        using (var used = new Session(Rig.Env, Rig.Model("trivial.onnx"), session))
        {
            Rig.RunFloats(used, Rig.Ones(4), 1, 4);
        }
        Assert.Equal(1, made);
        session.SetThreadFactory(null);
    }

    [Fact]
    public void Work_that_comes_after_its_session_does_nothing()
    {
        var kept = new List<ThreadStart>();
        using var options = new SessionOptions { IntraOpNumThreads = 3 };
        options.SetThreadFactory(work =>
        {
            kept.Add(work);
            return new Thread(() => { });
        });
        new Session(Rig.Env, Rig.Model("trivial.onnx"), options).Dispose();
        Assert.Equal(2, kept.Count);
        kept.ForEach(work => work());
        kept.ForEach(work => work());
    }

    [Fact]
    public void Threads_that_are_at_work_are_threads()
    {
        var started = new List<Thread>();
        using var options = new SessionOptions { IntraOpNumThreads = 3 };
        options.SetThreadFactory(work =>
        {
            started.Add(new Thread(work));
            started[^1].Start();
            Thread.Sleep(20); // it has mostly begun
            throw new TimeoutException("the thread was lost");
        });
        var isMade = false;
        for (var i = 0; i < 50 && !isMade; i++)
        {
            try
            {
                new Session(Rig.Env, Rig.Model("trivial.onnx"), options).Dispose();
                isMade = true;
            }
            catch (TimeoutException)
            {
                // The work had not begun: there is no thread.
            }
        }
        Assert.True(isMade);
        started.ForEach(thread => thread.Join());
    }

    [Fact]
    public void Key_value_pairs_keep_their_order()
    {
        using var pairs = new KeyValuePairs { { "b", "1" }, { "a", "ä" } };
        pairs["b"] = "2";
        Assert.Equal([new("b", "2"), new("a", "ä")], pairs);
        Assert.Equal(["b", "a"], pairs.Keys);
        Assert.Equal(["2", "ä"], pairs.Values);
        Assert.True(pairs.Remove("b"));
        Assert.False(pairs.Remove("b"));
        Assert.Single(pairs);
        Assert.Throws<KeyNotFoundException>(() => pairs["b"]);
        Assert.Throws<ArgumentException>(() => pairs.Add("", "1"));
        Assert.Throws<ArgumentNullException>(() => pairs.Add("c", null!));
        pairs.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pairs.Count);
    }

    [Fact]
    public void A_logger_that_is_not_there_is_an_error()
    {
        var logger = new NativeLogger(0);
        Rig.Fails(ErrorCode.InvalidArgument, () => logger.Severity.ToString());
        Rig.Fails(ErrorCode.InvalidArgument, () => logger.Log(LoggingLevel.Error, "nobody hears"));
    }
}

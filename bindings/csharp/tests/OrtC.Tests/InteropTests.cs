// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using Microsoft.Win32.SafeHandles;
using Xunit;

namespace OrtC.Tests;

/// <summary>Memory and semaphores of the program on a device: a file, and eventfds.</summary>
public sealed class InteropTests : IDisposable
{
    private const int Size = 4096;
    private const ExternalMemoryType FileMemory = ExternalMemoryType.VkMemoryOpaqueFd;
    private const ExternalSemaphoreType Event = ExternalSemaphoreType.VkTimelineSemaphoreOpaqueFd;

    private readonly Env _env = new("interop");
    private readonly EpDevice _device;
    private readonly ExternalResourceImporter _importer;
    private readonly FileStream _file;

    public InteropTests()
    {
        _env.RegisterProviderLibrary(
            "device.virtual", Environment.GetEnvironmentVariable("ORTC_DEVICE_LIBRARY")!);
        _device = _env.EpDevices[^1];
        _importer = new ExternalResourceImporter(_device);
        _file = new FileStream(Path.Combine(Rig.NewFolder(), "memory"), FileMode.Create,
            FileAccess.ReadWrite, FileShare.None, bufferSize: 0);
        _file.SetLength(Size);
    }

    public void Dispose()
    {
        _file.Dispose();
        _importer.Dispose();
        _env.Dispose();
    }

    [Fact]
    public void A_session_works_in_memory_of_the_program_without_a_copy()
    {
        var memory = _importer.ImportMemory(FileMemory, _file.SafeFileHandle, Size, 256);
        Assert.Equal((FileMemory, (nuint)Size - 256), (memory.Type, memory.Bytes));
        using var x = _importer.CreateTensor(memory, TensorElementType.Float, 0, 1, 4);
        using var y = _importer.CreateTensor(memory, TensorElementType.Float, 64, 1, 4);
        Rig.Fails(ErrorCode.InvalidArgument, "of a device", () => x.ToArray<float>());
        Rig.Fails(ErrorCode.InvalidArgument, "of a device", () => x.At<float>(0, 0).GetType());
        _importer.Dispose();
        memory.Dispose(); // the tensors keep what they need
        using var session = OnDevice();
        using var binding = new IoBinding(session);
        binding.BindInput("x", x);
        binding.BindOutput("y", y);
        Write(256, 0, 1, 2, 3);
        binding.Run();
        Assert.Equal([1f, 2, 3, 4], Read(320));
    }

    [Fact]
    public void A_stream_waits_for_the_program_and_tells_it_when_it_has()
    {
        using var ready = NewEvent();
        using var done = NewEvent();
        using var memory = _importer.ImportMemory(FileMemory, _file.SafeFileHandle, Size);
        using var x = _importer.CreateTensor(memory, TensorElementType.Float, 0, 1, 4);
        using var options = new RunOptions();
        using (var stream = new SyncStream(_device))
        using (var begin = _importer.ImportSemaphore(Event, ready))
        using (var end = _importer.ImportSemaphore(Event, done))
        {
            Assert.Equal(Event, begin.Type);
            _importer.Wait(begin, stream, 2);
            _importer.Wait(begin, stream, 3);
            _importer.Signal(end, stream, 5);
            options.SetSyncStream(stream);
        }
        // The options keep the stream, and the stream keeps both semaphores.
        var program = new Thread(() =>
        {
            Add(ready, 1);
            Write(0, 0, 1, 2, 3);
            Add(ready, 2);
        });
        program.Start();
        using var session = OnDevice();
        using var outputs = session.Run(Rig.Inputs("x", x), options: options);
        program.Join();
        Assert.Equal([1f, 2, 3, 4], outputs[0].ToArray<float>());
        Assert.Equal(5ul, Take(done));
    }

    [Fact]
    public void An_importer_says_what_it_can_import()
    {
        Assert.True(_importer.CanImport(FileMemory));
        Assert.False(_importer.CanImport(ExternalMemoryType.D3D12Heap));
        Assert.True(_importer.CanImport(Event));
        Assert.False(_importer.CanImport(ExternalSemaphoreType.D3D12Fence));
    }

    [Fact]
    public void What_does_not_fit_is_refused()
    {
        void Refuses(string words, Action action) =>
            Rig.Fails(ErrorCode.InvalidArgument, words, action);
        Refuses("'offset_bytes' is 4097",
            () => _importer.ImportMemory(FileMemory, _file.SafeFileHandle, Size, Size + 1));
        Refuses("cannot be mapped",
            () => _importer.ImportMemory(FileMemory, _file.SafeFileHandle, 2 * Size));
        Refuses("not an open file", () => _importer.ImportMemory(FileMemory, -1, Size));
        Refuses("file descriptors only",
            () => _importer.ImportMemory(ExternalMemoryType.D3D12Heap, 0, Size));
        Refuses("file descriptors only",
            () => _importer.ImportSemaphore(ExternalSemaphoreType.D3D12Fence, 0));
        using var memory = _importer.ImportMemory(FileMemory, _file.SafeFileHandle, Size);
        Refuses("takes 16 bytes; the imported memory has",
            () => _importer.CreateTensor(memory, TensorElementType.Float, Size - 8, 4));
        Refuses("strings", () => _importer.CreateTensor(memory, TensorElementType.String, 0, 1));
        using var counter = NewEvent();
        using var semaphore = _importer.ImportSemaphore(Event, counter);
        Refuses("stream", () => _importer.Wait(semaphore, SyncStream.None, 1));
        _importer.Dispose();
        Assert.Throws<ObjectDisposedException>(
            () => _importer.CreateTensor(memory, TensorElementType.Float, 0, 4));
    }

    [Fact]
    public void A_provider_that_imports_nothing_is_named()
    {
        var aot = _env.EpDevices[0];
        Rig.Fails(ErrorCode.NotImplemented, $"{aot.EpName} imports no memory",
            () => new ExternalResourceImporter(aot).Dispose());
        using var options = new KeyValuePairs(new Dictionary<string, string> { ["key"] = "value" });
        Rig.Fails(ErrorCode.NotImplemented, "InitGraphicsInterop",
            () => _device.InitGraphicsInterop(GraphicsApi.Vulkan, 0, options));
        Rig.Fails(ErrorCode.NotImplemented, aot.EpName, aot.DeinitGraphicsInterop);
        using var session = OnDevice();
        Assert.Equal([2f, 2, 2, 2], Rig.RunFloats(session, Rig.Ones(4), 1, 4));
    }

    private static SafeFileHandle NewEvent()
    {
        var file = NewEventFile(0, 0);
        Assert.True(file >= 0);
        return new SafeFileHandle(file, ownsHandle: true);
    }

    private static unsafe void Add(SafeFileHandle counter, ulong value) =>
        Assert.Equal(8, WriteFile(counter, &value, 8));

    private static unsafe ulong Take(SafeFileHandle counter)
    {
        ulong value;
        Assert.Equal(8, ReadFile(counter, &value, 8));
        return value;
    }

    [DllImport("libc", EntryPoint = "eventfd")]
    private static extern int NewEventFile(uint value, int flags);

    [DllImport("libc", EntryPoint = "write")]
    private static extern unsafe nint WriteFile(SafeFileHandle file, ulong* value, nint bytes);

    [DllImport("libc", EntryPoint = "read")]
    private static extern unsafe nint ReadFile(SafeFileHandle file, ulong* value, nint bytes);

    private Session OnDevice()
    {
        using var options = new SessionOptions().AppendExecutionProvider(_env, [_device]);
        return new Session(_env, Rig.Model("trivial.onnx"), options);
    }

    private void Write(int place, params float[] numbers) =>
        RandomAccess.Write(_file.SafeFileHandle, MemoryMarshal.AsBytes(numbers.AsSpan()), place);

    private float[] Read(int place)
    {
        var numbers = new float[4];
        RandomAccess.Read(_file.SafeFileHandle, MemoryMarshal.AsBytes(numbers.AsSpan()), place);
        return numbers;
    }
}

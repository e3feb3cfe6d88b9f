// SPDX-License-Identifier: MIT
using System;
using System.Collections.Concurrent;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// One call of a kernel of the program. All its values are memory of the run, without copies: they
/// are valid until the kernel's function returns.
/// </summary>
public sealed unsafe class KernelContext
{
    private static readonly LoopFunction s_each = OnEach;

    // A loop may ask for values on several threads.
    private readonly ConcurrentBag<ValueHandle> _lent = new();
    private nint _context;

    internal KernelContext(nint context) => _context = context;

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void LoopFunction(nint state, nuint index);

    /// <summary>
    /// The inputs: those that are left out count, but not those behind the last one.
    /// </summary>
    public int InputCount
    {
        get
        {
            Native.OrtKernelContext_GetInputCount(Pointer, out var count);
            return checked((int)count);
        }
    }

    /// <summary>
    /// The outputs: those that are left out count, but not those behind the last one.
    /// </summary>
    public int OutputCount
    {
        get
        {
            Native.OrtKernelContext_GetOutputCount(Pointer, out var count);
            return checked((int)count);
        }
    }

    /// <summary>The log of the session.</summary>
    public NativeLogger Logger
    {
        get
        {
            nint logger;
            Native.OrtKernelContext_GetLogger(Pointer, &logger);
            return new NativeLogger(logger);
        }
    }

    /// <summary>The handle of the device's stream that the call works on; 0 without one.</summary>
    public nint GpuComputeStream
    {
        get
        {
            nint stream;
            Native.OrtKernelContext_GetGPUComputeStream(Pointer, &stream);
            return stream;
        }
    }

    /// <summary>The stream that the call works on: an <c>OrtSyncStream*</c>; 0 without one.</summary>
    public nint SyncStream
    {
        get
        {
            nint stream;
            Native.OrtKernelContext_GetSyncStream(Pointer, &stream);
            return stream;
        }
    }

    internal nint Pointer => _context != 0
        ? _context
        : throw new ObjectDisposedException(nameof(KernelContext));

    /// <summary>An input, for reading; null for one that is left out. Do not write it.</summary>
    /// <exception cref="OrtArgumentException">There is no such input.</exception>
    public Value? GetInput(int index)
    {
        nint value;
        Native.OrtKernelContext_GetInput(Pointer, checked((nuint)index), &value);
        return Lend(value);
    }

    /// <summary>The elements of an input that is there, in row-major order.</summary>
    /// <exception cref="OrtArgumentException">
    /// There is no such input, or its elements are of another type.
    /// </exception>
    public ReadOnlySpan<T> GetInput<T>(int index)
        where T : unmanaged =>
        (GetInput(index) ?? throw new OrtArgumentException($"Input {index} is left out."))
            .AsReadOnlySpan<T>();

    /// <summary>
    /// Makes an output, a tensor to be filled; null for one that the model leaves out.
    /// </summary>
    /// <exception cref="OrtArgumentException">
    /// There is no such output, or it has another shape already.
    /// </exception>
    public Value? GetOutput(int index, params long[] shape)
    {
        nint value;
        Native.OrtKernelContext_GetOutput(
            Pointer, checked((nuint)index), shape, (nuint)shape.Length, &value);
        return Lend(value);
    }

    /// <summary>
    /// Makes an output and gives its elements, to be filled in row-major order. Empty for one that
    /// the model leaves out.
    /// </summary>
    /// <exception cref="OrtArgumentException">
    /// There is no such output, it has another shape already, or elements of another type.
    /// </exception>
    public Span<T> GetOutput<T>(int index, params long[] shape)
        where T : unmanaged =>
        GetOutput(index, shape) is { } value ? value.AsSpan<T>() : default;

    /// <summary>
    /// Calls a function for each index below a number, on the threads of the session. The first
    /// exception comes out when all calls are over; calls that have not begun are left out then.
    /// </summary>
    /// <param name="total">How many calls.</param>
    /// <param name="function">Called by several threads at once.</param>
    /// <param name="batches">
    /// Into how many parts the indices are divided; 0: the library chooses.
    /// </param>
    public void ParallelFor(long total, Action<long> function, int batches = 0)
    {
        var loop = new Loop(function ?? throw new ArgumentNullException(nameof(function)));
        using var state = new CallbackState(loop);
        Native.OrtKernelContext_ParallelFor(
            Pointer, Marshal.GetFunctionPointerForDelegate(s_each), checked((nuint)total),
            checked((nuint)batches), state.Pointer);
        loop.Failure?.Throw();
    }

    /// <summary>Memory that is the call's until it returns. The bytes are undefined.</summary>
    public Span<byte> GetScratch(int bytes, MemoryInfo? memory = null)
    {
        nint block;
        Native.OrtKernelContext_GetScratchBuffer(
            Pointer, (memory ?? MemoryInfo.Cpu).Handle, checked((nuint)bytes), &block);
        return new Span<byte>((void*)block, bytes);
    }

    /// <summary>Makes an allocator; what it allocates may be kept.</summary>
    /// <exception cref="OrtArgumentException">Nobody serves such memory.</exception>
    public Allocator GetAllocator(MemoryInfo? memory = null)
    {
        Native.OrtKernelContext_GetAllocator(
            Pointer, (memory ?? MemoryInfo.Cpu).Handle, out var allocator);
        return new Allocator(allocator);
    }

    /// <summary>A resource of the stream, as a handle of a vendor's library.</summary>
    /// <exception cref="OrtArgumentException">There is none.</exception>
    public nint GetResource(int version, int number)
    {
        nint resource;
        Native.OrtKernelContext_GetResource(Pointer, version, number, &resource);
        return resource;
    }

    /// <summary>The call is over: what it lent cannot be used any more.</summary>
    internal void End()
    {
        _context = 0;
        foreach (var value in _lent)
        {
            value.Dispose();
        }
    }

    private static void OnEach(nint state, nuint index) =>
        CallbackState.Get<Loop>(state).Call((long)index);

    private Value? Lend(nint value)
    {
        if (value == 0)
        {
            return null;
        }
        var handle = OrtHandle.Borrow<ValueHandle>(value, null);
        _lent.Add(handle);
        return new Value(handle);
    }

    private sealed class Loop
    {
        private readonly Action<long> _function;
        private ExceptionDispatchInfo? _failure;

        internal Loop(Action<long> function) => _function = function;

        internal ExceptionDispatchInfo? Failure => Volatile.Read(ref _failure);

        internal void Call(long index)
        {
            if (Failure is not null)
            {
                return;
            }
            try
            {
                _function(index);
            }
            catch (Exception exception)
            {
                Interlocked.CompareExchange(
                    ref _failure, ExceptionDispatchInfo.Capture(exception), null);
            }
        }
    }
}

// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Imports memory and semaphores that somebody else made, as a graphics interface, for a device,
/// whose work then needs no copy. One thread at a time may use it; what it made stays after its end.
/// </summary>
/// <remarks>
/// Native handles are numbers: file descriptors, or pointers. Who owns one after the import is the
/// provider's to say; on Linux it usually makes a file descriptor of its own.
/// </remarks>
public sealed unsafe class ExternalResourceImporter : IDisposable
{
    /// <summary>Makes an importer.</summary>
    /// <exception cref="OrtNotSupportedException">
    /// The device's provider imports nothing.
    /// </exception>
    public ExternalResourceImporter(EpDevice device)
    {
        Native.OrtCreateExternalResourceImporterForDevice(device.Handle, out var handle);
        Handle = handle;
    }

    private ExternalResourceImporterHandle Handle { get; }

    /// <summary>Whether handles of memory of a type can be imported.</summary>
    public bool CanImport(ExternalMemoryType type)
    {
        Native.OrtCanImportMemory(Handle, type, out var can);
        return can;
    }

    /// <summary>Whether handles of semaphores of a type can be imported.</summary>
    public bool CanImport(ExternalSemaphoreType type)
    {
        Native.OrtCanImportSemaphore(Handle, type, out var can);
        return can;
    }

    /// <summary>Imports memory.</summary>
    /// <param name="type">What the handle is.</param>
    /// <param name="nativeHandle">The handle; a file descriptor as a number.</param>
    /// <param name="bytes">Of the whole memory.</param>
    /// <param name="offset">Where the part begins that is imported.</param>
    /// <exception cref="OrtArgumentException">It is not such memory.</exception>
    public ExternalMemory ImportMemory(
        ExternalMemoryType type, nint nativeHandle, nuint bytes, nuint offset = 0)
    {
        var what = new ExternalMemoryDescriptor
        {
            Version = ExternalMemoryDescriptor.InterfaceVersion,
            Type = type,
            NativeHandle = nativeHandle,
            Size = bytes,
            Offset = offset,
        };
        Native.OrtImportMemory(Handle, &what, out var memory);
        return new ExternalMemory(memory, type, bytes - offset);
    }

    /// <summary>The same for a handle of .NET, as that of a file; it stays the program's.</summary>
    public ExternalMemory ImportMemory(
        ExternalMemoryType type, SafeHandle nativeHandle, nuint bytes, nuint offset = 0)
    {
        using var hold = new Hold(nativeHandle);
        return ImportMemory(type, nativeHandle.DangerousGetHandle(), bytes, offset);
    }

    /// <summary>
    /// Makes a tensor in imported memory, which keeps what it needs. Who reads and writes it when
    /// is the program's to order: with semaphores.
    /// </summary>
    /// <param name="memory">What this importer has imported.</param>
    /// <param name="type">Of the elements; not strings.</param>
    /// <param name="offset">Where it begins, in bytes from where the import begins.</param>
    /// <param name="shape">Sizes of the dimensions; none for a scalar.</param>
    /// <exception cref="OrtArgumentException">It does not fit into the memory.</exception>
    public Value CreateTensor(
        ExternalMemory memory, TensorElementType type, nuint offset, params long[] shape)
    {
        fixed (long* dimensions = shape)
        {
            var what = new ExternalTensorDescriptor
            {
                Version = ExternalMemoryDescriptor.InterfaceVersion,
                Type = type,
                Shape = dimensions,
                Rank = (nuint)shape.Length,
                Offset = offset,
            };
            Native.OrtCreateTensorFromMemory(Handle, memory.Handle, &what, out var value);
            return new Value(value);
        }
    }

    /// <summary>Imports a semaphore.</summary>
    /// <exception cref="OrtArgumentException">It is not such a semaphore.</exception>
    public ExternalSemaphore ImportSemaphore(ExternalSemaphoreType type, nint nativeHandle)
    {
        var what = new ExternalSemaphoreDescriptor
        {
            Version = ExternalMemoryDescriptor.InterfaceVersion,
            Type = type,
            NativeHandle = nativeHandle,
        };
        Native.OrtImportSemaphore(Handle, &what, out var semaphore);
        return new ExternalSemaphore(semaphore, type);
    }

    /// <summary>The same for a handle of .NET; it stays the program's.</summary>
    public ExternalSemaphore ImportSemaphore(ExternalSemaphoreType type, SafeHandle nativeHandle)
    {
        using var hold = new Hold(nativeHandle);
        return ImportSemaphore(type, nativeHandle.DangerousGetHandle());
    }

    /// <summary>
    /// Lets what is added to a stream afterwards wait until a semaphore has a value, or a greater
    /// one.
    /// </summary>
    public void Wait(ExternalSemaphore semaphore, SyncStream stream, ulong value)
    {
        stream.Keep(semaphore.Handle);
        Native.OrtWaitSemaphore(Handle, semaphore.Handle, stream.Handle, value);
    }

    /// <summary>
    /// Lets a stream set a semaphore to a value when it has done what was added to it before.
    /// </summary>
    public void Signal(ExternalSemaphore semaphore, SyncStream stream, ulong value)
    {
        stream.Keep(semaphore.Handle);
        Native.OrtSignalSemaphore(Handle, semaphore.Handle, stream.Handle, value);
    }

    /// <summary>Gives the importer back.</summary>
    public void Dispose() => Handle.Dispose();
}

/// <summary>Imported memory. Tensors in it keep what they need of it.</summary>
public sealed class ExternalMemory : IDisposable
{
    internal ExternalMemory(ExternalMemoryHandle handle, ExternalMemoryType type, nuint bytes) =>
        (Handle, Type, Bytes) = (handle, type, bytes);

    /// <summary>What it was imported from.</summary>
    public ExternalMemoryType Type { get; }

    /// <summary>How many bytes were imported.</summary>
    public nuint Bytes { get; }

    internal ExternalMemoryHandle Handle { get; }

    /// <summary>Gives the memory back.</summary>
    public void Dispose() => Handle.Dispose();
}

/// <summary>
/// An imported semaphore. Streams that wait for it, or set it, keep it until they are disposed.
/// </summary>
public sealed class ExternalSemaphore : IDisposable
{
    internal ExternalSemaphore(ExternalSemaphoreHandle handle, ExternalSemaphoreType type) =>
        (Handle, Type) = (handle, type);

    /// <summary>What it was imported from.</summary>
    public ExternalSemaphoreType Type { get; }

    internal ExternalSemaphoreHandle Handle { get; }

    /// <summary>Gives the semaphore back.</summary>
    public void Dispose() => Handle.Dispose();
}

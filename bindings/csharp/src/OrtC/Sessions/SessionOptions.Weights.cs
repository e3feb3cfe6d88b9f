// SPDX-License-Identifier: MIT
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Gives one context binary, by the name that the EPContext node says: any text. May be called from
/// any thread. What it throws ends the load and comes out of the session's constructor.
/// </summary>
public delegate ReadOnlyMemory<byte> ContextDataReader(string fileName);

// Weights and contexts from the program's memory. It stays pinned as long as the options, their
// copies, and the sessions made with them.
public sealed unsafe partial class SessionOptions
{
    /// <summary>Gives a tensor in place of an initializer, for sessions that share it.</summary>
    /// <param name="name">Names that the model does not have are ignored.</param>
    /// <param name="value">
    /// Over memory of the program, of the initializer's type and shape. May be disposed.
    /// </param>
    /// <exception cref="OrtArgumentException">The name was given already.</exception>
    public SessionOptions AddInitializer(string name, Value value)
    {
        Native.OrtAddInitializer(Handle, name, value.Handle);
        Handle.HoldOwner(value.Handle);
        return this;
    }

    /// <summary>
    /// Gives tensors in place of initializers whose bytes the model has in other files; those files
    /// are not opened then.
    /// </summary>
    /// <exception cref="OrtArgumentException">A name was given already.</exception>
    public SessionOptions AddExternalInitializers(IReadOnlyDictionary<string, Value> initializers)
    {
        using var names = new Utf8Array(initializers.Keys.ToArray());
        using var values = new HandleArray(
            initializers.Values.Select(value => value.Handle).ToArray());
        Native.OrtAddExternalInitializers(Handle, names.Pointer, values.Pointer, names.Count);
        foreach (var value in initializers.Values)
        {
            Handle.HoldOwner(value.Handle);
        }
        return this;
    }

    /// <summary>Gives the contents of external data files; no such file is opened then.</summary>
    /// <param name="files">By their names as the model has them. Pinned, not copied.</param>
    /// <exception cref="OrtArgumentException">A name was given already.</exception>
    public SessionOptions AddExternalInitializersFromFilesInMemory(
        IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files)
    {
        using var names = new Utf8Array(files.Keys.ToArray());
        var pointers = new nint[files.Count];
        var lengths = new nuint[files.Count];
        var i = 0;
        foreach (var file in files.Values)
        {
            pointers[i] = Pin(file);
            lengths[i++] = (nuint)file.Length;
        }
        fixed (nint* first = pointers)
        {
            Native.OrtAddExternalInitializersFromFilesInMemory(
                Handle, names.Pointer, first, lengths, names.Count);
        }
        return this;
    }

    /// <summary>
    /// Gives the source of a model that was compiled without weights. Pinned, not copied.
    /// </summary>
    public SessionOptions SetWeightlessSourceModel(ReadOnlyMemory<byte> model)
    {
        Native.OrtSessionOptionsSetWeightlessSourceModelBuffer(
            Handle, Pin(model), (nuint)model.Length);
        return this;
    }

    /// <summary>
    /// Has a function give the context binaries of compiled models, in place of files: from memory,
    /// an archive, a database, or decrypted. Null: they are files.
    /// </summary>
    public SessionOptions SetContextDataReader(ContextDataReader? reader)
    {
        if (reader is null)
        {
            Native.OrtSessionOptionsSetEpContextDataReadFunc(Handle, 0, 0);
            return this;
        }
        var state = new CallbackState(reader);
        Handle.Attach(state);
        Native.OrtSessionOptionsSetEpContextDataReadFunc(
            Handle, ContextDataCallbacks.Read, state.Pointer);
        return this;
    }

    private nint Pin(ReadOnlyMemory<byte> bytes)
    {
        var pin = new Pinned(bytes);
        Handle.Attach(pin);
        return pin.Pointer;
    }
}

/// <summary>Bytes of the program that stay where they are.</summary>
internal sealed unsafe class Pinned : IDisposable
{
    private MemoryHandle _memory;

    internal Pinned(ReadOnlyMemory<byte> bytes) => _memory = bytes.Pin();

    internal nint Pointer => (nint)_memory.Pointer;

    public void Dispose() => _memory.Dispose();
}

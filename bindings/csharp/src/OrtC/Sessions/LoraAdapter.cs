// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A LoRA adapter: tensors in a file of their own that a run feeds to inputs of the model. In ONNX
/// Runtime's format, ".onnx_adapter".
/// </summary>
public sealed unsafe class LoraAdapter : IDisposable
{
    /// <summary>Reads an adapter from a file, which is mapped and stays open.</summary>
    /// <exception cref="OrtFileNotFoundException">There is no such file.</exception>
    /// <exception cref="OrtException">The file is not an adapter.</exception>
    public LoraAdapter(string path)
    {
        Native.OrtCreateLoraAdapter(path, AllocatorHandle.None, out var handle);
        Handle = handle;
    }

    private LoraAdapter(LoraAdapterHandle handle) => Handle = handle;

    internal LoraAdapterHandle Handle { get; }

    /// <summary>Reads an adapter from bytes, which are copied.</summary>
    /// <exception cref="OrtException">The bytes are not an adapter.</exception>
    public static LoraAdapter FromBytes(ReadOnlySpan<byte> bytes)
    {
        fixed (byte* first = bytes)
        {
            Native.OrtCreateLoraAdapterFromArray(
                (nint)first, (nuint)bytes.Length, AllocatorHandle.None, out var handle);
            return new LoraAdapter(handle);
        }
    }

    /// <summary>Gives the adapter back. Run options keep what they need of it.</summary>
    public void Dispose() => Handle.Dispose();
}

/// <summary>
/// Weights shared by sessions: those made with one container keep equal packed weights once.
/// </summary>
public sealed class PrepackedWeightsContainer : IDisposable
{
    /// <summary>Makes an empty container.</summary>
    public PrepackedWeightsContainer()
    {
        Native.OrtCreatePrepackedWeightsContainer(out var handle);
        Handle = handle;
    }

    internal PrepackedWeightsContainerHandle Handle { get; }

    /// <summary>Gives the container back. Sessions keep the weights they use.</summary>
    public void Dispose() => Handle.Dispose();
}

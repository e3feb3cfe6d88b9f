// SPDX-License-Identifier: MIT
namespace OrtC;

// How a program describes memory, semaphores and graphics interfaces: the structs of C.
#pragma warning disable CS0649, IDE0044 // Native code reads the fields.

internal struct ExternalMemoryDescriptor
{
    /// <summary>The interface that the structs here are of.</summary>
    internal const uint InterfaceVersion = 30;

    internal uint Version;
    internal ExternalMemoryType Type;
    internal nint NativeHandle;
    internal nuint Size;
    internal nuint Offset;
}

internal struct ExternalSemaphoreDescriptor
{
    internal uint Version;
    internal ExternalSemaphoreType Type;
    internal nint NativeHandle;
}

internal unsafe struct ExternalTensorDescriptor
{
    internal uint Version;
    internal TensorElementType Type;
    internal long* Shape;
    internal nuint Rank;
    internal nuint Offset;
}

internal struct GraphicsInteropConfig
{
    internal uint Version;
    internal GraphicsApi Api;
    internal nint CommandQueue;
    internal nint Options;
}
#pragma warning restore CS0649, IDE0044

internal sealed class ExternalResourceImporterHandle : OrtHandle
{
    protected override void Free(nint released) =>
        LowLevel.Native.OrtReleaseExternalResourceImporter(released);
}

internal sealed class ExternalMemoryHandle : OrtHandle
{
    protected override void Free(nint released) =>
        LowLevel.Native.OrtReleaseExternalMemoryHandle(released);
}

internal sealed class ExternalSemaphoreHandle : OrtHandle
{
    protected override void Free(nint released) =>
        LowLevel.Native.OrtReleaseExternalSemaphoreHandle(released);
}

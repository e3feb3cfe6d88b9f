// SPDX-License-Identifier: MIT
using OrtC.LowLevel;

namespace OrtC;

// One class for each kind of native object, with its release function. `None` is C's NULL.
// ValueHandle is in a file of its own.

internal sealed class AllocatorHandle : OrtHandle
{
    internal static readonly AllocatorHandle None = new();

    protected override void Free(nint released) => Native.OrtReleaseAllocator(released);
}

internal sealed class ArenaCfgHandle : OrtHandle
{
    internal static readonly ArenaCfgHandle None = new();

    protected override void Free(nint released) => Native.OrtReleaseArenaCfg(released);
}

internal sealed class DeviceEpIncompatibilityDetailsHandle : OrtHandle
{
    protected override void Free(nint released) =>
        Native.OrtReleaseDeviceEpIncompatibilityDetails(released);
}

internal sealed class EnvHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseEnv(released);
}

internal sealed class ExternalInitializerInfoHandle : OrtHandle
{
    protected override void Free(nint released) =>
        Native.OrtReleaseExternalInitializerInfo(released);
}

internal sealed class GraphHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseGraph(released);
}

internal sealed class InspectionHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseInspection(released);
}

internal sealed class IoBindingHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseIoBinding(released);
}

internal sealed class KeyValuePairsHandle : OrtHandle
{
    internal static readonly KeyValuePairsHandle None = new();

    protected override void Free(nint released) => Native.OrtReleaseKeyValuePairs(released);
}

internal sealed class LoraAdapterHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseLoraAdapter(released);
}

internal sealed class MapTypeInfoHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseMapTypeInfo(released);
}

internal sealed class MemoryInfoHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseMemoryInfo(released);
}

internal sealed class ModelHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseModel(released);
}

internal sealed class ModelCompilationOptionsHandle : OrtHandle
{
    protected override void Free(nint released) =>
        Native.OrtReleaseModelCompilationOptions(released);
}

internal sealed class ModelCompilerHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseModelCompiler(released);
}

internal sealed class ModelMetadataHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseModelMetadata(released);
}

internal sealed class ModelPackageHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseModelPackageContext(released);
}

internal sealed class ModelPackageComponentHandle : OrtHandle
{
    protected override void Free(nint released) =>
        Native.OrtReleaseModelPackageComponentContext(released);
}

internal sealed class ModelPackageOptionsHandle : OrtHandle
{
    internal static readonly ModelPackageOptionsHandle None = new();

    protected override void Free(nint released) => Native.OrtReleaseModelPackageOptions(released);
}

internal sealed class ModelPackageWriterHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseModelPackageWriter(released);
}

internal sealed class NodeHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseNode(released);
}

internal sealed class OpAttrHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseOpAttr(released);
}

internal sealed class PrepackedWeightsContainerHandle : OrtHandle
{
    internal static readonly PrepackedWeightsContainerHandle None = new();

    protected override void Free(nint released) =>
        Native.OrtReleasePrepackedWeightsContainer(released);
}

internal sealed class RunOptionsHandle : OrtHandle
{
    internal static readonly RunOptionsHandle None = new();

    protected override void Free(nint released) => Native.OrtReleaseRunOptions(released);
}

internal sealed class SequenceTypeInfoHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseSequenceTypeInfo(released);
}

internal sealed class SessionHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseSession(released);
}

internal sealed class SessionOptionsHandle : OrtHandle
{
    internal static readonly SessionOptionsHandle None = new();

    protected override void Free(nint released) => Native.OrtReleaseSessionOptions(released);
}

internal sealed class SharingGroupHandle : OrtHandle
{
    internal static readonly SharingGroupHandle None = new();

    protected override void Free(nint released) => Native.OrtReleaseSharingGroup(released);
}

/// <summary>Without a stream it is one as well: there is nothing to be released then.</summary>
internal sealed class SyncStreamHandle : OrtHandle
{
    public override bool IsInvalid => false;

    protected override void Free(nint released) => Native.OrtReleaseSyncStream(released);
}

internal sealed class TensorTypeAndShapeInfoHandle : OrtHandle
{
    protected override void Free(nint released) =>
        Native.OrtReleaseTensorTypeAndShapeInfo(released);
}

internal sealed class ThreadingOptionsHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseThreadingOptions(released);
}

internal sealed class TypeInfoHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseTypeInfo(released);
}

internal sealed class ValueInfoHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseValueInfo(released);
}

/// <summary>Always borrowed from the environment.</summary>
internal sealed class EpDeviceHandle : OrtHandle
{
    protected override void Free(nint released)
    {
    }
}

/// <summary>Always borrowed from the environment.</summary>
internal sealed class HardwareDeviceHandle : OrtHandle
{
    protected override void Free(nint released)
    {
    }
}

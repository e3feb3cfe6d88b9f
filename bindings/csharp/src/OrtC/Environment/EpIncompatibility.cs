// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>Why an execution provider does not serve hardware.</summary>
[Flags]
public enum IncompatibilityReasons : uint
{
    /// <summary>It does.</summary>
    None = 0,

    /// <summary>The driver is too old, or another one.</summary>
    Driver = 1,

    /// <summary>The hardware itself.</summary>
    Device = 2,

    /// <summary>Something that the provider needs is not there.</summary>
    Dependency = 4,

    /// <summary>A reason that has no bit.</summary>
    Unknown = 0x80000000,
}

/// <summary>Why an execution provider does not serve hardware.</summary>
public sealed unsafe class EpIncompatibility
{
    private EpIncompatibility(IncompatibilityReasons reasons, string notes, int errorCode) =>
        (Reasons, Notes, ErrorCode) = (reasons, notes, errorCode);

    /// <summary>At least one.</summary>
    public IncompatibilityReasons Reasons { get; }

    /// <summary>The provider's own words; empty when it has none.</summary>
    public string Notes { get; }

    /// <summary>The provider's own; 0 when it has none.</summary>
    public int ErrorCode { get; }

    /// <inheritdoc/>
    public override string ToString() => Notes.Length == 0 ? Reasons.ToString() : Notes;

    internal static EpIncompatibility? Read(DeviceEpIncompatibilityDetailsHandle details)
    {
        Native.OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask(details, out var reasons);
        if (reasons == 0)
        {
            return null;
        }
        nint notes;
        Native.OrtDeviceEpIncompatibilityDetails_GetNotes(details, &notes);
        Native.OrtDeviceEpIncompatibilityDetails_GetErrorCode(details, out var code);
        return new EpIncompatibility(
            (IncompatibilityReasons)reasons, Utf8.ReadOrNull(notes) ?? string.Empty, code);
    }
}

// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>Where the bytes of an initializer stand: a piece of a file. Does not change.</summary>
public sealed class ExternalInitializerInfo : IEquatable<ExternalInitializerInfo>
{
    /// <summary>Describes bytes in a file.</summary>
    /// <param name="filePath">Below the model's folder. Not empty.</param>
    /// <param name="fileOffset">Where the bytes begin, 0 or more.</param>
    /// <param name="byteSize">How many they are.</param>
    public ExternalInitializerInfo(string filePath, long fileOffset, nuint byteSize)
    {
        FilePath = filePath ?? throw new ArgumentNullException(nameof(filePath));
        FileOffset = fileOffset;
        ByteSize = byteSize;
    }

    /// <summary>The file, relative to the model's folder.</summary>
    public string FilePath { get; }

    /// <summary>Where in the file the bytes begin.</summary>
    public long FileOffset { get; }

    /// <summary>How many they are.</summary>
    public nuint ByteSize { get; }

    /// <inheritdoc/>
    public bool Equals(ExternalInitializerInfo? other) =>
        other is not null && (FilePath, FileOffset, ByteSize)
            == (other.FilePath, other.FileOffset, other.ByteSize);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as ExternalInitializerInfo);

    /// <inheritdoc/>
    public override int GetHashCode() => (FilePath, FileOffset, ByteSize).GetHashCode();

    /// <inheritdoc/>
    public override string ToString() => $"{FilePath} at {FileOffset}, {ByteSize} bytes";

    internal static ExternalInitializerInfo Read(ExternalInitializerInfoHandle info) => new(
        Native.OrtExternalInitializerInfo_GetFilePath(info) ?? string.Empty,
        Native.OrtExternalInitializerInfo_GetFileOffset(info),
        Native.OrtExternalInitializerInfo_GetByteSize(info));

    /// <summary>Makes the native description, which the library takes over.</summary>
    internal nint Create()
    {
        Native.OrtCreateExternalInitializerInfo(FilePath, FileOffset, ByteSize, out var info);
        var pointer = info.DangerousGetHandle();
        info.SetHandleAsInvalid();
        return pointer;
    }
}

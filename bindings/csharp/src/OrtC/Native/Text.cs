// SPDX-License-Identifier: MIT
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Memory that the library made with its own allocator, for us to read and give back.
/// </summary>
internal static unsafe class Text
{
    /// <summary>Reads a text and gives it back.</summary>
    internal static string Take(nint text) => TakeOrNull(text) ?? string.Empty;

    /// <inheritdoc cref="Take"/>
    internal static string? TakeOrNull(nint text)
    {
        try
        {
            return Utf8.ReadOrNull(text);
        }
        finally
        {
            Free(text);
        }
    }

    internal static void Free(nint block) =>
        Native.OrtAllocatorFree(Allocator.Default.Handle, block);

    /// <summary>Copies bytes and gives them back.</summary>
    internal static byte[] TakeBytes(nint block, nuint size)
    {
        try
        {
            return new System.ReadOnlySpan<byte>((void*)block, checked((int)size)).ToArray();
        }
        finally
        {
            Free(block);
        }
    }

    /// <summary>Copies an array of borrowed texts.</summary>
    internal static string[] ReadArray(nint* texts, int count)
    {
        var result = new string[count];
        for (var i = 0; i < count; i++)
        {
            result[i] = Utf8.Read(texts[i]);
        }
        return result;
    }
}

// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace OrtC;

/// <summary>Texts of the library: UTF-8 with a zero at the end, borrowed.</summary>
internal static unsafe class Utf8
{
    /// <summary>UnmanagedType.LPUTF8Str, which .NET Standard 2.0 has no name for.</summary>
    internal const UnmanagedType Marshalled = (UnmanagedType)48;

    private static readonly UTF8Encoding s_strict = new(false, throwOnInvalidBytes: true);

    /// <summary>Refuses what C would see only the beginning of.</summary>
    internal static string? Checked(string? text) => text is null || text.IndexOf('\0') < 0
        ? text
        : throw new ArgumentException("The text has a zero character in it.", nameof(text));

    internal static string? ReadOrNull(nint text) => text == 0 ? null : Read(text);

    internal static string Read(nint text)
    {
        if (text == 0)
        {
            return string.Empty;
        }
        var length = 0;
        while (((byte*)text)[length] != 0)
        {
            length++;
        }
        return Read(text, length);
    }

    internal static string Read(nint text, int length) =>
        length == 0 ? string.Empty : Encoding.UTF8.GetString((byte*)text, length);

    /// <summary>
    /// Copies a text into native memory; <see cref="Marshal.FreeHGlobal"/> ends it.
    /// </summary>
    internal static nint Allocate(string text)
    {
        if (text.IndexOf('\0') >= 0)
        {
            throw new ArgumentException("The text has a zero character in it.", nameof(text));
        }
        int bytes;
        try
        {
            bytes = s_strict.GetByteCount(text);
        }
        catch (EncoderFallbackException exception)
        {
            throw new ArgumentException("The text is not valid UTF-16.", nameof(text), exception);
        }
        var memory = Marshal.AllocHGlobal(bytes + 1);
        fixed (char* from = text)
        {
            s_strict.GetBytes(from, text.Length, (byte*)memory, bytes);
        }
        ((byte*)memory)[bytes] = 0;
        return memory;
    }
}

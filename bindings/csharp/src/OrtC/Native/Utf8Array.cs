// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace OrtC;

/// <summary>An array of texts for a call: <c>const char* const*</c>.</summary>
internal sealed unsafe class Utf8Array : IDisposable
{
    private nint* _texts;

    internal Utf8Array(IReadOnlyCollection<string> texts)
    {
        if (texts.Count == 0)
        {
            return;
        }
        _texts = (nint*)Marshal.AllocHGlobal(checked(texts.Count * sizeof(nint)));
        try
        {
            foreach (var text in texts)
            {
                _texts[Length] = Utf8.Allocate(
                    text ?? throw new ArgumentNullException(nameof(texts), "A text is null."));
                Length++;
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    internal int Length { get; private set; }

    internal nuint Count => (nuint)Length;

    /// <summary>The first pointer; null for an array without texts.</summary>
    internal nint* Pointer => _texts;

    public void Dispose()
    {
        for (var i = 0; i < Length; i++)
        {
            Marshal.FreeHGlobal(_texts[i]);
        }
        Length = 0;
        Marshal.FreeHGlobal((nint)_texts);
        _texts = null;
    }
}

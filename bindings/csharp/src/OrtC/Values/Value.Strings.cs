// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using OrtC.LowLevel;

namespace OrtC;

// The elements of tensors of strings; of sparse ones the values.
public unsafe partial class Value
{
    /// <summary>Makes a tensor of strings, which are copied.</summary>
    /// <param name="texts">In row-major order.</param>
    /// <param name="shape">Sizes of the dimensions; none: a vector of all texts.</param>
    /// <exception cref="OrtArgumentException">The shape has more or fewer elements.</exception>
    public static Value FromStrings(IReadOnlyCollection<string> texts, params long[] shape)
    {
        if (texts is null)
        {
            throw new ArgumentNullException(nameof(texts));
        }
        return FromStringsOfShape(texts, shape.Length == 0 ? [texts.Count] : shape);
    }

    /// <summary>
    /// As <see cref="FromStrings"/>, with the shape as it is: without dimensions it is a scalar's.
    /// </summary>
    /// <param name="texts">In row-major order.</param>
    /// <param name="shape">Sizes of the dimensions; none for a scalar.</param>
    /// <exception cref="OrtArgumentException">The shape has more or fewer elements.</exception>
    public static Value FromStringsOfShape(IReadOnlyCollection<string> texts, params long[] shape)
    {
        if (texts is null)
        {
            throw new ArgumentNullException(nameof(texts));
        }
        CheckCount(texts.Count, Elements.Count(shape));
        var tensor = Allocate(TensorElementType.String, shape);
        try
        {
            tensor.SetStrings(texts);
            return tensor;
        }
        catch
        {
            tensor.Dispose();
            throw;
        }
    }

    /// <summary>All strings, in row-major order.</summary>
    /// <exception cref="OrtArgumentException">The elements are not strings.</exception>
    public string[] GetStrings()
    {
        Native.OrtGetStringTensorDataLength(Handle, out var bytes);
        var count = StringCount();
        var texts = new byte[Math.Max(checked((int)bytes), 1)];
        var offsets = new nuint[count];
        fixed (byte* first = texts)
        {
            Native.OrtGetStringTensorContent(Handle, (nint)first, bytes, offsets, (nuint)count);
        }
        var result = new string[count];
        for (var i = 0; i < count; i++)
        {
            var begin = (int)offsets[i];
            var end = i + 1 < count ? (int)offsets[i + 1] : (int)bytes;
            result[i] = Encoding.UTF8.GetString(texts, begin, end - begin);
        }
        return result;
    }

    /// <summary>One string.</summary>
    /// <param name="index">In row-major order.</param>
    public string GetString(long index)
    {
        var at = checked((nuint)index);
        Native.OrtGetStringTensorElementLength(Handle, at, out var length);
        var bytes = new byte[Math.Max(checked((int)length), 1)];
        fixed (byte* first = bytes)
        {
            Native.OrtGetStringTensorElement(Handle, length, at, (nint)first);
        }
        return Encoding.UTF8.GetString(bytes, 0, (int)length);
    }

    /// <summary>Sets all strings.</summary>
    /// <exception cref="OrtArgumentException">There are more or fewer elements.</exception>
    public void SetStrings(IReadOnlyCollection<string> texts)
    {
        if (texts.Any(text => text?.IndexOf('\0') >= 0))
        {
            CheckCount(texts.Count, ElementCount);
            var index = 0;
            foreach (var text in texts)
            {
                SetString(index++, text);
            }
            return;
        }
        using var array = new Utf8Array(texts);
        Native.OrtFillStringTensor(Handle, array.Pointer, array.Count);
    }

    /// <summary>Sets one string.</summary>
    /// <param name="index">In row-major order.</param>
    /// <param name="text">Copied. May have zero characters in it.</param>
    public void SetString(long index, string text)
    {
        if (text is null)
        {
            throw new ArgumentNullException(nameof(text));
        }
        if (text.IndexOf('\0') >= 0)
        {
            SetUtf8(index, Encoding.UTF8.GetBytes(text));
            return;
        }
        Native.OrtFillStringTensorElement(Handle, text, checked((nuint)index));
    }

    /// <summary>Sets one string to bytes, which should be UTF-8.</summary>
    public void SetUtf8(long index, ReadOnlySpan<byte> text)
    {
        nint buffer;
        Native.OrtGetResizedStringTensorElementBuffer(
            Handle, checked((nuint)index), (nuint)text.Length, &buffer);
        text.CopyTo(new Span<byte>((void*)buffer, text.Length));
    }

    private int StringCount()
    {
        if (Kind != OnnxType.SparseTensor)
        {
            return checked((int)ElementCount);
        }
        Native.OrtGetSparseTensorValuesTypeAndShape(Handle, out var info);
        using (info)
        {
            return checked((int)(TensorInfo.Read(info).ElementCount ?? 0));
        }
    }

    private static void CheckCount(int count, long elements)
    {
        if (count != elements)
        {
            throw new OrtArgumentException($"{count} texts for {elements} elements.");
        }
    }
}

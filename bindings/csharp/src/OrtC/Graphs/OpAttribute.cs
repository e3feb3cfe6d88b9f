// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Text;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>An attribute of a node: read from a graph, or made for a node.</summary>
public sealed unsafe class OpAttribute : IDisposable
{
    /// <summary>Makes an attribute of an integer.</summary>
    public OpAttribute(string name, long value)
        : this(name, OpAttrType.Int, &value, 1)
    {
    }

    /// <summary>Makes an attribute of a number.</summary>
    public OpAttribute(string name, float value)
        : this(name, OpAttrType.Float, &value, 1)
    {
    }

    /// <summary>Makes an attribute of a text.</summary>
    public OpAttribute(string name, string value)
    {
        var bytes = Encoding.UTF8.GetBytes(value);
        fixed (byte* first = bytes)
        {
            Handle = Create(name, OpAttrType.String, first, bytes.Length);
        }
    }

    /// <summary>Makes an attribute of integers.</summary>
    public OpAttribute(string name, long[] values)
    {
        fixed (long* first = values)
        {
            Handle = Create(name, OpAttrType.Ints, first, values.Length);
        }
    }

    /// <summary>Makes an attribute of numbers.</summary>
    public OpAttribute(string name, float[] values)
    {
        fixed (float* first = values)
        {
            Handle = Create(name, OpAttrType.Floats, first, values.Length);
        }
    }

    /// <summary>Makes an attribute of texts.</summary>
    public OpAttribute(string name, string[] values)
    {
        using var texts = new Utf8Array(values);
        Handle = Create(name, OpAttrType.Strings, texts.Pointer, values.Length);
    }

    internal OpAttribute(OpAttrHandle handle) => Handle = handle;

    private OpAttribute(string name, OpAttrType type, void* data, int length) =>
        Handle = Create(name, type, data, length);

    /// <summary>The name.</summary>
    public string Name
    {
        get
        {
            using var hold = new Hold(Handle);
            nint text;
            Native.OrtOpAttr_GetName(Handle, &text);
            return Utf8.Read(text);
        }
    }

    /// <summary>
    /// What it holds. <see cref="OpAttrType.Graph"/>: see <see cref="Node.GetSubgraphs"/>.
    /// </summary>
    public OpAttrType Type
    {
        get
        {
            Native.OrtOpAttr_GetType(Handle, out var type);
            return type;
        }
    }

    internal OpAttrHandle Handle { get; }

    /// <summary>An integer.</summary>
    /// <exception cref="OrtArgumentException">The attribute holds something else.</exception>
    public long GetInt() => Read<long>(OpAttrType.Int)[0];

    /// <summary>A number.</summary>
    /// <exception cref="OrtArgumentException">The attribute holds something else.</exception>
    public float GetFloat() => Read<float>(OpAttrType.Float)[0];

    /// <summary>A text.</summary>
    /// <exception cref="OrtArgumentException">The attribute holds something else.</exception>
    public string GetString() => Encoding.UTF8.GetString(Read<byte>(OpAttrType.String));

    /// <summary>Integers.</summary>
    /// <exception cref="OrtArgumentException">The attribute holds something else.</exception>
    public long[] GetInts() => Read<long>(OpAttrType.Ints);

    /// <summary>Numbers.</summary>
    /// <exception cref="OrtArgumentException">The attribute holds something else.</exception>
    public float[] GetFloats() => Read<float>(OpAttrType.Floats);

    /// <summary>Texts.</summary>
    /// <exception cref="OrtArgumentException">The attribute holds something else.</exception>
    public string[] GetStrings()
    {
        var bytes = Read<byte>(OpAttrType.Strings);
        var texts = new List<string>();
        for (var begin = 0; begin < bytes.Length;)
        {
            var end = Array.IndexOf(bytes, (byte)0, begin);
            texts.Add(Encoding.UTF8.GetString(bytes, begin, end - begin));
            begin = end + 1;
        }
        return texts.ToArray();
    }

    /// <summary>A tensor: a new value with a copy of its bytes.</summary>
    /// <exception cref="OrtArgumentException">The attribute holds something else.</exception>
    public Value GetTensor()
    {
        Native.OrtOpAttr_GetTensorAttributeAsOrtValue(Handle, out var value);
        return new Value(value);
    }

    /// <inheritdoc/>
    public override string ToString() => $"{Name}: {Type}";

    /// <summary>Gives back an attribute that was made; one of a node stays there.</summary>
    public void Dispose() => Handle.Dispose();

    private static OpAttrHandle Create(string name, OpAttrType type, void* data, int length)
    {
        Native.OrtCreateOpAttr(name, (nint)data, length, type, out var handle);
        return handle;
    }

    private T[] Read<T>(OpAttrType type)
        where T : unmanaged
    {
        nuint needed = 0;
        try
        {
            Native.OrtReadOpAttr(Handle, type, 0, 0, out needed);
        }
        catch (OrtArgumentException) when (needed != 0)
        {
            // There was no room yet: now we know how much it takes.
        }
        var data = new T[checked((int)needed) / sizeof(T)];
        if (data.Length > 0)
        {
            fixed (T* first = data)
            {
                Native.OrtReadOpAttr(Handle, type, (nint)first, needed, out _);
            }
        }
        return data;
    }
}

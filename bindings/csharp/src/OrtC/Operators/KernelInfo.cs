// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A node as its kernel sees it: a copy, which may be kept. Any number of threads may read it.
/// </summary>
public sealed unsafe class KernelInfo : IDisposable
{
    internal KernelInfo(KernelInfoHandle handle) => Handle = handle;

    private delegate void TextReader(nint text, nuint* size);

    private delegate void ListReader<T>(T* list, nuint* size)
        where T : unmanaged;

    /// <summary>The name of the node, which may be empty.</summary>
    public string NodeName =>
        ReadText((text, size) => Native.OrtKernelInfo_GetNodeName(Handle, text, size));

    /// <summary>The operator type.</summary>
    public string OperatorType =>
        ReadText((text, size) => Native.OrtKernelInfo_GetOperatorType(Handle, text, size));

    /// <summary>The domain of the operator.</summary>
    public string Domain =>
        ReadText((text, size) => Native.OrtKernelInfo_GetOperatorDomain(Handle, text, size));

    /// <summary>The opset version from which the operator is as it is.</summary>
    public int SinceVersion
    {
        get
        {
            Native.OrtKernelInfo_GetOperatorSinceVersion(Handle, out var version);
            return version;
        }
    }

    /// <summary>The names of the inputs; one that is left out has an empty name.</summary>
    public string[] InputNames
    {
        get
        {
            Native.OrtKernelInfo_GetInputCount(Handle, out var count);
            return Enumerable.Range(0, (int)count).Select(i => ReadText((text, size) =>
                Native.OrtKernelInfo_GetInputName(Handle, (nuint)i, text, size))).ToArray();
        }
    }

    /// <summary>The names of the outputs; one that is left out has an empty name.</summary>
    public string[] OutputNames
    {
        get
        {
            Native.OrtKernelInfo_GetOutputCount(Handle, out var count);
            return Enumerable.Range(0, (int)count).Select(i => ReadText((text, size) =>
                Native.OrtKernelInfo_GetOutputName(Handle, (nuint)i, text, size))).ToArray();
        }
    }

    /// <summary>The log of the session. Valid until this is disposed.</summary>
    public NativeLogger Logger
    {
        get
        {
            nint logger;
            Native.OrtKernelInfo_GetLogger(Handle, &logger);
            return new NativeLogger(logger);
        }
    }

    /// <summary>The config entries of the session.</summary>
    public IReadOnlyDictionary<string, string> ConfigEntries
    {
        get
        {
            Native.OrtKernelInfo_GetConfigEntries(Handle, out var entries);
            using var list = new KeyValuePairs(entries);
            return list.ToDictionary(pair => pair.Key, pair => pair.Value);
        }
    }

    internal KernelInfoHandle Handle { get; }

    /// <summary>The type of an input, as far as the model says.</summary>
    /// <exception cref="OrtException">It is left out, or of no known type.</exception>
    public TypeInfo GetInputType(int index)
    {
        Native.OrtKernelInfo_GetInputTypeInfo(Handle, checked((nuint)index), out var type);
        using (type)
        {
            return TypeInfo.Read(type);
        }
    }

    /// <summary>The type of an output, as far as the model says.</summary>
    /// <exception cref="OrtException">It is left out, or of no known type.</exception>
    public TypeInfo GetOutputType(int index)
    {
        Native.OrtKernelInfo_GetOutputTypeInfo(Handle, checked((nuint)index), out var type);
        using (type)
        {
            return TypeInfo.Read(type);
        }
    }

    /// <summary>
    /// An input that is the same at every run; null when it is not. Do not write it.
    /// </summary>
    public Value? GetConstantInput(int index)
    {
        nint value;
        Native.OrtKernelInfoGetConstantInput_tensor(
            Handle, checked((nuint)index), out _, &value);
        return value == 0 ? null : new Value(OrtHandle.Borrow<ValueHandle>(value, Handle));
    }

    /// <summary>
    /// Whether the node has an attribute of that name, of a kind that kernels can read.
    /// </summary>
    public bool HasAttribute(string name)
    {
        Action[] reads =
        [
            () => GetInt(name), () => GetFloat(name), () => GetString(name), () => GetInts(name),
            () => GetFloats(name), () => GetStrings(name), () => GetTensor(name).Dispose(),
        ];
        return reads.Any(IsThere);
    }

    /// <summary>An integer.</summary>
    /// <exception cref="OrtException">The node has none of that name and kind.</exception>
    public long GetInt(string name)
    {
        long value;
        Native.OrtKernelInfoGetAttribute_int64(Handle, name, &value);
        return value;
    }

    /// <summary>A number.</summary>
    /// <exception cref="OrtException">The node has none of that name and kind.</exception>
    public float GetFloat(string name)
    {
        float value;
        Native.OrtKernelInfoGetAttribute_float(Handle, name, &value);
        return value;
    }

    /// <summary>A text.</summary>
    /// <exception cref="OrtException">The node has none of that name and kind.</exception>
    public string GetString(string name) => ReadText((text, size) =>
        Native.OrtKernelInfoGetAttribute_string(Handle, name, text, size));

    /// <summary>Integers.</summary>
    /// <exception cref="OrtException">The node has none of that name and kind.</exception>
    public long[] GetInts(string name) => ReadList<long>((list, size) =>
        Native.OrtKernelInfoGetAttributeArray_int64(Handle, name, list, size));

    /// <summary>Numbers.</summary>
    /// <exception cref="OrtException">The node has none of that name and kind.</exception>
    public float[] GetFloats(string name) => ReadList<float>((list, size) =>
        Native.OrtKernelInfoGetAttributeArray_float(Handle, name, list, size));

    /// <summary>Texts.</summary>
    /// <exception cref="OrtException">The node has none of that name and kind.</exception>
    public string[] GetStrings(string name)
    {
        nint list;
        nuint count;
        Native.OrtKernelInfoGetAttributeArray_string(
            Handle, name, Allocator.Default.Handle, &list, &count);
        if (list == 0)
        {
            return [];
        }
        var texts = new string[checked((int)count)];
        for (var i = 0; i < texts.Length; i++)
        {
            texts[i] = Text.Take(((nint*)list)[i]);
        }
        Text.Free(list);
        return texts;
    }

    /// <summary>A tensor.</summary>
    /// <exception cref="OrtException">The node has none of that name and kind.</exception>
    public Value GetTensor(string name)
    {
        Native.OrtKernelInfoGetAttribute_tensor(
            Handle, name, Allocator.Default.Handle, out var value);
        return new Value(value);
    }

    /// <summary>Makes an allocator of the memory that the kernel works in.</summary>
    public Allocator GetAllocator(MemoryUse use = MemoryUse.Default)
    {
        Native.OrtKernelInfoGetAllocator(Handle, use, out var allocator);
        return new Allocator(allocator);
    }

    /// <summary>Gives the copy back.</summary>
    public void Dispose() => Handle.Dispose();

    private static bool IsThere(Action read)
    {
        try
        {
            read();
            return true;
        }
        catch (OrtException exception) when (exception.Code == ErrorCode.Fail)
        {
            return false;
        }
    }

    private static string ReadText(TextReader read)
    {
        nuint size = 0;
        read(0, &size);
        var bytes = new byte[checked((int)size)];
        fixed (byte* first = bytes)
        {
            read((nint)first, &size);
        }
        return Encoding.UTF8.GetString(bytes, 0, bytes.Length - 1);
    }

    private static T[] ReadList<T>(ListReader<T> read)
        where T : unmanaged
    {
        nuint size = 0;
        read(null, &size);
        var list = new T[checked((int)size)];
        fixed (T* first = list)
        {
            read(first, &size);
        }
        return list;
    }
}

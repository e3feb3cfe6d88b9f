// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

// Sequences, maps, and values that hold nothing. They do not change once they are made.
public unsafe partial class Value
{
    /// <summary>Makes a sequence of tensors of one element type, or of maps of one type.</summary>
    /// <param name="elements">Copied; at least one.</param>
    public static Value Sequence(IReadOnlyCollection<Value> elements) =>
        Create(elements, OnnxType.Sequence);

    /// <summary>Makes a map of two tensors of one dimension and equal length.</summary>
    /// <param name="keys">Copied: int64 or string. Of equal keys the first counts.</param>
    /// <param name="values">Copied: int64, float, double or string.</param>
    public static Value Map(Value keys, Value values) => Create([keys, values], OnnxType.Map);

    /// <summary>Makes a map.</summary>
    /// <typeparam name="TKey">long or string.</typeparam>
    /// <typeparam name="TValue">long, float, double or string.</typeparam>
    public static Value Map<TKey, TValue>(IReadOnlyDictionary<TKey, TValue> entries)
        where TKey : notnull
    {
        using var keys = Vector(entries.Keys.ToArray());
        using var values = Vector(entries.Values.ToArray());
        return Map(keys, values);
    }

    /// <summary>
    /// Makes a value that holds nothing: a sequence without elements, or an optional without
    /// content. The type is usually that of a session's input.
    /// </summary>
    /// <exception cref="OrtArgumentException">Values of the type always hold something.</exception>
    public static Value Empty(TypeInfo type)
    {
        using var native = type.Create();
        Native.OrtCreateEmptyValue(native, out var handle);
        return new Value(handle);
    }

    /// <summary>Would make a value of a type that only the program knows.</summary>
    /// <exception cref="OrtNotSupportedException">
    /// Always: there are no operators for such.
    /// </exception>
    public static Value Opaque(string domain, string type, ReadOnlySpan<byte> data)
    {
        fixed (byte* first = data)
        {
            Native.OrtCreateOpaqueValue(
                domain, type, (nint)first, (nuint)data.Length, out var handle);
            return new Value(handle);
        }
    }

    /// <summary>Would copy the content of a value of a type that only the program knows.</summary>
    /// <exception cref="OrtNotSupportedException">Always.</exception>
    public void GetOpaque(string domain, string type, Span<byte> data)
    {
        fixed (byte* first = data)
        {
            Native.OrtGetOpaqueValue(domain, type, Handle, (nint)first, (nuint)data.Length);
        }
    }

    /// <summary>The elements of a sequence, each a new value: dispose them.</summary>
    /// <exception cref="OrtException">It is neither a sequence nor a map.</exception>
    public Value[] GetElements()
    {
        Native.OrtGetValueCount(Handle, out var count);
        var elements = new Value[checked((int)count)];
        try
        {
            for (var i = 0; i < elements.Length; i++)
            {
                elements[i] = GetPart(i);
            }
            return elements;
        }
        catch
        {
            foreach (var element in elements)
            {
                element?.Dispose();
            }
            throw;
        }
    }

    /// <summary>The keys of a map, ascending, and their values: two new tensors.</summary>
    /// <exception cref="OrtException">It is not a map.</exception>
    public (Value Keys, Value Values) GetKeysAndValues()
    {
        if (Kind != OnnxType.Map)
        {
            throw new OrtException(ErrorCode.Fail, $"The value is a {Kind}, not a map.");
        }
        var keys = GetPart(0);
        try
        {
            return (keys, GetPart(1));
        }
        catch
        {
            keys.Dispose();
            throw;
        }
    }

    /// <summary>A copy of a map.</summary>
    /// <inheritdoc cref="Map{TKey, TValue}"/>
    public Dictionary<TKey, TValue> ToDictionary<TKey, TValue>()
        where TKey : notnull
    {
        var (keys, values) = GetKeysAndValues();
        using (keys)
        using (values)
        {
            var (allKeys, allValues) = (keys.ToAnyArray<TKey>(), values.ToAnyArray<TValue>());
            var result = new Dictionary<TKey, TValue>(allKeys.Length);
            for (var i = 0; i < allKeys.Length; i++)
            {
                result.Add(allKeys[i], allValues[i]);
            }
            return result;
        }
    }

    private static Value Create(IReadOnlyCollection<Value> parts, OnnxType kind)
    {
        using var handles = new HandleArray(parts.Select(part => part.Handle).ToArray());
        Native.OrtCreateValue(handles.Pointer, handles.Count, kind, out var handle);
        return new Value(handle);
    }

    private Value GetPart(int index)
    {
        Native.OrtGetValue(Handle, index, Allocator.Default.Handle, out var part);
        return new Value(part);
    }

    private static Value Vector<T>(T[] elements) => elements switch
    {
        string[] texts => FromStrings(texts, texts.Length),
        long[] numbers => new Tensor<long>(numbers, numbers.Length),
        float[] numbers => new Tensor<float>(numbers, numbers.Length),
        double[] numbers => new Tensor<double>(numbers, numbers.Length),
        _ => throw new NotSupportedException($"Maps do not have parts of {typeof(T)}."),
    };

    private T[] ToAnyArray<T>() => (T[])(object)(typeof(T) switch
    {
        var type when type == typeof(string) => GetStrings(),
        var type when type == typeof(long) => ToArray<long>(),
        var type when type == typeof(float) => ToArray<float>(),
        var type when type == typeof(double) => ToArray<double>(),
        _ => throw new NotSupportedException($"Maps do not have parts of {typeof(T)}."),
    });
}

// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Text.Json;
using OrtC;

namespace Service;

/// <summary>
/// Elements of tensors as the protocol writes them: a name of the type, and JSON.
/// </summary>
internal static class Elements
{
    private static readonly Dictionary<string, TensorElementType> s_types = new()
    {
        ["BOOL"] = TensorElementType.Bool,
        ["INT8"] = TensorElementType.Int8,
        ["INT16"] = TensorElementType.Int16,
        ["INT32"] = TensorElementType.Int32,
        ["INT64"] = TensorElementType.Int64,
        ["UINT8"] = TensorElementType.UInt8,
        ["UINT16"] = TensorElementType.UInt16,
        ["UINT32"] = TensorElementType.UInt32,
        ["UINT64"] = TensorElementType.UInt64,
        ["FP16"] = TensorElementType.Float16,
        ["FP32"] = TensorElementType.Float,
        ["FP64"] = TensorElementType.Double,
        ["BYTES"] = TensorElementType.String,
    };

    private static readonly Dictionary<TensorElementType, string> s_names =
        s_types.ToDictionary(pair => pair.Value, pair => pair.Key);

    internal static string NameOf(TensorElementType type) =>
        s_names.GetValueOrDefault(type, "UNKNOWN");

    internal static bool CanWrite(Value value) =>
        value.Kind == OnnxType.Tensor && s_names.ContainsKey(value.ElementType);

    /// <summary>Makes a tensor of flat or nested JSON.</summary>
    internal static Value Read(string datatype, long[] shape, JsonElement data) => datatype switch
    {
        "BOOL" => Numbers(shape, data, element => element.GetBoolean()),
        "INT8" => Numbers(shape, data, element => element.GetSByte()),
        "INT16" => Numbers(shape, data, element => element.GetInt16()),
        "INT32" => Numbers(shape, data, element => element.GetInt32()),
        "INT64" => Numbers(shape, data, element => element.GetInt64()),
        "UINT8" => Numbers(shape, data, element => element.GetByte()),
        "UINT16" => Numbers(shape, data, element => element.GetUInt16()),
        "UINT32" => Numbers(shape, data, element => element.GetUInt32()),
        "UINT64" => Numbers(shape, data, element => element.GetUInt64()),
        "FP16" => Numbers(shape, data, element => Finite((Half)element.GetSingle())),
        "FP32" => Numbers(shape, data, element => Finite(element.GetSingle())),
        "FP64" => Numbers(shape, data, element => Finite(element.GetDouble())),
        "BYTES" => Texts(shape, data),
        _ => throw new ArgumentException($"there is no datatype \"{datatype}\""),
    };

    internal static void Write(Utf8JsonWriter json, Value value)
    {
        switch (value.ElementType)
        {
            case TensorElementType.Bool:
                foreach (var element in value.AsReadOnlySpan<bool>())
                {
                    json.WriteBooleanValue(element);
                }
                break;
            case TensorElementType.String:
                foreach (var text in value.GetStrings())
                {
                    json.WriteStringValue(text);
                }
                break;
            case TensorElementType.UInt64:
                foreach (var element in value.AsReadOnlySpan<ulong>())
                {
                    json.WriteNumberValue(element);
                }
                break;
            case TensorElementType.Float:
                Floats(json, value.AsReadOnlySpan<float>());
                break;
            case TensorElementType.Double:
                Doubles(json, value.ToArray<double>());
                break;
            case TensorElementType.Float16:
                Floats(json, Array.ConvertAll(value.ToArray<Half>(), element => (float)element));
                break;
            default:
                foreach (var element in Integers(value))
                {
                    json.WriteNumberValue(element);
                }
                break;
        }
    }

    private static Tensor<T> Numbers<T>(long[] shape, JsonElement data, Func<JsonElement, T> read)
        where T : unmanaged
    {
        var elements = new List<T>();
        Flatten(data, element => elements.Add(read(element)));
        return new Tensor<T>(elements.ToArray(), shape);
    }

    private static Value Texts(long[] shape, JsonElement data)
    {
        var texts = new List<string>();
        Flatten(data, element => texts.Add(element.GetString()
            ?? throw new ArgumentException("an element is null")));
        return Value.FromStringsOfShape(texts, shape);
    }

    private static T Finite<T>(T number)
        where T : IFloatingPointIeee754<T> =>
        T.IsFinite(number) ? number : throw new FormatException("a number is too large");

    private static void Flatten(JsonElement data, Action<JsonElement> add)
    {
        foreach (var element in data.EnumerateArray())
        {
            if (element.ValueKind == JsonValueKind.Array)
            {
                Flatten(element, add);
            }
            else
            {
                add(element);
            }
        }
    }

    // JSON has neither infinities nor NaN.
    private static void Floats(Utf8JsonWriter json, ReadOnlySpan<float> numbers)
    {
        foreach (var number in numbers)
        {
            if (float.IsFinite(number))
            {
                json.WriteNumberValue(number);
            }
            else
            {
                json.WriteNullValue();
            }
        }
    }

    private static void Doubles(Utf8JsonWriter json, double[] numbers)
    {
        foreach (var number in numbers)
        {
            if (double.IsFinite(number))
            {
                json.WriteNumberValue(number);
            }
            else
            {
                json.WriteNullValue();
            }
        }
    }

    private static long[] Integers(Value value) => value.ElementType switch
    {
        TensorElementType.Int8 => Widen(value.ToArray<sbyte>(), element => element),
        TensorElementType.Int16 => Widen(value.ToArray<short>(), element => element),
        TensorElementType.Int32 => Widen(value.ToArray<int>(), element => element),
        TensorElementType.Int64 => value.ToArray<long>(),
        TensorElementType.UInt8 => Widen(value.ToArray<byte>(), element => element),
        TensorElementType.UInt16 => Widen(value.ToArray<ushort>(), element => element),
        TensorElementType.UInt32 => Widen(value.ToArray<uint>(), element => element),
        var type => throw new NotSupportedException($"{type} has no place in the protocol"),
    };

    private static long[] Widen<T>(T[] elements, Converter<T, long> convert) =>
        Array.ConvertAll(elements, convert);
}

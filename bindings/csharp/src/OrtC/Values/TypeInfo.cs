// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>The type of a value: its kind, and what is inside. Does not change.</summary>
public sealed unsafe class TypeInfo
{
    private TypeInfo(OnnxType kind) => Kind = kind;

    /// <summary>The kind of value.</summary>
    public OnnxType Kind { get; }

    /// <summary>Element type and shape of a tensor, dense or sparse; else null.</summary>
    public TensorInfo? Tensor { get; private set; }

    /// <summary>
    /// What a sequence or an optional contains, and the values of a map; else null.
    /// </summary>
    public TypeInfo? Element { get; private set; }

    /// <summary>The keys of a map; else Undefined.</summary>
    public TensorElementType KeyType { get; private set; }

    /// <summary>What the model says the value means, as "IMAGE"; may be empty.</summary>
    public string Denotation { get; private set; } = string.Empty;

    /// <summary>The type of a tensor.</summary>
    public static TypeInfo OfTensor(TensorInfo tensor) => new(OnnxType.Tensor) { Tensor = tensor };

    /// <inheritdoc cref="OfTensor(TensorInfo)"/>
    public static TypeInfo OfTensor(TensorElementType type, params long[] shape) =>
        OfTensor(new TensorInfo(type, shape));

    /// <summary>The type of a sparse tensor.</summary>
    public static TypeInfo OfSparseTensor(TensorInfo tensor) =>
        new(OnnxType.SparseTensor) { Tensor = tensor };

    /// <summary>The type of a sequence.</summary>
    public static TypeInfo OfSequence(TypeInfo element) =>
        new(OnnxType.Sequence) { Element = element };

    /// <summary>The type of a map.</summary>
    /// <param name="key">An integer type or String.</param>
    /// <param name="value">Of the values.</param>
    public static TypeInfo OfMap(TensorElementType key, TypeInfo value) =>
        new(OnnxType.Map) { KeyType = key, Element = value };

    /// <summary>The type of a value that may be absent.</summary>
    public static TypeInfo OfOptional(TypeInfo content) =>
        new(OnnxType.Optional) { Element = content };

    /// <inheritdoc/>
    public override string ToString() => Kind switch
    {
        OnnxType.Tensor => $"{Tensor}",
        OnnxType.SparseTensor => $"sparse {Tensor}",
        OnnxType.Map => $"map of {KeyType} to {Element}",
        OnnxType.Unknown or OnnxType.Opaque => Kind.ToString(),
        _ => $"{Kind.ToString().ToLowerInvariant()} of {Element}",
    };

    internal static TypeInfo Read(TypeInfoHandle type)
    {
        Native.OrtGetOnnxTypeFromTypeInfo(type, out var kind);
        nint denotation;
        Native.OrtGetDenotationFromTypeInfo(type, &denotation, out var length);
        var result = new TypeInfo(kind)
        {
            Denotation = Utf8.Read(denotation, checked((int)length)),
        };
        switch (kind)
        {
            case OnnxType.Tensor:
            case OnnxType.SparseTensor:
                result.Tensor = ReadTensor(type);
                break;
            case OnnxType.Sequence:
                result.Element = ReadSequence(type);
                break;
            case OnnxType.Map:
                result.ReadMap(type);
                break;
            case OnnxType.Optional:
                result.Element = ReadOptional(type);
                break;
        }
        return result;
    }

    /// <summary>The type as the library has it.</summary>
    internal TypeInfo RoundTrip()
    {
        using var native = Create();
        return Read(native);
    }

    internal TypeInfoHandle Create()
    {
        TypeInfoHandle type;
        if (Kind is OnnxType.Tensor or OnnxType.SparseTensor)
        {
            using var tensor = Tensor!.Create();
            if (Kind == OnnxType.Tensor)
            {
                Native.OrtCreateTensorTypeInfo(tensor, out type);
            }
            else
            {
                Native.OrtCreateSparseTensorTypeInfo(tensor, out type);
            }
            return type;
        }
        using var element = Element?.Create()
            ?? throw new OrtNotSupportedException($"Types of {Kind} cannot be made.");
        switch (Kind)
        {
            case OnnxType.Sequence:
                Native.OrtCreateSequenceTypeInfo(element, out type);
                break;
            case OnnxType.Map:
                Native.OrtCreateMapTypeInfo(KeyType, element, out type);
                break;
            default:
                Native.OrtCreateOptionalTypeInfo(element, out type);
                break;
        }
        return type;
    }

    private static TensorInfo? ReadTensor(TypeInfoHandle type)
    {
        nint tensor;
        Native.OrtCastTypeInfoToTensorInfo(type, &tensor);
        if (tensor == 0)
        {
            return null;
        }
        using var info = OrtHandle.Borrow<TensorTypeAndShapeInfoHandle>(tensor, type);
        return TensorInfo.Read(info);
    }

    private static TypeInfo ReadSequence(TypeInfoHandle type)
    {
        nint sequence;
        Native.OrtCastTypeInfoToSequenceTypeInfo(type, &sequence);
        using var info = OrtHandle.Own<SequenceTypeInfoHandle>(sequence);
        Native.OrtGetSequenceElementType(info, out var element);
        using (element)
        {
            return Read(element);
        }
    }

    private void ReadMap(TypeInfoHandle type)
    {
        nint map;
        Native.OrtCastTypeInfoToMapTypeInfo(type, &map);
        using var info = OrtHandle.Own<MapTypeInfoHandle>(map);
        Native.OrtGetMapKeyType(info, out var key);
        Native.OrtGetMapValueType(info, out var value);
        using (value)
        {
            KeyType = key;
            Element = Read(value);
        }
    }

    private static TypeInfo ReadOptional(TypeInfoHandle type)
    {
        nint optional;
        Native.OrtCastTypeInfoToOptionalTypeInfo(type, &optional);
        Native.OrtGetOptionalContainedTypeInfo(optional, out var content);
        GC.KeepAlive(type);
        using (content)
        {
            return Read(content);
        }
    }
}

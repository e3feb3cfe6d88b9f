// SPDX-License-Identifier: MIT
using System;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>Element type and shape of a tensor. Does not change.</summary>
public sealed unsafe class TensorInfo
{
    private readonly long[]? _shape;
    private readonly string[] _names;

    /// <summary>Describes a tensor.</summary>
    /// <param name="elementType">Of the elements.</param>
    /// <param name="shape">
    /// Sizes of the dimensions, -1 for free ones; null: the rank is unknown.
    /// </param>
    /// <param name="dimensionNames">
    /// Of free dimensions, "" for those without a name; null: none has one.
    /// </param>
    public TensorInfo(
        TensorElementType elementType, long[]? shape, string[]? dimensionNames = null)
    {
        ElementType = elementType;
        _shape = (long[]?)shape?.Clone();
        _names = (string[]?)dimensionNames?.Clone() ?? Enumerable.Repeat("", Rank).ToArray();
        if (_names.Length != Rank)
        {
            throw new ArgumentException("There must be a name for each dimension.",
                nameof(dimensionNames));
        }
        ElementCount = _shape is null || _shape.Any(size => size < 0)
            ? null
            : Elements.Count(_shape);
    }

    /// <summary>The element type.</summary>
    public TensorElementType ElementType { get; }

    /// <summary>Whether the shape is known at all. A scalar has one, without dimensions.</summary>
    public bool HasShape => _shape is not null;

    /// <summary>Sizes of the dimensions, -1 for free ones. Empty without a shape.</summary>
    public ReadOnlySpan<long> Shape => _shape;

    /// <summary>Names of the dimensions, "" for those without one.</summary>
    public ReadOnlySpan<string> DimensionNames => _names;

    /// <summary>How many elements the shape has; null when a dimension is free.</summary>
    public long? ElementCount { get; private set; }

    private int Rank => _shape?.Length ?? 0;

    /// <inheritdoc/>
    public override string ToString() => _shape is null
        ? ElementType.ToString()
        : ElementType + "[" + string.Join(",", _shape.Select(Describe)) + "]";

    internal static TensorInfo Read(TensorTypeAndShapeInfoHandle info)
    {
        Native.OrtGetTensorElementType(info, out var type);
        if (!Native.OrtTensorTypeAndShape_HasShape(info))
        {
            return new TensorInfo(type, null);
        }
        Native.OrtGetDimensionsCount(info, out var rank);
        var shape = new long[checked((int)rank)];
        var names = new nint[shape.Length];
        Native.OrtGetDimensions(info, shape, rank);
        fixed (nint* first = names)
        {
            Native.OrtGetSymbolicDimensions(info, first, rank);
        }
        Native.OrtGetTensorShapeElementCount(info, out var count);
        return new TensorInfo(type, shape, Array.ConvertAll(names, Utf8.Read))
        {
            ElementCount = count == ~(nuint)0 ? null : checked((long)count),
        };
    }

    internal TensorTypeAndShapeInfoHandle Create()
    {
        Native.OrtCreateTensorTypeAndShapeInfo(out var info);
        try
        {
            if (ElementType != TensorElementType.Undefined)
            {
                Native.OrtSetTensorElementType(info, ElementType);
            }
            if (_shape is not null)
            {
                using var names = new Utf8Array(_names);
                Native.OrtSetDimensions(info, _shape, (nuint)Rank);
                Native.OrtSetSymbolicDimensions(info, names.Pointer, names.Count);
            }
            return info;
        }
        catch
        {
            info.Dispose();
            throw;
        }
    }

    private string Describe(long size, int dimension) =>
        size >= 0 ? size.ToString() : _names[dimension].Length > 0 ? _names[dimension] : "?";
}

// SPDX-License-Identifier: MIT
using System;
using System.Numerics;

namespace OrtC;

/// <summary>Which element type a type of .NET stands for.</summary>
internal static class Element<T>
    where T : unmanaged
{
    private static readonly TensorElementType s_type = Find();

    /// <exception cref="NotSupportedException">No tensor has such elements.</exception>
    internal static TensorElementType Type => s_type != TensorElementType.Undefined
        ? s_type
        : throw new NotSupportedException($"Tensors do not have elements of {typeof(T)}.");

    private static TensorElementType Find()
    {
#if NET8_0_OR_GREATER
        if (typeof(T) == typeof(Half))
        {
            return TensorElementType.Float16;
        }
#endif
        return typeof(T) == typeof(float) ? TensorElementType.Float
            : typeof(T) == typeof(double) ? TensorElementType.Double
            : typeof(T) == typeof(byte) ? TensorElementType.UInt8
            : typeof(T) == typeof(sbyte) ? TensorElementType.Int8
            : typeof(T) == typeof(ushort) ? TensorElementType.UInt16
            : typeof(T) == typeof(short) ? TensorElementType.Int16
            : typeof(T) == typeof(uint) ? TensorElementType.UInt32
            : typeof(T) == typeof(int) ? TensorElementType.Int32
            : typeof(T) == typeof(ulong) ? TensorElementType.UInt64
            : typeof(T) == typeof(long) ? TensorElementType.Int64
            : typeof(T) == typeof(bool) ? TensorElementType.Bool
            : typeof(T) == typeof(Float16) ? TensorElementType.Float16
            : typeof(T) == typeof(BFloat16) ? TensorElementType.BFloat16
            : typeof(T) == typeof(Complex64) ? TensorElementType.Complex64
            : typeof(T) == typeof(Complex) ? TensorElementType.Complex128
            : TensorElementType.Undefined;
    }
}

/// <summary>Sizes of elements.</summary>
internal static class Elements
{
    /// <summary>How many elements a shape has.</summary>
    /// <exception cref="ArgumentException">
    /// A dimension is negative, or there are too many.
    /// </exception>
    internal static long Count(ReadOnlySpan<long> shape)
    {
        var count = 1L;
        var empty = false;
        foreach (var dimension in shape)
        {
            if (dimension < 0)
            {
                throw new ArgumentException($"A dimension is {dimension}.", nameof(shape));
            }
            empty |= dimension == 0;
        }
        if (empty)
        {
            return 0;
        }
        foreach (var dimension in shape)
        {
            if (count > long.MaxValue / dimension)
            {
                throw new ArgumentException("The shape has too many elements.", nameof(shape));
            }
            count *= dimension;
        }
        return count;
    }

    /// <summary>
    /// How many bytes the elements of a type take; those below a byte are packed.
    /// </summary>
    internal static long Bytes(TensorElementType type, long count) => type switch
    {
        TensorElementType.UInt2 or TensorElementType.Int2 => (count + 3) / 4,
        TensorElementType.UInt4 or TensorElementType.Int4
            or TensorElementType.Float4E2M1 => (count + 1) / 2,
        TensorElementType.UInt16 or TensorElementType.Int16
            or TensorElementType.Float16 or TensorElementType.BFloat16 => checked(2 * count),
        TensorElementType.Float or TensorElementType.UInt32
            or TensorElementType.Int32 => checked(4 * count),
        TensorElementType.Double or TensorElementType.UInt64 or TensorElementType.Int64
            or TensorElementType.Complex64 => checked(8 * count),
        TensorElementType.Complex128 => checked(16 * count),
        _ => count,
    };

    internal static string Describe(ReadOnlySpan<long> shape) =>
        "[" + string.Join(",", shape.ToArray()) + "]";
}

// SPDX-License-Identifier: MIT
using System;

namespace OrtC;

/// <summary>
/// A 16-bit float of IEEE 754, as its bits. On .NET 8 and later <c>System.Half</c> serves as well,
/// and both convert into each other.
/// </summary>
public readonly struct Float16 : IEquatable<Float16>
{
    private readonly ushort _bits;

    private Float16(ushort bits) => _bits = bits;

    /// <summary>The bits: sign, 5 of exponent, 10 of fraction.</summary>
    public ushort ToBits() => _bits;

    /// <summary>Makes a number from its bits.</summary>
    public static Float16 FromBits(ushort bits) => new(bits);

    /// <summary>Rounds to the nearest, ties to even.</summary>
    public static explicit operator Float16(float value) => new(Round(value));

    /// <summary>Exact.</summary>
    public static implicit operator float(Float16 value) => Widen(value._bits);

#if NET8_0_OR_GREATER
    /// <summary>The same bits.</summary>
    public static implicit operator Float16(Half value) =>
        new(BitConverter.HalfToUInt16Bits(value));

    /// <summary>The same bits.</summary>
    public static implicit operator Half(Float16 value) =>
        BitConverter.UInt16BitsToHalf(value._bits);
#endif

    /// <inheritdoc/>
    public bool Equals(Float16 other) => _bits == other._bits;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Float16 other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _bits;

    /// <inheritdoc/>
    public override string ToString() => ((float)this).ToString();

    private static unsafe ushort Round(float value)
    {
        var bits = *(uint*)&value;
        var sign = (bits >> 16) & 0x8000;
        bits &= 0x7FFFFFFF;
        if (bits > 0x7F800000)
        {
            return (ushort)(sign | 0x7E00 | ((bits >> 13) & 0x3FF));
        }
        if (bits >= 0x477FF000)
        {
            return (ushort)(sign | 0x7C00);
        }
        if (bits < 0x38800000)
        {
            return (ushort)(sign | RoundSubnormal(bits));
        }
        var odd = (bits >> 13) & 1;
        return (ushort)(sign | ((bits - 0x38000000 + 0xFFF + odd) >> 13));
    }

    /// <summary>Below 2^-14: a multiple of 2^-24.</summary>
    private static uint RoundSubnormal(uint bits)
    {
        var shift = 126 - (int)(bits >> 23);
        if (shift > 24)
        {
            return 0;
        }
        var fraction = (bits & 0x7FFFFF) | 0x800000;
        var half = 1u << (shift - 1);
        var result = fraction >> shift;
        var rest = fraction & ((1u << shift) - 1);
        return rest > half || (rest == half && (result & 1) != 0) ? result + 1 : result;
    }

    private static unsafe float Widen(ushort value)
    {
        var sign = (uint)(value & 0x8000) << 16;
        var exponent = (uint)(value >> 10) & 0x1F;
        var fraction = (uint)value & 0x3FF;
        if (exponent == 0)
        {
            var small = fraction * (1.0f / (1 << 24));
            return sign == 0 ? small : -small;
        }
        var bits = exponent == 0x1F
            ? sign | 0x7F800000 | (fraction << 13)
            : sign | ((exponent + 112) << 23) | (fraction << 13);
        return *(float*)&bits;
    }
}

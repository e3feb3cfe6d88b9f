// SPDX-License-Identifier: MIT
using System;

namespace OrtC;

/// <summary>The upper half of a 32-bit float, as its bits.</summary>
public readonly struct BFloat16 : IEquatable<BFloat16>
{
    private readonly ushort _bits;

    private BFloat16(ushort bits) => _bits = bits;

    /// <summary>The bits: sign, 8 of exponent, 7 of fraction.</summary>
    public ushort ToBits() => _bits;

    /// <summary>Makes a number from its bits.</summary>
    public static BFloat16 FromBits(ushort bits) => new(bits);

    /// <summary>Rounds to the nearest, ties to even.</summary>
    public static unsafe explicit operator BFloat16(float value)
    {
        var bits = *(uint*)&value;
        return (bits & 0x7FFFFFFF) > 0x7F800000
            ? new BFloat16((ushort)((bits >> 16) | 0x40))
            : new BFloat16((ushort)((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16));
    }

    /// <summary>Exact.</summary>
    public static unsafe implicit operator float(BFloat16 value)
    {
        var bits = (uint)value._bits << 16;
        return *(float*)&bits;
    }

    /// <inheritdoc/>
    public bool Equals(BFloat16 other) => _bits == other._bits;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is BFloat16 other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _bits;

    /// <inheritdoc/>
    public override string ToString() => ((float)this).ToString();
}

/// <summary>Two 32-bit floats: an element of <see cref="TensorElementType.Complex64"/>.</summary>
public readonly struct Complex64 : IEquatable<Complex64>
{
    /// <summary>Makes a number of its parts.</summary>
    public Complex64(float real, float imaginary)
    {
        Real = real;
        Imaginary = imaginary;
    }

    /// <summary>The real part.</summary>
    public float Real { get; }

    /// <summary>The imaginary part.</summary>
    public float Imaginary { get; }

    /// <inheritdoc/>
    public bool Equals(Complex64 other) =>
        Real.Equals(other.Real) && Imaginary.Equals(other.Imaginary);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Complex64 other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Real.GetHashCode() ^ (Imaginary.GetHashCode() * 397);

    /// <inheritdoc/>
    public override string ToString() => $"<{Real}; {Imaginary}>";
}
